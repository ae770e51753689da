"""Access lists of IOS-XR and IOS-XE: the lines in order of evaluation.

Sources: Cisco's YANG modules of access lists (as named in docs/reference/rendering.md). Lines are ordered by sequence
number, not by their place in the text. A line without a number is appended, ten after the last.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, ip_network
from typing import Literal

from hntes.addresses import Network
from hntes.platforms.cisco.parser.text import CiscoText
from hntes.platforms.cisco.parser.tree import Section
from hntes.platforms.effective import Action, Entry, NextHop, Program
from hntes.platforms.values import address, network, number

# XE allows 2^32 - 2 in IPv6 lists, the highest limit of all lists of the two platforms.
HIGHEST_SEQUENCE = 4_294_967_294
STEP = 10


@dataclass(frozen=True)
class ListLine:
    """One line of an access list; `path` is the path of permitted packets in a forwarding list."""

    sequence: int
    is_permit: bool
    source: Network
    destination: Network
    path: NextHop | None
    section: Section


class ListReader:
    """Reader of the access lists of one text."""

    def __init__(self, text: CiscoText) -> None:
        self.text = text
        self.syntax = text.syntax.lists
        self.used: set[str] = set()
        self._read: dict[tuple[str, int], tuple[ListLine, ...]] = {}

    def lines(self, name: str, ip_version: Literal[4, 6], user: Section) -> tuple[ListLine, ...]:
        """The lines of the list that `user` names, by number."""
        key = name, ip_version
        if key not in self._read:
            self._read[key] = self._lines(name, ip_version, user)
        return self._read[key]

    def family_of(self, name: str, user: Section) -> Literal[4, 6]:
        """The family of a list that is referenced without one."""
        heads = {4: self._head(name, 4), 6: self._head(name, 6)}
        both = self.text.section(*heads[4]) is not None and self.text.section(*heads[6]) is not None
        if both:
            raise user.refused(f"access list {name} exists for both families: ambiguous")
        return 6 if self.text.section(*heads[6]) is not None else 4

    def program(self, name: str, ip_version: Literal[4, 6], user: Section) -> Program:
        """The list applied to an interface: denied and unmatched packets are dropped."""
        entries = tuple(
            Entry(
                _unless_all(line.source),
                _unless_all(line.destination),
                Action("accept" if line.is_permit else "discard", path=line.path),
                str(line.sequence),
                line.section.line,
            )
            for line in self.lines(name, ip_version, user)
        )
        return Program("access_list", entries, Action("discard"), name)

    def permitted(self, name: str, ip_version: Literal[4, 6], user: Section, action: Action) -> Iterator[Entry]:
        """The list in a class or a route map: the permitted packets."""
        for line in self.lines(name, ip_version, user):
            if not line.is_permit:
                # Platforms differ in the effect of a deny in a class: some ignore it.
                raise line.section.refused(f"denies in a list that `{user.text}` selects packets by: not understood")
            if line.path is not None:
                raise line.section.refused(f"forwards in a list that `{user.text}` selects packets by: not understood")
            source, destination = _unless_all(line.source), _unless_all(line.destination)
            yield Entry(source, destination, action, str(line.sequence), line.section.line)

    def _head(self, name: str, ip_version: Literal[4, 6]) -> tuple[str, ...]:
        if ip_version == 6:
            return "ipv6", "access-list", name
        return *self.syntax.ipv4_head, name

    def _lines(self, name: str, ip_version: Literal[4, 6], user: Section) -> tuple[ListLine, ...]:
        head = self._head(name, ip_version)
        section = self.text.section(*head)
        if section is None:
            raise user.refused(f"`{' '.join(head)}` is not in the text")
        self.used.add(" ".join(head))
        section.take()
        self.text.take_restart(head, section)
        found: dict[int, ListLine] = {}
        for child in section:
            if "remark" in child.words[:3]:
                continue
            line = self._line(child, ip_version, max(found, default=0))
            other = found.setdefault(line.sequence, line)
            if other is not line and other.section.words != child.words:
                raise child.refused(f"number {line.sequence} is also in line {other.section.line}")
        if not found:
            raise user.refused(f"`{' '.join(head)}` (line {section.line}) is empty: it would match everything")
        return tuple(found[each] for each in sorted(found))

    def _line(self, section: Section, ip_version: Literal[4, 6], last: int) -> ListLine:
        section.end()
        words = list(section.words)
        is_numbered = words[0].isdigit() or words[:1] == ["sequence"]
        sequence = last + STEP - last % STEP
        if words[0] == "sequence" and len(words) > 1:
            del words[0]
        if words[0].isdigit():
            sequence = number(words.pop(0), 1, HIGHEST_SEQUENCE, section.line, section.text, "sequence number")
        if words[:1] not in (["permit"], ["deny"]):
            raise section.refused("is neither permit nor deny")
        protocol = self.syntax.ipv4_protocol if ip_version == 4 else "ipv6"
        if words[1:2] != [protocol]:
            raise section.refused(f"only all of {protocol} is understood, no other protocol")
        rest = words[2:]
        source, rest = self._address(rest, ip_version, section)
        destination, rest = self._address(rest, ip_version, section)
        is_permit = words[0] == "permit"
        path = self._options(rest, ip_version, is_permit, section)
        if is_numbered and (path is not None or not rest):
            # Without a number, the line's place depends on the router's existing lines.
            section.take()
        return ListLine(sequence, is_permit, source, destination, path, section)

    def _address(self, words: list[str], ip_version: Literal[4, 6], section: Section) -> tuple[Network, list[str]]:
        if words[:1] == ["any"]:
            return ip_network("0.0.0.0/0" if ip_version == 4 else "::/0"), words[1:]
        if words[:1] == ["host"] and len(words) > 1:
            host = address(words[1], ip_version, section.line, section.text)
            return ip_network(host), words[2:]
        if words and "/" in words[0]:
            if ip_version == 4 and not self.syntax.ipv4_prefixes:
                raise section.refused(f"IPv4 lists of {self.text.syntax.platform} need wildcards, not prefix lengths")
            return network(words[0], ip_version, section.line, section.text), words[1:]
        if ip_version == 4 and len(words) > 1:
            return _wildcard(words[0], words[1], section), words[2:]
        raise section.refused("an address is missing or not understood")

    def _options(
        self, words: list[str], ip_version: Literal[4, 6], is_permit: bool, section: Section
    ) -> NextHop | None:
        if words == ["log"] or (words[:1] == ["counter"] and len(words) == 2):
            return None
        if words[:2] == ["nexthop1", f"ipv{ip_version}"] and len(words) == 3 and self.syntax.forwards:
            if not is_permit:
                raise section.refused("forwards what it denies")
            # ABF resolves the next hop in the routing table; the text needs nothing for it.
            return NextHop(address(words[2], ip_version, section.line, section.text), resolves=True)
        if words:
            raise section.refused(f"`{' '.join(words)}` is not understood at the end of a line")
        return None


def _wildcard(base: str, mask: str, section: Section) -> IPv4Network:
    start = address(base, 4, section.line, section.text)
    wild = address(mask, 4, section.line, section.text)
    assert isinstance(start, IPv4Address)  # noqa: S101 - for the type checker: the family is fixed
    length = 32 - int(wild).bit_length()
    if int(wild) != (1 << (32 - length)) - 1:
        raise section.refused(f"wildcard {mask} is not a prefix")
    if int(start) & int(wild):
        raise section.refused(f"{base} has bits set where {mask} ignores them")
    return IPv4Network((int(start), length))


def _unless_all(prefix: Network) -> tuple[Network, ...]:
    return () if prefix.prefixlen == 0 else (prefix,)
