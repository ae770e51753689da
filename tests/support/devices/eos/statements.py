"""Statements of the configuration modes of EOS, as patterns, with what identifies a line.

Sources: EOS User Manual, "Quality of Service", "Traffic Management", "ACLs"; the configurations that Arista's AVD is
tested with (traffic-policies.cfg, qos.cfg); tests of openconfig/featureprofiles for Arista (nexthop-group, `redirect
next-hop group`). The form of a statement is that of the other Cisco-like routers here.
"""

from tests.support.devices.cisco.statements import Modes, Statement

# Statements that are said by `no`, since the opposite is the default: mode, line, and the key of what it sets.
OFF = {("if", "no switchport"): "switchport", ("txq", "no priority"): "priority"}
# Statements that say the default, and so are not listed.
DEFAULTS = {("if", "switchport"): "switchport", ("txq", "priority strict"): "priority"}

EOS: Modes = {
    "": (
        Statement("hostname WORD", 1), Statement("logging LINE", 99), Statement("ntp server LINE", 99),
        Statement("ip routing", 2), Statement("ip access-list WORD", 3, "acl"), Statement("interface WORD", 2, "if"),
        Statement("qos map LINE", 99), Statement("qos profile WORD", 3, "qos-profile"), Statement("mpls ip", 2),
        Statement("nexthop-group WORD type (ip|gre)", 2, "nexthop-group"),
        Statement("traffic-policies", 1, "traffic-policies"), Statement("banner LINE", 2),
        Statement("policy-map type quality-of-service WORD", 4, "pmap"), Statement("vlan <1-4094>", 2),
        Statement("class-map type qos match-any WORD", 5, "cmap"), Statement("username LINE", 2),
        Statement("router bgp <1-4294967295>", 3, "router-bgp"),
    ),
    "acl": (Statement("<1-4294967295> (permit|deny) LINE", 1, removal=1),),
    "cmap": (Statement("match (ip|ipv6) access-group WORD", 1),),
    "pmap": (Statement("class WORD", 2, "pmap-c"),),
    "pmap-c": (Statement("set traffic-class <0-7>", 2), Statement("set dscp WORD", 2)),
    "router-bgp": (Statement("neighbor WORD LINE", 3),),
    "if": (
        Statement("description LINE", 1), Statement("mtu <68-9214>", 1),
        Statement("encapsulation dot1q vlan <1-4094>", 1),
        Statement("ip address WORD", 2), Statement("ipv6 address WORD", 99), Statement("shutdown", 1),
        Statement("traffic-policy (input|output) WORD", 2), Statement("service-profile WORD", 1),
        Statement("service-policy type qos input WORD", 4), Statement("qos trust (cos|dscp)", 2),
        Statement("ip access-group WORD (in|out)", 4), Statement("channel-group <1-2000> mode WORD", 1),
        Statement("vrf WORD", 1), Statement("switchport mode (access|trunk)", 2), Statement("speed LINE", 1),
    ),
    "nexthop-group": (
        Statement("fec hierarchical", 2), Statement("entry <0-255> nexthop WORD", 2), Statement("ttl <1-255>", 1),
    ),
    "traffic-policies": (
        Statement("traffic-policy WORD", 2, "traffic-policy"),
        Statement("counter interface per-interface ingress", 2), Statement("field-set LINE", 99),
    ),
    "traffic-policy": (Statement("match WORD (ipv4|ipv6)", 2, "traffic-policy-match"), Statement("counter LINE", 1)),
    "traffic-policy-match": (
        Statement("source prefix LINE", 2), Statement("destination prefix LINE", 2), Statement("protocol LINE", 99),
        Statement("actions", 1, "traffic-policy-actions"),
    ),
    "traffic-policy-actions": (
        Statement("count", 1), Statement("count WORD", 1), Statement("drop", 1), Statement("set dscp <0-63>", 2),
        Statement("set traffic class <0-7>", 3), Statement("redirect next-hop group WORD", 1),
        Statement("police rate <8-200000000> (kbps|mbps) burst-size <256-128000000> (bytes|kbytes)", 1),
    ),
    "qos-profile": (
        # tx-queue 7 is that of control packets, and not configurable
        Statement("tx-queue <0-6>", 2, "txq"), Statement("qos trust (cos|dscp)", 2), Statement("shape rate LINE", 1),
        Statement("service-policy type qos input WORD", 4),
    ),
    "txq": (
        Statement("bandwidth percent <1-100>", 1), Statement("shape rate LINE", 1),
        Statement(
            "random-detect drop minimum-threshold <1-4294967295> (bytes|kbytes) maximum-threshold <1-4294967295> "
            "(bytes|kbytes) drop-probability <1-100>",
            2,
        ),
    ),
}  # fmt: skip
