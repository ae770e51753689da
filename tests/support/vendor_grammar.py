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

from tests.support.vendor_languages import EOS, IOSXE, IOSXR, JUNOS, SROS

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
