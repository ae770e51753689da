"""What the statements of an SR OS configuration can touch.

Sources: the hierarchies of Nokia's YANG modules (nokia-conf-*, 26.3) and the 7750 SR Quality of Service, Router
Configuration and System Management guides. A statement is in no row until someone has looked up what it does.
"""

from hntes.platforms.statement_table import StatementTable
from hntes.platforms.unparsed import (
    CLASSES,
    CONTROL_PLANE,
    FILTERS,
    JUDGED_PORTS,
    LINK,
    OTHER_PORTS,
    QUEUES,
    WAYS,
)  # fmt: skip

_ROUTING = (
    *("autonomous-system", "router-id", "ecmp", "static-routes", "aggregates", "bgp", "isis", "ospf", "ospf3", "rip"),
    *("pim", "igmp", "mld", "bfd", "policy-options", "fib-priority", "admin-state enable", "confederation", "msdp"),
)
_WAYS = ("ldp", "mpls", "rsvp", "mpls-labels", "segment-routing", "gtm", "origin-validation", "admin-state")
_ACCESS = (
    "user-params",
    "aaa",
    "ssh",
    "telnet-server",
    "ftp-server",
    "snmp",
    "tls",
    "pki",
    "keychains",
    "hash-control",
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
            *("sfm", "chassis", "card * card-type", "card * level", "card * admin-state enable", "card * upgrade"),
            *("card * mda * mda-type", "card * mda * admin-state enable", "card * mda * level", "card * mda * upgrade"),
            *("system name", "system location", "system contact", "system coordinates", "system time", "system dns"),
            *("system management-interface", "system grpc", "system lldp", "system netconf", "system rollback"),
            *("system bluetooth", "system login-control", "system persistence", "system telemetry"),
            *("system ptp", *(f"system security {word}" for word in _ACCESS)),
            *("groups", "apply-groups", "python", "eth-cfm", "port-policy", "redundancy", "router Base interface"),
            *("router Base interface", "multicast-management", "oam-pm", "saa", "test-oam", "macsec", "anysec"),
            *("qos sap-ingress", "qos sap-egress", "qos network-queue", "qos network", "qos port-scheduler-policy"),
            *("qos slope-policy", "qos scheduler-policy", "qos queue-group-templates", "qos queue-group-redirect-list"),
            *("qos md-auto-id", "service md-auto-id", "filter md-auto-id", "filter match-list"),
            *(f"router Base {word}" for word in _ROUTING),
        ),
        # The default policies are those of all ports and interfaces that name none.
        OTHER_PORTS: ("qos network-queue default",),
        CLASSES: ("qos network default",),
        QUEUES: ("qos", "card * fp", "card * mda * network", "card * mda * access", "card * mda"),
        LINK: ("card * admin-state", "card * mda * admin-state"),
        FILTERS: ("filter system-filter",),
        CONTROL_PLANE: (
            "system",
            "router management",
            "router vpls-management",
            "log event-handling",
            "log event-trigger",
        ),
        WAYS: (
            *(f"router Base {word}" for word in _WAYS),
            *("router Base static-routes route * route-type * blackhole", "routing-options", "bfd"),
        ),
    }
)

# Statements of a judged port, below `port ID`.
PORT = StatementTable(
    {
        None: (
            *(
                "description",
                "admin-state enable",
                "connector",
                "dwdm",
                "otu",
                "ddm-events",
                "transceiver",
                "monitor-agg-q",
            ),
            *(f"ethernet {word}" for word in ("mode", "encap-type", "lldp", "collect-stats", "dot1x")),
            *(
                f"ethernet {word}"
                for word in ("efm-oam", "crc-monitor", "symbol-monitor", "accounting-policy", "report")
            ),
            *(f"ethernet {word}" for word in ("mac-address", "down-on-internal-error", "ssm", "elmi")),
            *("ethernet access", "ethernet util-stats-interval", "ethernet dot1q-etype", "ethernet qinq-etype"),
            *("ethernet network accounting-policy", "ethernet network collect-stats"),
        ),
        LINK: (
            *("admin-state", "ethernet mtu", "ethernet hold-time", "ethernet autonegotiate", "ethernet speed"),
            *("ethernet duplex", "ethernet down-when-looped"),
        ),
        JUDGED_PORTS: ("ethernet", "network", "access", "sonet-sdh", "tdm", "hybrid-buffer-allocation"),
    }
)

# Statements of a judged router interface, below `router Base interface NAME`.
INTERFACE = StatementTable(
    {
        None: (
            *("port", "description", "admin-state enable", "mac", "if-attribute", "ldp-sync-timer", "hold-time"),
            *("ipv4 primary", "ipv4 secondary", "ipv4 bfd", "ipv4 icmp", "ipv4 neighbor-discovery", "ipv4 dhcp"),
            *("ipv4 vrrp", "ipv4 unnumbered", "ipv4 allow-directed-broadcasts", "ipv4 address"),
            *("ipv6 address", "ipv6 bfd", "ipv6 icmp6", "ipv6 neighbor-discovery", "ipv6 link-local-address"),
            *("ipv6 forward-ipv4-packets", "ipv6 dhcp6", "ipv6 vrrp", "ipv6 duplicate-address-detection"),
            *("ipv4", "ipv6 tcp-mss", "ipv6 address *", "cflowd-parameters", "lldp", "cpu-protection"),
            *("egress policy-accounting", "ingress policy-accounting", "load-balancing", "lag"),
            *("ingress destination-class-lookup", "strip-label", "untrusted", "static-tunnel-redundant-nexthop"),
            *("tunnel", "ntp-broadcast", "egress qos egress-remark-policy"),
        ),
        LINK: ("admin-state", "ip-mtu"),
        FILTERS: ("egress filter", "urpf-check", "ipv4 urpf-check", "ipv6 urpf-check"),
        CLASSES: ("qos network-policy",),
        # Queue groups take an interface's packets from its port's queues; a lookup gives them the class of a route.
        JUDGED_PORTS: ("ingress", "egress", "qos", "ipv4 qos-route-lookup", "ipv6 qos-route-lookup"),
    }
)
