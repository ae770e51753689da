"""What the statements of a Junos configuration can touch.

Sources: the hierarchies of Juniper's YANG modules (junos-conf-*), the Class of Service User Guide (queues of a PIC,
`system-defaults`, `forwarding-policy class`), and the Routing Policies, Firewall Filters and Traffic Policers User
Guide. A statement is in no row until someone has looked up what it does.
"""

from hntes.platforms.statement_table import StatementTable
from hntes.platforms.unparsed import CONTROL_PLANE, FILTERS, JUDGED_PORTS, LINK, OTHER_PORTS, QUEUES, WAYS

_FPC = "chassis fpc *"
_QUEUES_OF_A_PIC = (
    *("max-queues-per-interface", "max-queues", "traffic-manager", "q-pic-large-buffer", "red-buffer-occupancy"),
    *("egress-policer-overhead", "shaping", "queuing-mode", "hierarchical-scheduler"),
)
_PROTOCOLS = (
    *("bgp", "isis", "ospf", "ospf3", "rip", "lldp", "lldp-med", "pim", "igmp", "mld", "msdp", "bfd", "lacp"),
    *(
        "layer2-control",
        "router-advertisement",
        "rstp",
        "mstp",
        "vstp",
        "igmp-snooping",
        "sflow",
        "oam",
        "ptp",
        "dot1x",
    ),
)

TABLE = StatementTable(
    {
        None: (
            *("version", "snmp", "accounting-options", "applications", "policy-options", "firewall", "groups"),
            *("apply-groups", "apply-groups-except", "apply-macro"),
            *("system host-name", "system domain-name", "system domain-search", "system name-server", "system ntp"),
            *("system time-zone", "system syslog", "system login", "system services", "system root-authentication"),
            *("system authentication-order", "system radius-server", "system tacplus-server", "system location"),
            *("system ports", "system license"),
            *("chassis aggregated-devices", "chassis redundancy", "chassis network-services", "chassis alarm"),
            *("chassis craft-lockout", "chassis synchronization", "chassis no-reset-on-timeout"),
            *(f"{_FPC} pic * {word}" for word in ("tunnel-services", "inline-services", "port", "sampling-instance")),
            *(f"{_FPC} {word}" for word in ("sampling-instance", "inline-services", "lite-mode", "power")),
            *("forwarding-options sampling", "forwarding-options port-mirroring", "forwarding-options analyzer"),
            *("forwarding-options hash-key", "forwarding-options enhanced-hash-key", "forwarding-options dhcp-relay"),
            *("forwarding-options helpers", "forwarding-options load-balance", "forwarding-options accounting"),
            *("forwarding-options storm-control-profiles", "forwarding-options rpf-loose-mode-discard"),
            *("services flow-monitoring", "services rpm", "services analytics"),
            *("interfaces", "class-of-service classifiers"),
            *("class-of-service rewrite-rules", "class-of-service code-point-aliases", "class-of-service schedulers"),
            *("class-of-service scheduler-maps", "class-of-service drop-profiles", "class-of-service tri-color"),
            *("class-of-service traffic-control-profiles", "class-of-service loss-priority-maps"),
            *("class-of-service loss-priority-rewrites", "class-of-service forwarding-class-sets"),
            *("class-of-service routing-instances", "class-of-service forwarding-classes"),
            *(f"protocols {word}" for word in _PROTOCOLS),
            *("routing-options router-id", "routing-options autonomous-system", "routing-options graceful-restart"),
            *("routing-options nonstop-routing", "routing-options static"),
            *("bridge-domains", "vlans", "switch-options"),
        ),
        QUEUES: (
            *(f"{_FPC} {word}" for word in _QUEUES_OF_A_PIC),
            *(f"{_FPC} pic * {word}" for word in _QUEUES_OF_A_PIC),
            *(f"{_FPC} pic * port * {word}" for word in _QUEUES_OF_A_PIC),
            *("class-of-service", "chassis qos", "forwarding-options shared-buffer"),
        ),
        OTHER_PORTS: ("class-of-service interfaces",),
        # Juniper, "Understanding CoS Buffer Configuration": by input port, where lossless classes need room.
        LINK: ("class-of-service shared-buffer ingress", "class-of-service congestion-notification-profile"),
        CONTROL_PLANE: ("system", "event-options", "class-of-service host-outbound-traffic", "interfaces lo0"),
        WAYS: (
            *("protocols", "routing-options", "routing-instances", "class-of-service forwarding-policy next-hop-map"),
            *("routing-options static route * discard", "routing-options static route * reject"),
            *("routing-options static route * receive", "routing-options static route * next-table"),
            *("protocols mpls", "services", "security", "forwarding-options next-hop-group"),
        ),
    }
)  # fmt: skip

# Below a judged interface, its unit, and the unit's families. Statements in no row count as touching the judged ports.
PORT = StatementTable(
    {
        None: (
            *("description", "traps", "no-traps", "accounting-profile", "vlan-tagging", "flexible-vlan-tagging"),
            *("stacked-vlan-tagging", "vlan-id", "native-vlan-id", "enable"),
            *("gigether-options 802.3ad", "ether-options 802.3ad", "fastether-options 802.3ad"),
            *("aggregated-ether-options lacp", "aggregated-ether-options minimum-links"),
            *("aggregated-ether-options bfd-liveness-detection", "aggregated-ether-options local-bias"),
        ),
        LINK: (
            *("mtu", "link-mode", "encapsulation", "hold-time", "damping", "otn-options", "optics-options", "mac"),
            *("gratuitous-arp-reply", "no-gratuitous-arp-request", "no-gratuitous-arp-reply", "link-degrade-monitor"),
            *(
                f"{options} {word}"
                for options in ("gigether-options", "ether-options", "fastether-options", "aggregated-ether-options")
                for word in ("auto-negotiation", "no-auto-negotiation", "flow-control", "no-flow-control", "fec")
            ),
            "aggregated-ether-options link-speed",
        ),
    }
)  # fmt: skip
UNIT = StatementTable(
    {
        None: ("description", "vlan-id", "vlan-tags", "traps", "no-traps", "accounting-profile", "bandwidth"),
        LINK: ("encapsulation", "mac", "disable-arp", "proxy-arp", "arp-resp"),
    }
)
FAMILY = StatementTable(
    {
        None: (
            *("address", "no-redirects", "sampling", "no-neighbor-learn", "accounting", "primary", "dad-disable"),
            *("unnumbered-address", "maximum-labels", "preferred-source-address", "targeted-broadcast"),
        ),
        LINK: ("mtu", "dhcp", "dhcpv6-client"),
        FILTERS: ("rpf-check", "filter", "policer"),
        JUDGED_PORTS: ("rpf-check fail-filter",),
    }
)
