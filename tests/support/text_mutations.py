"""Small damages to a configuration text, each of which a reader must notice or be able to explain."""

import random
import re
from collections.abc import Callable
from dataclasses import dataclass
from ipaddress import ip_address, ip_network

# Words that stand where another of the group may stand, too.
WORD_GROUPS = (
    ("accept", "discard", "reject"),
    ("permit", "deny"),
    ("low", "medium-low", "medium-high", "high", "strict-high"),
    ("transmit", "drop"),
    ("input", "output"),
    ("ingress", "egress"),
    ("conform-action", "exceed-action", "violate-action"),
    ("committed-burst-size", "peak-burst-size", "excess-burst-size"),
    ("source-address", "destination-address"),
    ("inet", "inet6"),
    ("ipv4", "ipv6", "ip"),
    ("match-any", "match-all"),
    ("bandwidth", "priority"),
    ("lsp-next-hop", "non-lsp-next-hop"),
    ("gbps", "mbps", "kbps", "bps"),
    ("ms", "us", "packets", "bytes"),
    ("qos-group", "discard-class", "dscp"),
    ("bc", "be", "cir", "pir"),
    ("color-blind", "color-aware"),
    ("single-rate", "two-rate"),
    ("any", "host"),
    ("src-ip", "dst-ip"),
    ("source", "destination"),
    ("be", "l2", "af", "l1", "h2", "ef", "h1", "nc"),
    ("pir", "cir", "mbs"),
    ("level", "cir-level", "weight", "cir-weight"),
    ("ip-filter", "ipv6-filter"),
    ("accept", "drop", "lsp"),
    ("ipv4-all-default", "ipv6-all-default"),
    ("minimum-threshold", "maximum-threshold"),
    ("kbps", "pps"),
)
NOISE = 0.2
_PREFIX = re.compile(r"(?<![\w.:])((?:\d+\.){3}\d+|[0-9a-f]*:[0-9a-f:]+)/(\d+)(?![\w.])")
_NUMBER = re.compile(r"(?<![\w.:/-])\d+(?![\w.:/-])")
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_./-]+")


@dataclass(frozen=True)
class Mutant:
    """A damaged text: what was done, and the lines (from 0) of the original where it was done."""

    kind: str
    lines: tuple[int, ...]
    text: str


def mutants(text: str, count: int, seed: int) -> list[Mutant]:
    """`count` different damages of a text, chosen by the seed."""
    source = random.Random(seed)
    found: dict[str, Mutant] = {}
    makers, bare = sorted(MAKERS), _bare(text)
    while len(found) < count:
        kind = source.choice(makers)
        made = MAKERS[kind](text.splitlines(), source)
        if made is not None:
            lines, changed = made
            result = "\n".join(changed) + "\n"
            # A damaged comment or margin tells little: few of them are enough.
            if result != text and (_bare(result) != bare or source.random() < NOISE):
                found.setdefault(result, Mutant(kind, lines, result))
    return list(found.values())


def _bare(text: str) -> list[str]:
    """The words of a text without its comments."""
    lines = [line for line in text.splitlines() if not line.strip().startswith(("#", "!", "/*"))]
    return " ".join(lines).split()


_Made = tuple[tuple[int, ...], list[str]] | None


def _replaced(lines: list[str], index: int, line: str) -> _Made:
    return (index,), [*lines[:index], line, *lines[index + 1 :]]


def _pick(lines: list[str], source: random.Random, wanted: re.Pattern[str]) -> tuple[int, re.Match[str]] | None:
    index = source.randrange(len(lines))
    found = list(wanted.finditer(lines[index]))
    return (index, source.choice(found)) if found else None


def _change_number(lines: list[str], source: random.Random) -> _Made:
    picked = _pick(lines, source, _NUMBER)
    if picked is None:
        return None
    index, found = picked
    value = int(found.group())
    other = source.choice([value + 1, value - 1, value * 10, value + 97, value // 2, 0, 101])
    return _replaced(lines, index, lines[index][: found.start()] + str(other) + lines[index][found.end() :])


def _change_name(lines: list[str], source: random.Random) -> _Made:
    picked = _pick(lines, source, _NAME)
    if picked is None:
        return None
    index, found = picked
    word = found.group()
    at = source.randrange(len(word))
    other = source.choice([word[:at] + source.choice("abcxyz") + word[at + 1 :], word + "x", word[:-1]])
    return _replaced(lines, index, lines[index][: found.start()] + other + lines[index][found.end() :])


def _change_word(lines: list[str], source: random.Random) -> _Made:
    group = source.choice(WORD_GROUPS)
    word = source.choice(group)
    wanted = re.compile(rf"(?<![\w-]){re.escape(word)}(?![\w-])")
    places = [(index, found) for index, line in enumerate(lines) for found in wanted.finditer(line)]
    if not places:
        return None
    index, found = source.choice(places)
    other = source.choice([each for each in group if each != word])
    return _replaced(lines, index, lines[index][: found.start()] + other + lines[index][found.end() :])


def _flip_prefix(lines: list[str], source: random.Random) -> _Made:
    """One bit of a prefix, or its length by one with the host bits cut off."""
    picked = _pick(lines, source, _PREFIX)
    if picked is None:
        return None
    index, found = picked
    base, length = ip_address(found[1]), int(found[2])
    network = ip_network(f"{base}/{length}")
    if length and source.random() < 0.6:
        bit = source.randrange(length)
        address = type(base)(int(base) ^ (1 << (network.max_prefixlen - 1 - bit)))
        other = f"{address}/{length}"
    else:
        wider = max(0, min(network.max_prefixlen, length + source.choice([-1, 1])))
        other = str(ip_network(f"{base}/{wider}", strict=False))
    return _replaced(lines, index, lines[index][: found.start()] + other + lines[index][found.end() :])


def _delete_line(lines: list[str], source: random.Random) -> _Made:
    index = source.randrange(len(lines))
    return (index,), lines[:index] + lines[index + 1 :]


def _block(lines: list[str], index: int) -> int:
    """The line after the block that begins at `index`: all that stands deeper, and a brace that closes it."""
    depth = len(lines[index]) - len(lines[index].lstrip())
    end = index + 1
    while end < len(lines) and (not lines[end].strip() or len(lines[end]) - len(lines[end].lstrip()) > depth):
        end += 1
    return end + 1 if lines[index].rstrip().endswith("{") else end


def _delete_block(lines: list[str], source: random.Random) -> _Made:
    index = source.randrange(len(lines))
    end = _block(lines, index)
    return tuple(range(index, end)), lines[:index] + lines[end:]


def _swap_blocks(lines: list[str], source: random.Random) -> _Made:
    """Two neighbours on one level: terms, classes, statements, lines of a list."""
    first = source.randrange(len(lines))
    second = _block(lines, first)
    depth = len(lines[first]) - len(lines[first].lstrip())
    if (
        second >= len(lines)
        or len(lines[second]) - len(lines[second].lstrip()) != depth
        or "}" in lines[second][:80].split()
    ):
        return None
    end = _block(lines, second)
    changed = [*lines[:first], *lines[second:end], *lines[first:second], *lines[end:]]
    return tuple(range(first, end)), changed


def _swap_lines(lines: list[str], source: random.Random) -> _Made:
    first, second = sorted(source.sample(range(len(lines)), 2))
    changed = list(lines)
    changed[first], changed[second] = changed[second], changed[first]
    return (first, second), changed


def _duplicate_line(lines: list[str], source: random.Random) -> _Made:
    index = source.randrange(len(lines))
    return (index,), [*lines[: index + 1], *lines[index:]]


def _duplicate_elsewhere(lines: list[str], source: random.Random) -> _Made:
    index, place = source.randrange(len(lines)), source.randrange(len(lines))
    return (index, place), [*lines[:place], lines[index], *lines[place:]]


def _shift_indent(lines: list[str], source: random.Random) -> _Made:
    index = source.randrange(len(lines))
    other = source.choice([" " + lines[index], lines[index].removeprefix(" "), lines[index].lstrip()])
    return _replaced(lines, index, other)


MAKERS: dict[str, Callable[[list[str], random.Random], _Made]] = {
    "change a number": _change_number,
    "change a name": _change_name,
    "change a word": _change_word,
    "change a prefix": _flip_prefix,
    "delete a line": _delete_line,
    "delete a block": _delete_block,
    "swap neighbours": _swap_blocks,
    "swap lines": _swap_lines,
    "duplicate a line": _duplicate_line,
    "copy a line elsewhere": _duplicate_elsewhere,
    "shift a line": _shift_indent,
}
