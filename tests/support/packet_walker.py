"""Packets walked through the raw text of a configuration: which lines drop them, and which class they leave with.

An oracle for what is read and merged: it shares no code with the parsers, and knows only statements about packets of
one edge interface. A condition that it does not know is true or false by a digest of its words and the packet, the same
before and after a change: what leaves a packet alone leaves its outcome alone, whatever the condition means.
"""

import hashlib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from ipaddress import ip_address, ip_network

Packet = tuple[str, str]
Path = tuple[str, ...]
_TOKEN = re.compile(r'/\*.*?\*/|#[^\n]*|"(?:\\.|[^"\\])*"|[{};\[\]]|[^\s{};\[\]]+', re.DOTALL)
_MARKS = ("inactive:", "protect:", "replace:", "active:")
# Junos CoS user guide: default forwarding classes.
_DEFAULT_QUEUES = {"best-effort": 0, "expedited-forwarding": 1, "assured-forwarding": 2, "network-control": 3}


class UnsupportedError(Exception):
    """The text has something about the walked packets that the walker does not know; the words say what."""


@dataclass(frozen=True)
class Walked:
    """What becomes of a packet: dropped or not, the queue (Junos) or group (Cisco), and the operator's lines it met."""

    is_dropped: bool
    queue: int
    met: tuple[str, ...]


def _within(address: str, prefix: str) -> bool:
    network, found = ip_network(prefix, strict=False), ip_address(address)
    return found.version == network.version and found in network


def _guess(words: str, packet: Packet) -> bool:
    return hashlib.sha256(f"{words}|{packet}".encode()).digest()[0] % 2 == 0


# --- Junos -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class JunosText:
    """Statements as paths of words, in order, and the paths that replace all that the router has below them."""

    paths: tuple[Path, ...]
    replaced: tuple[Path, ...] = ()


def junos_text(text: str) -> JunosText:
    """A text in braces or in `set` form, with plain groups applied."""
    if re.search(r"^set ", text, re.MULTILINE):
        lines = [line for line in text.splitlines() if line.startswith("set ")]
        words = [tuple(re.findall(r'"[^"]*"|\S+', line))[1:] for line in lines]
        return JunosText(tuple(_applied([path for each in words for path in _listed(each)])))
    paths, replaced = [], []
    for path, marks in _braces(text):
        if marks == "replace:":
            replaced.append(path)
        elif not marks:
            paths.append(path)
    return JunosText(tuple(_applied(paths)), tuple(replaced))


def _listed(words: Path) -> Iterator[Path]:
    if "[" in words:
        at = words.index("[")
        yield from ((*words[:at], each) for each in words[at + 1 :] if each != "]")
    else:
        yield words


def _braces(text: str) -> Iterator[tuple[Path, str]]:
    """Each statement with `inactive:` where it or a block around it is that, and each block that is to be replaced."""
    blocks: list[tuple[Path, bool]] = [((), False)]
    words: list[str] = []
    for token in _TOKEN.findall(text):
        if token.startswith(("/*", "#")):
            continue
        if token not in "{};" or len(token) > 1:
            words.append(token)
            continue
        marks = [each for each in words if each in _MARKS]
        stated = tuple(each for each in words if each not in _MARKS)
        above, is_off = blocks[-1]
        words = []
        if token == "{":
            is_off = is_off or "inactive:" in marks
            blocks.append((above + stated, is_off))
            if "replace:" in marks:
                yield above + stated, "replace:"
        elif token == ";":
            off = "inactive:" if is_off or "inactive:" in marks else ""
            for path in _listed(stated):
                yield above + path, off
        else:
            blocks.pop()


def _applied(paths: list[Path]) -> Iterator[Path]:
    applied = [path[1] for path in paths if path[0] == "apply-groups"]
    if any("apply-groups" in path[1:] or "apply-groups-except" in path for path in paths if path[0] != "groups"):
        raise UnsupportedError("apply-groups below the top")
    for path in paths:
        if path[0] != "groups":
            yield path
    for name in applied:
        for path in paths:
            if path[:2] == ("groups", name):
                if any("<" in word for word in path):
                    raise UnsupportedError(f"a wildcard in group {name}")
                yield path[2:]


def junos_merged(running: JunosText, candidate: JunosText) -> JunosText:
    """What `load replace` leaves (Juniper, Replace Elements in Configuration Data): blocks are replaced or merged."""
    kept = [path for path in running.paths if not any(path[: len(one)] == one for one in candidate.replaced)]
    return JunosText((*kept, *(path for path in candidate.paths if path not in kept)))


def _below(paths: Iterable[Path], *prefix: str) -> list[Path]:
    return [path[len(prefix) :] for path in paths if path[: len(prefix)] == prefix]


def junos_walk(text: JunosText, name: str, unit: int, packet: Packet) -> Walked:
    """A packet that enters by a unit, through its input filters (Juniper: terms in order, at the end discard)."""
    family = "inet" if ip_address(packet[0]).version == 4 else "inet6"
    bound = _below(text.paths, "interfaces", name, "unit", str(unit), "family", family, "filter")
    names = [path[1] for path in bound if path[0] == "input-list"]
    names = names or [path[1] for path in bound if path[0] == "input"]
    met: list[str] = []
    found: str | None = None
    for own, terms in ((each, _terms(text, family, each)) for each in names):
        for term, lines in terms.items():
            if not _matches(text, [path[1:] for path in lines if path[0] == "from"], packet):
                continue
            actions = [path[1:] for path in lines if path[0] == "then"]
            if not own.startswith("hntes-"):
                met.append(f"{own} {term}")
            found = next((path[1] for path in actions if path[0] == "forwarding-class"), found)
            words = {path[0] for path in actions}
            if words & {"discard", "reject"}:
                return Walked(True, 0, tuple(met))
            if ("next", "term") not in actions:
                return Walked(False, _queue(text, found), tuple(met))
    return Walked(bool(names), _queue(text, found), tuple(met))


def _terms(text: JunosText, family: str, name: str) -> dict[str, list[Path]]:
    found: dict[str, list[Path]] = {}
    stated = _below(text.paths, "firewall", "family", family, "filter", name, "term")
    if family == "inet":
        stated = stated or _below(text.paths, "firewall", "filter", name, "term")
    if not stated:
        raise UnsupportedError(f"filter {name} is not in the text")
    for path in stated:
        found.setdefault(path[0], []).append(path[1:])
    return found


def _matches(text: JunosText, conditions: list[Path], packet: Packet) -> bool:
    by_kind: dict[str, list[Path]] = {}
    for path in conditions:
        by_kind.setdefault(path[0], []).append(path[1:])
    return all(_holds(text, kind, values, packet) for kind, values in by_kind.items())


def _holds(text: JunosText, kind: str, values: list[Path], packet: Packet) -> bool:
    source, destination = packet
    of = {"source": (source,), "destination": (destination,)}.get(kind.split("-")[0], packet)
    if kind in ("address", "source-address", "destination-address"):
        return any(_longest(values, address) for address in of)
    if kind in ("prefix-list", "source-prefix-list", "destination-prefix-list"):
        names = [value[0] for value in values if value[1:] != ("except",)]
        if len(names) != len(values):
            return _guess(f"{kind} {sorted(values)}", packet)
        listed = [path[0] for one in names for path in _below(text.paths, "policy-options", "prefix-list", one)]
        if not listed or any(not re.match(r"[0-9a-f.:]+/\d+$", each) for each in listed):
            return _guess(f"{kind} {sorted(values)}", packet)
        return any(_within(address, each) for address in of for each in listed)
    return _guess(f"{kind} {sorted(values)}", packet)


def _longest(values: list[Path], address: str) -> bool:
    """The most specific prefix decides, and is not matched with `except`."""
    hits = [(ip_network(each[0], strict=False).prefixlen, each[1:] != ("except",)) for each in values
            if _within(address, each[0])]  # fmt: skip
    return max(hits)[1] if hits else False


def _queue(text: JunosText, forwarding_class: str | None) -> int:
    if forwarding_class is None:
        return 0
    classes = _below(text.paths, "class-of-service", "forwarding-classes")
    stated = {path[1]: int(path[3]) for path in classes if path[0] == "class" and path[2:3] == ("queue-num",)}
    stated |= {path[2]: int(path[1]) for path in classes if path[0] == "queue"}
    return stated.get(forwarding_class, _DEFAULT_QUEUES.get(forwarding_class, -1))


def junos_schedulers(text: JunosText, port: str) -> dict[int, tuple[Path, ...]]:
    """Queue -> all that its scheduler states, by the map of a port, of its profile, or of a pattern; empty without."""
    stated = _below(text.paths, "class-of-service", "interfaces")
    named = {path[0] for path in stated}
    fits = [each for each in named if each.strip('"') in (port, "all") or fnmatchcase(port, each.strip('"'))]
    for each in sorted(fits, key=lambda each: (each != port, each == "all", -len(each))):
        bound = _below(stated, each, "scheduler-map")
        for profile in _below(stated, each, "output-traffic-control-profile"):
            bound += _below(text.paths, "class-of-service", "traffic-control-profiles", profile[0], "scheduler-map")
        if bound:
            return _of_map(text, bound[0][0])
    return {}


def _of_map(text: JunosText, name: str) -> dict[int, tuple[Path, ...]]:
    found: dict[int, tuple[Path, ...]] = {}
    for path in _below(text.paths, "class-of-service", "scheduler-maps", name):
        if path[0] == "forwarding-class" and path[2] == "scheduler":
            found[_queue(text, path[1])] = tuple(sorted(_below(text.paths, "class-of-service", "schedulers", path[3])))
    return found


def junos_shares(text: JunosText, port: str) -> dict[int, int]:
    """Queue -> share of the rate in per cent, by the scheduler map of a port; empty without one."""
    bound = _below(text.paths, "class-of-service", "interfaces", port, "scheduler-map")
    found: dict[int, int] = {}
    for path in _below(text.paths, "class-of-service", "scheduler-maps", bound[0][0]) if bound else ():
        if path[0] == "forwarding-class" and path[2] == "scheduler":
            rate = _below(text.paths, "class-of-service", "schedulers", path[3], "transmit-rate", "percent")
            found[_queue(text, path[1])] = int(rate[0][0]) if rate else 0
    return found


# --- IOS-XR and IOS-XE -----------------------------------------------------------------------------------------------


# How many words a port takes behind an address.
_PORTS = {"eq": 2, "neq": 2, "gt": 2, "lt": 2, "range": 3}
_IPV4_LISTS = ("ip access-list extended", "ip access-list standard")


@dataclass(frozen=True)
class CiscoText:
    """Sections by their first line; the lines below with their indentation taken off."""

    sections: dict[str, tuple[str, ...]]


def cisco_text(text: str) -> CiscoText:
    """A listing, or a candidate: `no HEAD` takes an object away, and a head that is there is added to."""
    found: dict[str, list[str]] = {}
    head = ""
    for line in text.splitlines():
        words = " ".join(line.split())
        if not words or words.startswith("!"):
            continue
        if line.startswith((" ", "\t")):
            found.setdefault(head, []).append(words)
        elif words.startswith("no ") and words[3:] in found:
            del found[words[3:]]
        else:
            head = words
            found.setdefault(head, [])
    return CiscoText({each: tuple(lines) for each, lines in found.items()})


def cisco_merged(running: str, candidate: str) -> CiscoText:
    """The sections of both, those of the candidate behind those of the router."""
    return cisco_text(f"{running}\n{candidate}")


def cisco_walk(text: CiscoText, port: str, packet: Packet) -> Walked:
    """A packet that enters by an interface: its access list, then its input policy (Cisco, Modular QoS)."""
    lines = text.sections.get(f"interface {port}", ())
    version = ip_address(packet[0]).version
    family = ("ipv6",) if version == 6 else ("ip", "ipv4")
    met: list[str] = []
    for line in lines:
        words = line.split()
        is_list = (
            words[0] in family and words[1] in ("access-group", "traffic-filter") and words[-1] in ("in", "ingress")
        )
        if is_list and (entries := _entries(text, words[2], version)):
            entry = next((each for each in entries if _covers(each, packet)), None)
            met.append(f"{words[2]}: {entry}")
            if entry is None or "deny" in entry.split():
                return Walked(True, 0, tuple(met))
    policies = [line.split()[2] for line in lines if line.startswith("service-policy input ")]
    return Walked(False, _group(text, policies[0], packet, version) if policies else 0, tuple(met))


def cisco_queues(text: CiscoText, port: str) -> dict[str, tuple[str, ...]]:
    """Class -> its lines, of the output policy of a port and of those below it, and the conditions of the class."""
    bound = [line for line in text.sections.get(f"interface {port}", ()) if line.startswith("service-policy output ")]
    found: dict[str, tuple[str, ...]] = {}
    policies = [line.split()[2] for line in bound]
    while policies:
        policy, own = policies.pop(), ""
        for line in text.sections.get(f"policy-map {policy}", ()):
            if line.startswith("class "):
                own = f"{policy} {line.split()[-1]}"
                found[own] = tuple(_conditions(text, line.split()[-1]))
            elif own:
                found[own] = (*found[own], line)
                policies += [line.split()[1]] if line.startswith("service-policy ") else []
    return found


def _conditions(text: CiscoText, name: str) -> Iterator[str]:
    for head, lines in text.sections.items():
        if head.startswith("class-map ") and head.split()[-1] == name:
            yield from (head, *lines)


def _entries(text: CiscoText, name: str, version: int) -> list[str]:
    families = ("ipv6 access-list",) if version == 6 else ("ipv4 access-list", *_IPV4_LISTS)
    heads = [f"{family} {name}" for family in families]
    lines = [line for head in heads for line in text.sections.get(head, ())]
    numbered = [head.split(" ", 2)[2] for head in text.sections if head.startswith(f"access-list {name} ")]
    found = [line for line in (*lines, *numbered) if "remark" not in line.split()]
    return sorted(found, key=_sequence) if found and all(_sequence(line) for line in found) else found


def _sequence(line: str) -> int:
    words = line.split()
    number = words[words.index("sequence") + 1] if "sequence" in words else words[0]
    return int(number) if number.isdigit() else 0


def _covers(entry: str, packet: Packet) -> bool:
    words = [word for word in entry.split() if word != "sequence"]
    words = words[1:] if words[0].isdigit() else words
    rest, ends = words[1:], []
    if rest and rest[0] not in ("any", "host") and not rest[0][:1].isdigit() and "/" not in rest[0]:
        protocol, rest = rest[0], rest[1:]
    else:
        protocol = "ip"
    ports: list[str] = []
    for _ in range(2):
        prefix, rest = _prefix(rest)
        ends.append(prefix)
        length = _PORTS.get(rest[0], 0) if rest else 0
        ports, rest = [*ports, *rest[:length], "|"], rest[length:]
    within = all(end is None or _within(address, end) for end, address in zip(ends, packet, strict=True))
    more = [word for word in rest if word not in ("log", "log-input")]
    is_plain = protocol in ("ip", "ipv4", "ipv6") and not more and ports == ["|", "|"]
    return within and (is_plain or _guess(" ".join([protocol, *ports, *more]), packet))


def _prefix(words: list[str]) -> tuple[str | None, list[str]]:
    """The prefix at the beginning (None: any), and the words behind it with those of a port left in."""
    if not words or words[0] == "any":
        return None, words[1:]
    if words[0] == "host":
        return words[1], words[2:]
    if "/" in words[0]:
        return words[0], words[1:]
    if re.match(r"\d+\.\d+\.\d+\.\d+$", words[0]):
        if len(words) > 1 and re.match(r"\d+\.\d+\.\d+\.\d+$", words[1]):
            if not _is_wildcard(words[1]):
                raise UnsupportedError(f"wildcard {words[1]}")
            return f"{words[0]}/{words[1]}", words[2:]
        return words[0], words[1:]
    raise UnsupportedError(f"an access list that says {' '.join(words)}")


def _is_wildcard(mask: str) -> bool:
    """Whether it leaves a prefix: ones at the end alone."""
    bits = int(ip_address(mask))
    return bits & (bits + 1) == 0


def _group(text: CiscoText, policy: str, packet: Packet, version: int) -> int:
    lines = text.sections[f"policy-map {policy}"]
    blocks: list[tuple[str, int]] = []
    for line in lines:
        if line.startswith("class "):
            blocks.append((line.split()[1], 0))
        elif re.match(r"set (qos-group|traffic-class) \d+$", line):
            blocks[-1] = (blocks[-1][0], int(line.split()[-1]))
    for name, group in blocks:
        if name == "class-default" or _in_class(text, name, packet, version):
            return group
    return 0


def _in_class(text: CiscoText, name: str, packet: Packet, version: int) -> bool:
    for line in text.sections[f"class-map match-any {name}"]:
        if line.startswith("match access-group"):
            entries = _entries(text, line.split()[-1], version)
            if any("permit" in each.split() and _covers(each, packet) for each in entries):
                return True
    return False
