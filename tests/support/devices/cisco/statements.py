"""Statements of the configuration modes of IOS-XE and IOS-XR, as patterns, with what identifies a line.

Sources: Cisco IOS Quality of Service Solutions Command Reference; Cisco IOS Security Command Reference (access lists);
Modular QoS and IP Addresses command references of Cisco IOS XR for the ASR 9000. `mode` is the prompt's word behind
`config-` and the patterns valid there. The identity of a line is its first `key` words; `enters` is the mode it opens.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Statement:
    """pattern: see grammar. key: words of identity. enters: mode that follows. removal: words after `no`, if fewer."""

    pattern: str
    key: int
    enters: str = ""
    removal: int = 0


Modes = dict[str, tuple[Statement, ...]]

_NUMBER = "<1-2147483647>"
_RATE = "<8000-100000000000>"

_CLASS_MAP_XE = (
    Statement("match access-group name WORD", 4), Statement("match access-group <1-2799>", 3),
    Statement("match dscp LINE", 2), Statement("match ip dscp LINE", 3), Statement("match qos-group <0-99>", 3),
    Statement("match protocol WORD", 3), Statement("match any", 2), Statement("match class-map WORD", 3),
    Statement("match discard-class <0-7>", 3), Statement("description LINE", 1),
)  # fmt: skip
_CLASS_XE = (
    Statement("bandwidth percent <1-100>", 1), Statement("bandwidth remaining (percent|ratio) <1-1000>", 1),
    Statement("bandwidth <1-10000000>", 1), Statement("priority percent <1-100>", 1),
    Statement("priority level <1-2>", 1), Statement("priority", 1),
    Statement("queue-limit <1-8192000> (packets|bytes|us|ms)", 1),
    Statement("queue-limit <1-8192000>", 1), Statement("set qos-group <0-99>", 2), Statement("set dscp WORD", 2),
    Statement("set ip dscp WORD", 3), Statement("set discard-class <0-7>", 2), Statement("set precedence <0-7>", 2),
    Statement("shape average LINE", 1), Statement("service-policy WORD", 1), Statement("fair-queue", 1),
    Statement("random-detect", 1), Statement("random-detect (discard-class-based|dscp-based|ecn)", 2),
    Statement("random-detect exponential-weighting-constant <1-16>", 2),
    Statement("random-detect discard-class <0-7> LINE", 3), Statement("random-detect dscp WORD LINE", 3),
    Statement(f"police cir {_RATE} bc <1000-2147483647>", 1, "pmap-c-police"),
    Statement(f"police cir {_RATE} bc <1000-2147483647> be <1000-2147483647>", 1, "pmap-c-police"),
    Statement(f"police cir {_RATE} bc <1000-2147483647> pir {_RATE} be <1000-2147483647>", 1, "pmap-c-police"),
    Statement(f"police cir {_RATE}", 1, "pmap-c-police"),
)  # fmt: skip
_ENTRY = "(permit|deny) LINE"

XE: Modes = {
    "": (
        Statement("class-map (match-any|match-all) WORD", 3, "cmap"), Statement("class-map WORD", 2, "cmap"),
        Statement("policy-map WORD", 2, "pmap"), Statement("ip access-list extended WORD", 4, "ext-nacl"),
        Statement("ipv6 access-list WORD", 3, "ipv6-acl"), Statement("interface WORD", 2, "if"),
        Statement("hostname WORD", 1), Statement("archive", 1, "archive"),
        Statement("route-map WORD (permit|deny) <0-65535>", 4, "route-map"), Statement("ip route LINE", 99),
        Statement("logging LINE", 99), Statement("service LINE", 99), Statement("snmp-server LINE", 99),
        Statement("username WORD LINE", 2), Statement("ip domain name WORD", 3), Statement("banner LINE", 2),
        Statement("configuration mode exclusive (auto|manual)", 3),
    ),
    "cmap": _CLASS_MAP_XE,
    "pmap": (Statement("class WORD", 2, "pmap-c"), Statement("description LINE", 1)),
    "pmap-c": _CLASS_XE,
    "pmap-c-police": (
        Statement("conform-action WORD", 1), Statement("exceed-action WORD", 1), Statement("violate-action WORD", 1),
        Statement("conform-action WORD <0-99>", 1), Statement("exceed-action WORD <0-99>", 1),
        Statement("violate-action WORD <0-99>", 1),
    ),
    "ext-nacl": (
        Statement(f"{_NUMBER} {_ENTRY}", 1, removal=1), Statement(_ENTRY, 0), Statement("remark LINE", 99),
    ),
    "ipv6-acl": (
        Statement(f"sequence {_NUMBER} {_ENTRY}", 2, removal=2), Statement(_ENTRY, 0), Statement("remark LINE", 99),
    ),
    "if": (
        Statement("service-policy (input|output) WORD", 2), Statement("description LINE", 1), Statement("shutdown", 1),
        Statement("ip address LINE", 2), Statement("ipv6 address LINE", 99), Statement("mtu <64-18000>", 1),
        Statement("ip access-group WORD (in|out)", 4), Statement("ip verify unicast source reachable-via LINE", 3),
        Statement("ip policy route-map WORD", 3),
        Statement("ipv6 policy route-map WORD", 3),
        Statement("encapsulation LINE", 1), Statement("bandwidth <1-100000000>", 1),
        Statement("load-interval <30-600>", 1),
    ),
    "archive": (
        Statement("path WORD", 1), Statement("maximum <1-14>", 1), Statement("write-memory", 1),
        Statement("time-period <1-525600>", 1),
    ),
    "route-map": (
        Statement("match ip address LINE", 3), Statement("match ipv6 address LINE", 3), Statement("set LINE", 99),
    ),
}  # fmt: skip

_CLASS_XR = (
    Statement("bandwidth percent <1-100>", 1), Statement("bandwidth remaining (percent|ratio) <1-1020>", 2),
    Statement("bandwidth <1-4294967295> (bps|kbps|mbps|gbps)", 1), Statement("priority level <1-7>", 1),
    Statement("queue-limit <1-4294967295> (ms|us|packets|bytes|kbytes|mbytes)", 1),
    Statement("set qos-group <0-512>", 2), Statement("set discard-class <0-7>", 2), Statement("set dscp WORD", 2),
    Statement("set traffic-class <0-7>", 2), Statement("set forward-class <0-7>", 2),
    Statement("set mpls experimental imposition <0-7>", 4),
    Statement("service-policy WORD", 1), Statement("shape average LINE", 1),
    Statement("random-detect default", 2), Statement("random-detect ecn", 2), Statement("random-detect LINE", 99),
    Statement("police rate LINE", 1, "pmap-c-police"),
)  # fmt: skip

XR: Modes = {
    "": (
        Statement("class-map (match-any|match-all) WORD", 3, "cmap"), Statement("policy-map WORD", 2, "pmap"),
        Statement("class-map type traffic (match-any|match-all) WORD", 5, "cmap"),
        Statement("policy-map type pbr WORD", 4, "pmap"),
        Statement("ipv4 access-list WORD", 3, "ipv4-acl"), Statement("ipv6 access-list WORD", 3, "ipv6-acl"),
        Statement("interface preconfigure WORD", 3, "if"), Statement("interface WORD", 2, "if"),
        Statement("hostname WORD", 1), Statement("logging LINE", 99), Statement("domain name WORD", 2),
    ),
    "cmap": (
        Statement("match access-group (ipv4|ipv6) WORD", 4), Statement("match dscp LINE", 2),
        Statement("match qos-group LINE", 2), Statement("match traffic-class LINE", 2), Statement("match any", 2),
        Statement("match discard-class LINE", 2), Statement("match precedence LINE", 2),
        Statement("description LINE", 1), Statement("end-class-map", 0),
    ),
    "pmap": (
        Statement("class WORD", 2, "pmap-c"), Statement("class type traffic WORD", 4, "pmap-c"),
        Statement("description LINE", 1), Statement("end-policy-map", 0),
    ),
    "pmap-c": _CLASS_XR,
    "pmap-c-police": (
        Statement("conform-action LINE", 1), Statement("exceed-action LINE", 1), Statement("violate-action LINE", 1),
    ),
    "ipv4-acl": (Statement(f"{_NUMBER} {_ENTRY}", 1, removal=1), Statement(f"{_NUMBER} remark LINE", 1, removal=1)),
    "ipv6-acl": (Statement(f"{_NUMBER} {_ENTRY}", 1, removal=1), Statement(f"{_NUMBER} remark LINE", 1, removal=1)),
    "if": (
        Statement("service-policy (input|output) WORD", 2), Statement("description LINE", 1), Statement("shutdown", 1),
        Statement("ipv4 address LINE", 2), Statement("ipv6 address LINE", 99), Statement("mtu <64-65535>", 1),
        Statement("ipv4 access-group WORD (ingress|egress)", 4),
        Statement("ipv6 access-group WORD (ingress|egress)", 4), Statement("forward-class <1-7>", 1),
        Statement("service-policy type pbr input WORD", 4),
        Statement("ipv4 verify unicast source reachable-via (any|rx)", 3),
        Statement("encapsulation LINE", 1),
        Statement("bandwidth <0-4294967295>", 1),
    ),
}  # fmt: skip
