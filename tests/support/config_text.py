"""A small reader of rendered text, written apart from the renderer: which line decides over a packet.

It knows only the few forms of access-list and filter lines, refuses any other, and looks at nothing but the text.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from ipaddress import IPv4Address, ip_address, ip_network

from hntes.addresses import Address, Network


@dataclass(frozen=True)
class Line:
    """One permitting line: its name or number, what it matches, and the rest of its words."""

    label: str
    source: Network
    destination: Network
    rest: str


def first_match(lines: list[Line], source: Address, destination: Address) -> Line | None:
    """The first line that the packet satisfies."""
    for line in lines:
        if line.source.version == source.version and source in line.source and destination in line.destination:
            return line
    return None


def junos_filter(text: str, version: int) -> list[Line]:
    """The terms of the filter that a family's first bound filter names; the last must accept everything."""
    family = "inet" if version == 4 else "inet6"
    body = _block(text, rf"^    family {family} \{{$", "    }")
    lines = []
    terms = re.findall(r"^            term (\S+) \{\n(.*?)^            \}$", body, re.MULTILINE | re.DOTALL)
    assert terms[-1] == ("default", " " * 16 + "then accept;\n")
    for label, content in terms[:-1]:
        found = re.fullmatch(
            r"\s+from \{\s+source-address (\S+);\s+destination-address (\S+);\s+\}\s+then \{\n(.*?)\s+\}\s+",
            content,
            re.DOTALL,
        )
        assert found, content
        lines.append(Line(label, ip_network(found[1]), ip_network(found[2]), " ".join(found[3].split())))
    return lines


def cisco_list(text: str, platform: str, version: int, suffix: str = "") -> list[Line]:
    """The lines of one access list in the order of their numbers, which must also be their order in the text."""
    name = f"hntes-alpha-v{version}{suffix}"
    if platform == "iosxr":
        head = f"ipv{version} access-list {name}"
    else:
        head = f"ip access-list extended {name}" if version == 4 else f"ipv6 access-list {name}"
    body = _block(text, rf"^{re.escape(head)}$", "!")
    lines = [_access_line(line, platform, version) for line in body.splitlines()]
    numbers = [int(line.label) for line in lines]
    assert numbers == sorted(set(numbers))
    assert all(1 <= number <= 2_147_483_646 for number in numbers)
    return lines


def sros_filter(text: str, version: int) -> list[Line]:
    """The entries of a family's filter, which are written in the order of their numbers; the rest must be accepted."""
    body = _block(text, rf"^        {'ip' if version == 4 else 'ipv6'}-filter hntes-alpha-v{version} \{{$", "        }")
    entries = re.findall(r"^            entry (\d+) \{\n(.*?)^            \}$", body, re.MULTILINE | re.DOTALL)
    numbers = [int(number) for number, _ in entries]
    assert numbers == sorted(set(numbers))
    assert body.startswith("            default-action accept\n")
    lines = []
    for _, content in entries:
        found = re.fullmatch(
            r"\s+description (\S+)\s+match \{\s+src-ip \{\s+address (\S+)\s+\}\s+dst-ip \{\s+address (\S+)\s+\}\s+\}"
            r"\s+action \{\n(.*?)\s+\}\s+",
            content,
            re.DOTALL,
        )
        assert found, content
        lines.append(Line(found[1], ip_network(found[2]), ip_network(found[3]), " ".join(found[4].split())))
    return lines


def eos_policy(text: str, version: int) -> list[Line]:
    """The rules of a family in the one traffic policy; its default, behind them, says nothing."""
    body = _block(text, r"^   traffic-policy hntes-alpha-v(?:4|6|46)$", "   !")
    rules = re.findall(rf"^      match (\S+) ipv{version}\n((?:         .*\n)*)", body, re.MULTILINE)
    assert rules[-1] == (f"ipv{version}-all-default", "")
    lines = []
    for label, content in rules[:-1]:
        found = re.fullmatch(
            r"\s+source prefix (\S+)\s+destination prefix (\S+)\s+!\s+actions\n(.*?)\s+", content, re.DOTALL
        )
        assert found, content
        lines.append(Line(label, ip_network(found[1]), ip_network(found[2]), " ".join(found[3].split())))
    return lines


def matcher(text: str, platform: str) -> Callable[[str, str], Line | None]:
    """A function of two addresses: the line of the alpha filter or class list that takes the packet."""
    read = {4: lines_of(text, platform, 4), 6: lines_of(text, platform, 6)}

    def match(source: str, destination: str) -> Line | None:
        address = ip_address(source)
        return first_match(read[address.version], address, ip_address(destination))

    return match


def lines_of(text: str, platform: str, version: int) -> list[Line]:
    """The lines of a family's filter, list or policy; none where the text has none."""
    if platform == "junos":
        return junos_filter(text, version)
    if platform == "eos":
        return eos_policy(text, version) if f"ipv{version}-all-default" in text else []
    if platform == "sros":
        return sros_filter(text, version) if f"-filter hntes-alpha-v{version} {{" in text else []
    if f"hntes-alpha-v{version}\n" not in text:
        return []
    return cisco_list(text, platform, version)


def _block(text: str, head: str, end: str) -> str:
    found = re.search(head + r"\n(.*?)^" + re.escape(end) + "$", text, re.MULTILINE | re.DOTALL)
    assert found, f"no block {head}"
    return found[1]


def _access_line(line: str, platform: str, version: int) -> Line:
    words = line.split()
    if platform == "iosxe" and version == 6:
        assert words.pop(0) == "sequence"
    number, permit, protocol, *rest = words
    assert permit == "permit"
    assert protocol == ("ip" if platform == "iosxe" and version == 4 else f"ipv{version}")
    source, rest = _take(rest, platform, version)
    destination, rest = _take(rest, platform, version)
    return Line(number, source, destination, " ".join(rest))


def _take(words: list[str], platform: str, version: int) -> tuple[Network, list[str]]:
    if words[0] == "any":
        return ip_network("0.0.0.0/0" if version == 4 else "::/0"), words[1:]
    if words[0] == "host":
        return ip_network(words[1]), words[2:]
    if platform == "iosxe" and version == 4:
        assert "/" not in words[0], "IOS-XE takes wildcards only"
        ones = int(IPv4Address(words[1])) ^ 0xFFFFFFFF
        return ip_network(f"{words[0]}/{ones.bit_count()}"), words[2:]
    assert "/" in words[0]
    return ip_network(words[0]), words[1:]
