"""What statements that IOS-XR and IOS-XE have in common can touch; each platform adds its own.

Sources: Cisco's command references (interface, QoS, IP addressing) and its YANG modules. A statement is in no row until
someone has looked up what it does.
"""

from collections.abc import Iterable, Mapping

from hntes.platforms.statement_table import StatementTable
from hntes.platforms.unparsed import CONTROL_PLANE, FILTERS, LINK, QUEUES, WAYS

Rows = Mapping[str | None, tuple[str, ...]]

# Unused lists, maps and policies have no effect: the readers follow every reference from the judged ports.
GLOBAL: Rows = {
    None: (
        *("version", "hostname", "service", "logging", "snmp-server", "ntp", "clock", "aaa", "tacacs-server", "tacacs"),
        *("radius-server", "radius", "username", "line", "ssh", "telnet", "cdp", "lldp", "domain", "license"),
        *("access-list", "class-map", "policy-map", "route-map", "boot", "router", "vrf", "object-group", "enable"),
        *("as-path-set", "community-set", "extcommunity-set", "prefix-set", "rd-set", "route-policy", "crypto"),
        *("bfd", "netconf-yang", "netconf", "grpc", "telemetry", "sampler", "flow", "monitor-session", "alias"),
        *("hw-module profile netflow", "track", "call-home", "key", "vty-pool", "xml", "sflow", "ethernet", "vlan"),
        *(f"{family} {word}" for family in ("ip", "ipv4", "ipv6") for word in ("access-list", "prefix-list", "domain")),
        *(f"{family} {word}" for family in ("ip", "ipv4", "ipv6") for word in ("name-server", "ssh", "http", "route")),
        *(f"{family} {word}" for family in ("ip", "ipv4", "ipv6") for word in ("routing", "cef", "unicast-routing")),
        *(f"ip {word}" for word in ("as-path", "community-list", "forward-protocol", "bgp-community", "tftp", "ftp")),
        *(f"ip {word}" for word in ("flow-export", "flow-cache", "extcommunity-list", "host", "multicast", "scp")),
    ),
    CONTROL_PLANE: ("event", "control-plane", "lpts", "kron", "script", "banner", "ip local", "ipv6 local"),
    QUEUES: ("qos", "mls", "platform qos", "hw-module profile qos", "hw-module qos", "auto", "service-policy"),
    WAYS: ("flowspec", "mpls", "segment-routing", "l2vpn", "evpn", "explicit-path", "multicast-routing"),
}
# Of a command that is off, only that of another kind than these may have an effect.
SWITCHED_OFF: Rows = {
    None: (
        *("aaa", "service", "logging", "snmp-server", "ntp", "cdp", "lldp", "platform", "domain", "license"),
        *(f"{family} {word}" for family in ("ip", "ipv4", "ipv6") for word in ("http", "domain", "ssh", "bootp")),
        *(f"{family} {word}" for family in ("ip", "ipv4", "ipv6") for word in ("source-route", "finger", "ftp")),
        *(f"{family} gratuitous-arps" for family in ("ip", "ipv4", "ipv6")),
    ),
    QUEUES: ("ip cef", "ip routing"),
}
# Below a judged interface. Statements in no row count as touching the judged ports.
PORT: Rows = {
    None: (
        *("description", "load-interval", "cdp", "lldp", "logging", "snmp", "encapsulation dot1q", "flow", "ntp"),
        *(f"{family} {word}" for family in ("ip", "ipv4", "ipv6") for word in ("address", "redirects", "unreachables")),
        *(f"{family} {word}" for family in ("ip", "ipv4", "ipv6") for word in ("proxy-arp", "mask-reply", "flow")),
        *(f"{family} directed-broadcast" for family in ("ip", "ipv4", "ipv6")),
        *(
            "bundle minimum-active",
            "bundle id",
            "channel-group",
            "lacp",
            "monitor-session",
            "ip nbar protocol-discovery",
        ),
    ),
    LINK: (
        *(
            "encapsulation",
            "mtu",
            "shutdown",
            "carrier-delay",
            "dampening",
            "negotiation",
            "vrf",
            "keepalive",
            "duplex",
            "media-type",
        ),
        *(
            "mpls",
            "isis",
            "ospf",
            "ospfv3",
            "arp",
            "udld",
            "hold-queue",
            "mac-address",
            "transceiver",
            "damping",
            "bfd",
        ),
        *("standby", "vrrp", "hsrp", "glbp", "ethernet oam", "ethernet cfm", "ethernet udld", "ptp", "frequency"),
        *(
            "local-proxy-arp",
            "proxy-arp",
            "ppp",
            "enable",
            "bundle load-balancing",
            "bundle wait-while",
            "mac-accounting",
        ),
        *("bundle maximum-active", "bundle lacp", "port-channel", "clns", "delay", "macsec-policy", "ip-address"),
        *(
            f"{family} {word}"
            for family in ("ip", "ipv4", "ipv6")
            for word in (
                *("mtu", "nd", "enable", "ospf", "router", "pim", "tcp", "igmp", "mld", "helper-address", "unnumbered"),
                *("bfd", "arp", "mfib", "rip", "eigrp", "route-cache", "cef", "load-sharing", "split-horizon", "dhcp"),
                *("point-to-point", "virtual-reassembly", "dampening-event", "hello-interval", "hold-time"),
            )
        ),
    ),
    FILTERS: (
        *(f"{family} {word}" for family in ("ip", "ipv4", "ipv6") for word in ("access-group", "verify")),
        *("ipv6 traffic-filter", "zone-member", "ip inspect", "storm-control"),
    ),
}


def table(*parts: Rows) -> StatementTable:
    """A table of the rows of all parts."""
    found: dict[str | None, list[str]] = {}
    for part in parts:
        for touches, patterns in part.items():
            found.setdefault(touches, []).extend(patterns)
    rows: Mapping[str | None, Iterable[str]] = found
    return StatementTable(rows)
