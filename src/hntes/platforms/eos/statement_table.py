"""What the statements of an EOS configuration can touch.

Sources: EOS User Manual (its chapters' command lists); the configurations that Arista's AVD is tested with. A statement
is in no row until someone has looked up what it does.
"""

from hntes.platforms.statement_table import StatementTable
from hntes.platforms.unparsed import CLASSES, CONTROL_PLANE, FILTERS, JUDGED_PORTS, LINK, QUEUES, WAYS

# Objects that the readers follow from the judged ports.
_READ = ("qos profile", "traffic-policies", "class-map", "policy-map", "nexthop-group", "interface")
_FAMILIES = ("ip", "ipv6")

TABLE = StatementTable(
    {
        None: (
            *_READ,
            *(
                "hostname",
                "transceiver",
                "service",
                "username",
                "aaa",
                "role",
                "enable",
                "radius-server",
                "tacacs-server",
            ),
            *(
                "logging",
                "ntp",
                "clock",
                "snmp-server",
                "dns",
                "lldp",
                "cdp",
                "management",
                "alias",
                "prompt",
            ),
            *("spanning-tree", "vlan", "vrf", "mlag", "track", "route-map", "peer-filter", "router", "banner", "boot"),
            *(
                "queue-monitor",
                "sflow",
                "monitor",
                "event-monitor",
                "tap",
                "ptp",
                "errdisable",
            ),
            *(
                "mac",
                "arp",
                "lacp",
                "port-channel",
                "switchport",
                "agent",
                "license",
                "system l1",
                "terminal",
                "vmtracer",
            ),
            *(
                "load-interval",
                "hardware counter",
                "hardware port-group",
                "environment",
                "poe",
                "dot1x",
                "cvx",
                "openflow",
            ),
            *("kernel", "maintenance", "monitor", "logging", "address", "trident", "platform barefoot", "redundancy"),
            *(
                f"{family} {word}"
                for family in _FAMILIES
                for word in ("access-list", "prefix-list", "routing", "route")
            ),
            *(
                f"{family} {word}"
                for family in _FAMILIES
                for word in ("virtual-router", "name-server", "domain", "http")
            ),
            *(
                f"ip {word}"
                for word in ("as-path", "community-list", "extcommunity-list", "domain-name", "domain-list")
            ),
            *(
                f"ip {word}"
                for word in ("large-community-list", "host", "ssh", "ftp", "tftp", "radius", "tacacs", "icmp")
            ),
            *(f"ip {word}" for word in ("igmp", "multicast-routing", "dhcp", "arp", "nat", "name-server", "hardware")),
            *("ipv6 unicast-routing", "ipv6 nd", "ipv6 neighbor", "ipv6 dhcp", "ipv6 hardware"),
        ),
        CLASSES: ("qos map",),
        CONTROL_PLANE: (
            *("control-plane", "system control-plane", "ip local", "policy-map type copp"),
            *("event-handler", "daemon", "schedule"),
        ),
        QUEUES: ("qos", "priority-flow-control", "platform", "hardware", "system", "traffic-loop", "buffer"),
        WAYS: ("mpls", "policy-map type pbr", "tunnel", "l2-protocol", "patch"),
    }
)
# Of a command that is off, only that of another kind than these may have an effect.
SWITCHED_OFF = StatementTable(
    {
        None: (
            *("aaa", "service", "logging", "snmp-server", "ntp", "lldp", "platform", "management", "queue-monitor"),
            *("spanning-tree", "sflow", "ip http", "ip routing vrf", "ip icmp", "errdisable", "enable", "schedule"),
            *("logging", "dns", "ip domain", "ip name-server", "switchport default mode", "vlan", "monitor"),
        ),
        WAYS: ("ip routing", "ipv6 unicast-routing"),
    }
)

# Statements of a judged interface. `no switchport` and `no shutdown` say that it routes, and is up.
INTERFACE = StatementTable(
    {
        None: (
            *("description", "load-interval", "lldp", "logging", "snmp", "encapsulation", "sflow", "ntp"),
            *(
                "channel-group",
                "lacp",
                "mlag",
                "flow",
                "ptp",
                "spanning-tree",
                "no switchport",
                "no shutdown",
                "comment",
            ),
            *(f"{family} address" for family in _FAMILIES),
            *(f"{family} {word}" for family in _FAMILIES for word in ("virtual-router", "proxy-arp", "icmp", "helper")),
        ),
        LINK: (
            *(
                "mtu",
                "shutdown",
                # without effect behind `no switchport`
                "switchport",
                "speed",
                "flowcontrol",
                "link-debounce",
                "vrf",
                "mac",
                "bfd",
                "isis",
                "mpls",
                "ospfv3",
            ),
            *("error-correction", "traffic-engineering", "arp", "carrier-delay", "l2", "min-links", "port-channel"),
            *("pim", "igmp", "vrrp", "transceiver", "phy", "keepalive", "multicast", "ip-address", "bandwidth", "evpn"),
            *("link", "dot1x", "poe", "errdisable", "mac-address", "l2-protocol", "unidirectional", "loopback"),
            *(
                f"{family} {word}"
                for family in _FAMILIES
                for word in ("ospf", "pim", "igmp", "mld", "nd", "enable", "mtu")
            ),
            *(f"{family} {word}" for family in _FAMILIES for word in ("rip", "arp", "dhcp", "local-proxy-arp", "bfd")),
            *("ip unnumbered", "ip ospf", "ip attached-host", "ipv6 ospf", "ip dhcp", "ip multicast", "ip routing"),
        ),
        FILTERS: (
            *(f"{family} {word}" for family in _FAMILIES for word in ("access-group", "verify")),
            *("mac access-group", "storm-control", "urpf"),
        ),
        WAYS: ("ip nat", "ip policy", "service-policy type pbr"),
        JUDGED_PORTS: ("qos", "service-policy", "tx-queue", "uc-tx-queue", "mc-tx-queue", "shape"),
    }
)
