"""What the statements of an SR OS configuration can touch.

Sources: the hierarchies of Nokia's YANG modules (nokia-conf-*, 26.3) and the 7750 SR Quality of Service, Router
Configuration and System Management guides. A statement is in no row until someone has looked up what it does.
"""

from hntes.platforms.statement_table import StatementTable
from hntes.platforms.unparsed import CONTROL_PLANE, JUDGED_PORTS, LINK, QUEUES, WAYS

_ROUTING = (
    *("autonomous-system", "router-id", "ecmp", "static-routes", "aggregates", "bgp", "isis", "ospf", "ospf3", "rip"),
    *("ldp", "mpls", "rsvp", "pim", "igmp", "mld", "mpls-labels", "segment-routing", "bfd", "policy-options"),
    *("fib-priority", "admin-state", "confederation", "msdp", "gtm", "origin-validation"),
)

TABLE = StatementTable(
    {
        None: (
            *(
                "log",
                "snmp",
                "aaa",
                "bof",
                "connection-profile",
                "cflowd",
                "lag",
                "filter",
                "service",
                "policy-options",
            ),
            *("sfm", "chassis", "card * card-type", "card * level", "card * admin-state", "card * upgrade"),
            *("card * mda * mda-type", "card * mda * admin-state", "card * mda * level", "card * mda * upgrade"),
            *("system name", "system location", "system contact", "system coordinates", "system time", "system dns"),
            *("system management-interface", "system grpc", "system lldp", "system netconf", "system rollback"),
            *("system bluetooth", "system login-control", "system persistence", "system boot-bad-exec"),
            *("system boot-good-exec", "system telemetry", "system script-control", "system cron", "system ptp"),
            *("groups", "apply-groups", "python", "eth-cfm", "port-policy", "redundancy", "router Base interface"),
            *("router Base interface", "multicast-management", "oam-pm", "saa", "test-oam", "macsec", "anysec"),
            *("qos sap-ingress", "qos sap-egress", "qos network-queue", "qos network", "qos port-scheduler-policy"),
            *("qos slope-policy", "qos scheduler-policy", "qos queue-group-templates", "qos queue-group-redirect-list"),
            *("qos md-auto-id", "service md-auto-id", "filter md-auto-id", "filter match-list"),
        ),
        QUEUES: ("qos", "card * fp", "card * mda * network", "card * mda * access", "card * mda"),
        CONTROL_PLANE: ("system", "router management", "router vpls-management"),
        WAYS: (*(f"router Base {word}" for word in _ROUTING), "routing-options", "bfd"),
    }
)

# Statements of a judged port, below `port ID`.
PORT = StatementTable(
    {
        None: (
            *("description", "admin-state", "connector", "dwdm", "otu", "ddm-events", "transceiver", "monitor-agg-q"),
            *(
                f"ethernet {word}"
                for word in ("mode", "encap-type", "mtu", "lldp", "collect-stats", "dot1x", "loopback")
            ),
            *(
                f"ethernet {word}"
                for word in ("efm-oam", "crc-monitor", "symbol-monitor", "accounting-policy", "report")
            ),
            *(f"ethernet {word}" for word in ("mac-address", "hold-time", "down-on-internal-error", "ssm", "elmi")),
            *("ethernet access", "ethernet util-stats-interval", "ethernet dot1q-etype", "ethernet qinq-etype"),
            *("ethernet network accounting-policy", "ethernet network collect-stats"),
        ),
        LINK: ("ethernet autonegotiate", "ethernet speed", "ethernet duplex", "ethernet down-when-looped"),
        JUDGED_PORTS: ("ethernet", "network", "access", "sonet-sdh", "tdm", "hybrid-buffer-allocation"),
    }
)

# Statements of a judged router interface, below `router Base interface NAME`.
INTERFACE = StatementTable(
    {
        None: (
            *("port", "description", "admin-state", "mac", "loopback", "if-attribute", "ldp-sync-timer", "hold-time"),
            *("ipv4 primary", "ipv4 secondary", "ipv4 bfd", "ipv4 icmp", "ipv4 neighbor-discovery", "ipv4 dhcp"),
            *("ipv4 vrrp", "ipv4 unnumbered", "ipv4 allow-directed-broadcasts", "ipv4 address"),
            *("ipv6 address", "ipv6 bfd", "ipv6 icmp6", "ipv6 neighbor-discovery", "ipv6 link-local-address"),
            *("ipv6 forward-ipv4-packets", "ipv6 dhcp6", "ipv6 vrrp", "ipv6 duplicate-address-detection"),
            *("ipv4", "ipv6 tcp-mss", "ipv6 address *", "cflowd-parameters", "lldp", "cpu-protection", "ip-mtu"),
            *("egress filter", "egress policy-accounting", "ingress policy-accounting", "load-balancing", "lag"),
            *("ingress destination-class-lookup", "strip-label", "untrusted", "static-tunnel-redundant-nexthop"),
            *("ldp-sync-timer", "tunnel", "urpf-check", "ipv4 urpf-check", "ipv6 urpf-check", "ntp-broadcast"),
            *("qos network-policy", "egress qos egress-remark-policy"),
        ),
        # Queue groups take an interface's packets from its port's queues; a lookup gives them the class of a route.
        JUDGED_PORTS: ("ingress", "egress", "qos", "ipv4 qos-route-lookup", "ipv6 qos-route-lookup"),
    }
)
