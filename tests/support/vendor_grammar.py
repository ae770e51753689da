"""A strict grammar of the vendors' languages, written apart from the renderer.

The grammars know only the statements that HNTES writes, with the ranges that the vendor's own model or command
reference gives; each group names its source. Sources, by short name:

    J     Juniper/yang 22.1R1, junos-conf-firewall, -class-of-service, -policy-options, -routing-options
    JR    Junos: Policer Bandwidth and Burst-Size Limits (MX); Replace Elements in Configuration Data
    XR    YangModels/yang xr/731, um-policymap-classmap-cfg, um-ipv4-access-list-cfg, um-ipv6-access-list-cfg
    XRC   IOS XR Modular QoS Command Reference, `police rate`, `random-detect discard-class`
    XE    YangModels/yang xe/1761, Cisco-IOS-XE-policy, -acl, -route-map (police: the range common with xe/16121)
    N     nokia/7x50_YangModels 26.3, nokia-conf-filter, nokia-conf-qos, nokia-types-filter, -qos, -sros
    A     aristanetworks/yang EOS-4.36.1F, arista-traffic-policy; the configurations that Arista's AVD is tested with
    known no public text was read for this line
"""

import re
from dataclasses import dataclass, field
from ipaddress import ip_address, ip_network

JUNOS = """
top: firewall {} firewall | class-of-service {} cos | interfaces {} interfaces | policy-options {} policies
top: routing-options {} routing | routing-instances {} instances
# JR: `replace:` stands before a container; J: list policer, list three-color-policer, container family
firewall: replace: policer NAME {} policer | replace: three-color-policer NAME {} marker | family inet {} family4
firewall: family inet6 {} family6
# JR: MX 8000..2^64-1 bit/s, 1500..10^10 bytes
policer: if-exceeding {} limits | then {} out
limits: bandwidth-limit <8000-18446744073709551615> | burst-size-limit <1500-10000000000>
out: loss-priority LOSS | forwarding-class NAME | discard
# J: grouping three-color-policer-type; only `high` may be discarded
marker: action {} discard | single-rate {} one-rate | two-rate {} two-rates
discard: loss-priority high then discard
one-rate: color-blind | committed-information-rate <8000-18446744073709551615>
one-rate: committed-burst-size <1500-100000000000> | excess-burst-size <1500-100000000000>
two-rates: color-blind | committed-information-rate <8000-18446744073709551615>
two-rates: committed-burst-size <1500-100000000000> | peak-information-rate <8000-18446744073709551615>
two-rates: peak-burst-size <1500-100000000000>
# J: groupings inet_filter, inet6_filter; choice policer-choice, choice designation
family4: replace: filter NAME {} filter4
family6: replace: filter NAME {} filter6
filter4: term NAME {} term4 | fast-lookup-filter
filter6: term NAME {} term6 | fast-lookup-filter
term4: from {} from4 | then {} then | then accept
term6: from {} from6 | then {} then | then accept
from4: source-address P4 | destination-address P4
from6: source-address P6 | destination-address P6
then: policer NAME | three-color-policer {} colors | count NAME | forwarding-class NAME | accept | routing-instance NAME
then: next term
colors: single-rate NAME | two-rate NAME
# J: list drop-profiles, forwarding-classes list class (16 at most), scheduler-maps, schedulers, forwarding-policy
cos: drop-profiles {} profiles | forwarding-classes {} classes | interfaces {} cosports | scheduler-maps {} maps
cos: schedulers {} schedulers | forwarding-policy {} cbf
profiles: replace: NAME {} profile
profile: interpolate {} interpolate
interpolate: fill-level LEVELS | drop-probability LEVELS
classes: class NAME queue-num <0-7>
cosports: PORT {} cosport
cosport: scheduler-map NAME
maps: replace: NAME {} map
map: forwarding-class NAME scheduler NAME
schedulers: replace: NAME {} scheduler
scheduler: transmit-rate percent <1-100> | buffer-size percent <1-100> | priority PRIORITY
scheduler: drop-profile-map loss-priority LOSS protocol any drop-profile NAME | explicit-congestion-notification
cbf: replace: next-hop-map NAME {} nhmap
nhmap: forwarding-class NAME {} nhclass | forwarding-class-default {} nhdefault
# Juniper, Forwarding Policy Options Overview
nhdefault: non-lsp-next-hop
nhclass: lsp-next-hop NAME | non-lsp-next-hop
# J: junos-conf-interfaces, -policy-options, -routing-options, -routing-instances
interfaces: PORT {} port
port: unit <0-1073741823> {} unit
unit: family inet {} bind | family inet6 {} bind
bind: filter {} input
# J: choice of `input` and `input-list`; a list of HNTES and one of the operator's
input: input NAME | input-list [ NAME NAME ]
policies: replace: policy-statement NAME {} policy
policy: term NAME {} polterm
polterm: from {} polfrom | then cos-next-hop-map NAME
polfrom: route-filter P4 orlonger | route-filter P6 orlonger
routing: interface-routes {} ifroutes | rib-groups {} groups | forwarding-table {} table
ifroutes: rib-group {} ribgroup
ribgroup: inet NAME | inet6 NAME
groups: replace: NAME {} group
group: import-rib RIBS
table: export NAME
instances: replace: NAME {} instance
instance: instance-type forwarding | routing-options {} own
own: static {} static4 | rib NAME {} rib
rib: static {} static6
static4: route P4 next-hop V4 | route P4 {} route4
static6: route P6 next-hop V6 | route P6 {} route6
# Juniper, qualified-next-hop (Static Routes)
route4: next-hop V4 | qualified-next-hop V4 {} worse
route6: next-hop V6 | qualified-next-hop V6 {} worse
worse: preference <6-4294967295>
"""

IOSXR = """
# XR: list sequence 1..2147483643 in both families; nexthop1 with the family's own word
top: no ipv4 access-list ACL | no ipv6 access-list ACL | ipv4 access-list ACL {} acl4 | ipv6 access-list ACL {} acl6
acl4: <1-2147483643> permit ipv4 A4 A4 | <1-2147483643> permit ipv4 A4 A4 nexthop1 ipv4 V4
acl6: <1-2147483643> permit ipv6 A6 A6 | <1-2147483643> permit ipv6 A6 A6 nexthop1 ipv6 V6
# XR: container class-map; match-qos-group 0..512; names of 63 characters
top: class-map match-any CLASS {} cmap | class-map type traffic match-any CLASS {} trafficmap
cmap: match access-group ipv4 ACL | match access-group ipv6 ACL | match dscp cs6 cs7 | match qos-group <0-512>
# XR: match-traffic-class, match-precedence; known: 8 traffic classes on NCS 5500 and 8000
cmap: match traffic-class <0-7> | match precedence <0-7>
cmap: end-class-map
trafficmap: match access-group ipv4 ACL | match access-group ipv6 ACL | end-class-map
# XR: grouping qos-actions, police-actions, pbr-actions; XRC: the order of the words of `police rate`
top: policy-map NAME {} pmap | policy-map type pbr NAME {} pbr
pmap: class CLASS {} class | end-policy-map
class: set qos-group <0-512> | priority level <1-7> | bandwidth percent <1-100> | queue-limit <1-4294967295> ms
# XR: set-traffic-class, mpls experimental imposition; bandwidth-remaining; units of queue-limit and random-detect
class: set traffic-class <0-7> | set mpls experimental imposition <0-7> | bandwidth remaining percent <1-100>
class: queue-limit <1-4294967295> bytes
class: random-detect discard-class <0-7> <0-1073741823> bytes <last-1073741823> bytes
class: random-detect discard-class <0-7> <0-1073741823> ms <last-1073741823> ms | police rate percent <1-100> {} share
class: random-detect ecn
class: police rate <1-4294967295> UNIT burst <1-4294967295> bytes {} police
class: police rate <1-4294967295> UNIT burst <1-4294967295> bytes peak-burst <1-4294967295> bytes {} police
class: police RATE PEAK {} police
police: conform-action transmit | conform-action set qos-group <0-512>
police: exceed-action DROP | exceed-action set qos-group <0-512> | exceed-action set discard-class <0-7>
police: violate-action DROP | violate-action set qos-group <0-512> | violate-action set discard-class <0-7>
pbr: class type traffic CLASS {} pbrclass | end-policy-map
pbrclass: set forward-class <1-7>
# ASR 9000 MPLS configuration guide: `forward-class` of a tunnel; known: the other statements of an interface
top: interface PORT {} port
port: service-policy input NAME | service-policy output NAME | service-policy type pbr input NAME
port: ipv4 access-group ACL ingress | ipv6 access-group ACL ingress | forward-class <1-7>
""".replace(
    "RATE PEAK",
    "rate <1-4294967295> UNIT burst <1-4294967295> bytes peak-rate <1-4294967295> UNIT peak-burst <1-4294967295> bytes",
)

IOSXE = """
# XE: ipv4-ext-acl-grouping 1..2147483647, wildcards only; ipv6-acl-grouping 1..4294967294
top: ip access-list extended ACL {} acl4 | ipv6 access-list ACL {} acl6
acl4: <1-2147483647> permit ip W4 W4
acl6: sequence <1-4294967294> permit ipv6 A6 A6
# XE: set qos-group 0..99; known: class-map names of 40 characters
top: class-map match-any CLASS40 {} cmap
cmap: match access-group name ACL | match dscp cs6 cs7 | match qos-group <0-99>
top: policy-map NAME {} pmap
pmap: class CLASS40 {} class
class: set qos-group <0-99> | priority percent <1-100> | bandwidth percent <1-100> | queue-limit <1-8192000> packets
class: random-detect discard-class-based | random-detect exponential-weighting-constant <1-16>
class: random-detect discard-class <0-7> <1-512000000> <above-512000000> <1-65535> | random-detect ecn
class: police cir <8000-64000000000> bc <1000-512000000> {} police2
class: police cir <8000-64000000000> bc <1000-512000000> be <1000-512000000> {} police3
class: police cir <8000-64000000000> bc <1000-512000000> pir <8000-64000000000> be <1000-512000000> {} police3
police2: conform-action transmit | conform-action set-qos-transmit <0-99>
police2: exceed-action DROP | exceed-action set-qos-transmit <0-99> | exceed-action set-discard-class-transmit <0-7>
police3: conform-action transmit | exceed-action set-discard-class-transmit <0-7>
police3: violate-action DROP | violate-action set-discard-class-transmit <0-7>
top: route-map NAME permit <0-65535> {} rmap
rmap: match ip address ACL | match ipv6 address ACL | set ip next-hop V4 | set ipv6 next-hop V6 | set interface TUNNEL
# known: statements of an interface
top: interface PORT {} port
port: service-policy input NAME | service-policy output NAME | ip policy route-map NAME | ipv6 policy route-map NAME
"""

SROS = """
top: configure {} configure
configure: filter {} filters | port SROSPORT {} sport | qos {} sqos | router Base {} base
# N: entry-id 1..2097151; rate-limit: pir in kbit/s up to 2000000000, mbs up to 268435456; choices of action
filters: ip-filter NAME {} filter4 | ipv6-filter NAME {} filter6
filter4: default-action accept | entry <1-2097151> {} entry4 | scope embedded
filter6: default-action accept | entry <1-2097151> {} entry6 | scope embedded
entry4: description NAME | match {} match4 | action {} action4
entry6: description NAME | match {} match6 | action {} action6
match4: src-ip {} end4 | dst-ip {} end4
match6: src-ip {} end6 | dst-ip {} end6
end4: address P4
end6: address P6
action4: fc FC | accept | rate-limit {} limit | forward {} forward4
action6: fc FC | accept | rate-limit {} limit | forward {} forward6
limit: pir <0-2000000000> | mbs <0-268435456>
forward4: lsp NAME | next-hop {} hop4
forward6: lsp NAME | next-hop {} hop6
hop4: nh-ip {} nh4
hop6: nh-ip {} nh6
nh4: address V4 | indirect true
nh6: address V6 | indirect true
# N: network-queue-queue-id 1..16, mbs 0.00..100.00, pir 1..100, cir 0..100, hierarchy-level 1..8, weight 0..100
sqos: network-queue ITEM {} nq | port-scheduler-policy ITEM {} scheduler
scheduler: max-rate max
nq: fc FC {} nqclass | queue <1-16> {} nqueue
nqclass: queue <1-16>
nqueue: mbs DECIMAL | rate {} nqrate | port-parent {} nqparent
nqrate: pir <1-100> | cir <0-100>
nqparent: level <1-8> | weight <0-100> | cir-level <0-8> | cir-weight <0-100>
sport: ethernet {} ethernet
ethernet: egress {} egress | network {} network
egress: port-scheduler-policy {} bound
bound: policy-name ITEM
network: egress {} netegress
netegress: queue-policy ITEM
base: interface ITEM {} interface
interface: ingress {} ingress
ingress: filter {} binding
binding: ip NAME | ipv6 NAME
"""

EOS = """
# A: rules with prefixes and actions; known: groups of type ip have next hops of both families, 8 traffic classes, and
# the ranges of `police` and `entry`
top: nexthop-group NAME type ip {} hops | traffic-policies {} policies
hops: fec hierarchical | entry <0-1023> nexthop V4 | entry <0-1023> nexthop V6
policies: traffic-policy NAME {} policy
policy: match NAME ipv4 {} rule4 | match NAME ipv6 {} rule6
rule4: source prefix P4 | destination prefix P4 | actions {} actions
rule6: source prefix P6 | destination prefix P6 | actions {} actions
actions: count | set traffic class <0-7> | redirect next-hop group NAME
actions: police rate <1-200000000> kbps burst-size <256-128000000> bytes
# A: tx-queues of a profile; known: 7 is the router's own, thresholds in bytes
top: qos profile NAME {} profile
profile: tx-queue <0-6> {} txqueue
txqueue: no priority | bandwidth percent <1-100>
txqueue: random-detect drop minimum-threshold <1-4294967295> bytes MAXIMUM
top: interface PORT {} port
port: traffic-policy input NAME | service-profile NAME
""".replace("MAXIMUM", "maximum-threshold <above-4294967295> bytes drop-probability 100")

# The first words of statements without which a block means nothing, or something else.
REQUIRED = {
    "junos": {
        "policer": {"if-exceeding", "then"},
        "limits": {"bandwidth-limit", "burst-size-limit"},
        "one-rate": {"color-blind", "committed-information-rate", "committed-burst-size", "excess-burst-size"},
        "two-rates": {
            "color-blind", "committed-information-rate", "committed-burst-size", "peak-information-rate",
            "peak-burst-size",
        },
        "term4": {"then"}, "term6": {"then"}, "from4": {"source-address", "destination-address"},
        "from6": {"source-address", "destination-address"}, "interpolate": {"fill-level", "drop-probability"},
        "scheduler": {"transmit-rate", "buffer-size", "priority"}, "instance": {"instance-type", "routing-options"},
    },
    "iosxr": {
        "cmap": {"match", "end-class-map"}, "trafficmap": {"match", "end-class-map"},
        "pmap": {"class", "end-policy-map"}, "pbr": {"class", "end-policy-map"},
        "police": {"conform-action", "exceed-action", "violate-action"},
    },
    "iosxe": {
        "cmap": {"match"}, "pmap": {"class"}, "police2": {"conform-action", "exceed-action"},
        "police3": {"conform-action", "exceed-action", "violate-action"}, "rmap": {"match", "set"},
    },
    "sros": {
        "filter4": {"default-action"}, "filter6": {"default-action"}, "entry4": {"match", "action"},
        "entry6": {"match", "action"}, "limit": {"pir", "mbs"}, "end4": {"address"}, "end6": {"address"},
        "nqueue": {"mbs", "rate", "port-parent"}, "nqrate": {"pir", "cir"}, "scheduler": {"max-rate"},
        "nqparent": {"level", "weight", "cir-level", "cir-weight"},
    },
    "eos": {"txqueue": {"random-detect"}, "hops": {"entry"}},
}  # fmt: skip
# Statements of which a block may hold one only.
EXCLUSIVE = {
    "then": ("accept", "routing-instance", "next"), "input": ("input", "input-list"),
    "class": ("priority", "bandwidth"), "marker": ("single-rate", "two-rate"),
    "action4": ("accept", "forward"), "action6": ("accept", "forward"), "forward4": ("lsp", "next-hop"),
    "forward6": ("lsp", "next-hop"),
}  # fmt: skip

WORDS = {
    "LOSS": "low|medium-low|medium-high|high",
    "PRIORITY": "low|medium-low|medium-high|high|strict-high",
    "NAME": r"(?!__)[A-Za-z][A-Za-z0-9_.-]{0,63}(?<!__)",
    "ACL": r"[A-Za-z][A-Za-z0-9_.-]{0,63}",
    "CLASS": r"[A-Za-z][A-Za-z0-9_.-]{0,62}",
    "CLASS40": r"[A-Za-z][A-Za-z0-9_.-]{0,39}",
    "PORT": r"[a-z]{2}-\d+/\d+/\d+|[A-Z][A-Za-z]+\d+(?:/\d+){1,3}(?:\.\d+)?|tunnel-te\d{1,5}",
    "TUNNEL": r"Tunnel\d{1,5}",
    "UNIT": "bps|kbps|mbps|gbps",
    "DROP": "drop",
    "SROSPORT": r"\d+/\d+/c\d+/\d+",
    "ITEM": r"[A-Za-z][A-Za-z0-9_.-]{0,31}",
    "FC": "be|l2|af|l1|h2|ef|h1|nc",
    "DECIMAL": r"100\.0{1,2}|\d{1,2}\.\d{1,2}",
}


class GrammarError(ValueError):
    """A text that the grammar does not know."""


@dataclass
class Statement:
    words: list[str]
    children: list["Statement"] = field(default_factory=list)
    is_block: bool = False


@dataclass(frozen=True)
class Rule:
    tokens: list[str]
    child: str | None


def grammar(text: str) -> dict[str, list[Rule]]:
    rules: dict[str, list[Rule]] = {}
    for line in text.strip().splitlines():
        if not line.startswith("#"):
            context, statements = line.split(": ", 1)
            for statement in statements.split(" | "):
                words, _, child = statement.partition(" {} ")
                rules.setdefault(context, []).append(Rule(words.split(), child or None))
    return rules


GRAMMARS = {
    "junos": grammar(JUNOS),
    "iosxr": grammar(IOSXR),
    "iosxe": grammar(IOSXE),
    "sros": grammar(SROS),
    "eos": grammar(EOS),
}


def read_junos(text: str) -> list[Statement]:
    """Statements by braces and semicolons; `#` begins a comment, `/*` and `*/` enclose one."""
    bare = "\n".join(re.sub(r"/\*.*?\*/", "", line).partition("#")[0] for line in text.splitlines())
    stack = [Statement([])]
    words: list[str] = []
    for word in re.findall(r"[{};\[\]]|[^\s{};\[\]]+", bare):
        if word == "{":
            stack.append(Statement(words, is_block=True))
            stack[-2].children.append(stack[-1])
        elif word == ";" and words:
            stack[-1].children.append(Statement(words))
        elif word == "}" and not words and len(stack) > 1:
            stack.pop()
            continue
        elif word in ";}":
            raise GrammarError(f"misplaced {word}")
        else:
            words.append(word)
            continue
        words = []
    if words or len(stack) > 1:
        raise GrammarError("ends inside a statement")
    return stack[0].children


def read_sros(text: str) -> list[Statement]:
    """Statements by lines and braces; a line that begins with `#` is a comment."""
    stack = [Statement([])]
    for line in text.splitlines():
        words = line.split()
        if words[:1] == ["}"] and len(words) == 1 and len(stack) > 1:
            stack.pop()
        elif words and not line.startswith("#"):
            is_block = words[-1] == "{"
            stack[-1].children.append(Statement(words[:-1] if is_block else words, is_block=is_block))
            if is_block:
                stack.append(stack[-1].children[-1])
    if len(stack) > 1:
        raise GrammarError("ends inside a statement")
    return stack[0].children


def read_eos(text: str) -> list[Statement]:
    """As Cisco's, with three blanks a level."""
    margins = [len(line) - len(line.lstrip(" ")) for line in text.splitlines()]
    if any(margin % 3 for margin in margins):
        raise GrammarError("a margin is not of three blanks a level")
    return read_cisco(
        "\n".join(line[margin - margin // 3 :] for line, margin in zip(text.splitlines(), margins, strict=True))
    )


def read_cisco(text: str) -> list[Statement]:
    """Statements by indentation, one blank a level; `!` begins a comment."""
    stack = [Statement([])]
    for line in text.splitlines():
        depth = len(line) - len(line.lstrip(" "))
        if line.strip().startswith("!"):
            del stack[depth + 1 :]
            continue
        # A police block stands two levels down, its actions three.
        if depth >= len(stack):
            raise GrammarError(f"indented too far: {line}")
        del stack[depth + 1 :]
        stack.append(Statement(line.split()))
        stack[-2].children.append(stack[-1])
        stack[-2].is_block = True
    return stack[0].children


def _number(token: str, word: str, last: int) -> bool:
    low, high = token[1:-1].split("-")
    lowest = {"last": last, "above": last + 1}[low] if low in ("last", "above") else int(low)
    return bool(re.fullmatch(r"0|[1-9]\d*", word)) and lowest <= int(word) <= int(high)


def _address(token: str, words: list[str]) -> int:
    """How many words an address takes; V a bare one, P a prefix, A a Cisco prefix, W one with a wildcard."""
    version = int(token[1])
    if token[0] == "V":
        return int(ip_address(words[0]).version == version)
    if token[0] in "AW" and words[0] == "any":
        return 1
    if token[0] in "AW" and words[0] == "host":
        return 2 * int(ip_address(words[1]).version == version)
    if token[0] == "W":
        length = 32 - int(ip_address(words[1])).bit_length()
        network = ip_network(f"{words[0]}/{length}")
        return 2 * int(str(network.hostmask) == words[1])
    return int("/" in words[0] and ip_network(words[0]).version == version)


def _list(token: str, words: list[str]) -> int:
    if words[0] != "[" or "]" not in words:
        return 0
    end = words.index("]")
    inner = words[1:end]
    of_levels = token == "LEVELS" and 2 <= len(inner) <= 64 and all(_number("<0-100>", word, 0) for word in inner)
    of_ribs = token == "RIBS" and len(inner) == 2 and all(re.fullmatch(r"[\w.-]+\.0", word) for word in inner)
    return end + 1 if of_levels or of_ribs else 0


def _taken(token: str, words: list[str], last: int) -> int:
    if token.startswith("<"):
        return int(_number(token, words[0], last))
    if re.fullmatch("[VPAW][46]", token):
        try:
            return _address(token, words)
        except (ValueError, IndexError):
            return 0
    if token in ("LEVELS", "RIBS"):
        return _list(token, words)
    return int(bool(re.fullmatch(WORDS[token], words[0]) if token in WORDS else token == words[0]))


def matches(rule: Rule, words: list[str]) -> bool:
    rest, last = words, 0
    for token in rule.tokens:
        taken = _taken(token, rest, last) if rest else 0
        if not taken:
            return False
        last = int(rest[0]) if rest[0].isdigit() else last
        rest = rest[taken:]
    return not rest


def check(platform: str, statements: list[Statement], context: str) -> None:
    """Refuse a statement that is not known here, one given twice, one missing, or two that exclude each other."""
    firsts = {statement.words[0] for statement in statements}
    missing = REQUIRED[platform].get(context, set()) - firsts
    if missing:
        raise GrammarError(f"{context}: {sorted(missing)} missing")
    if len(firsts & set(EXCLUSIVE.get(context, ()))) > 1:
        raise GrammarError(f"{context}: {sorted(firsts)} exclude each other")
    said = [" ".join(statement.words) for statement in statements]
    if len(set(said)) < len(said):
        raise GrammarError(f"{context}: a statement stands twice")
    for statement in statements:
        rules = [rule for rule in GRAMMARS[platform].get(context, []) if matches(rule, statement.words)]
        # An empty block of a Cisco text is a line like any other.
        rules = [
            rule
            for rule in rules
            if (rule.child is not None) == statement.is_block
            or (platform not in ("junos", "sros") and rule.child is not None)
        ]
        if not rules:
            raise GrammarError(f"{context}: {' '.join(statement.words)}")
        if rules[0].child is not None:
            check(platform, statement.children, rules[0].child)


def parse(platform: str, text: str) -> None:
    """Return if the grammar of the platform knows the text.

    Raises:
        GrammarError: it does not.
    """
    readers = {"junos": read_junos, "sros": read_sros, "eos": read_eos}
    check(platform, readers.get(platform, read_cisco)(text), "top")
