"""The FlowSpec table of a speaker, divided into rules of this installation and foreign ones, which are not touched."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from hntes.delivery.flowspec.nlri import Community, WireError, attributes, communities_of, nlri, pair_of, rule_of
from hntes.delivery.flowspec.path import Change, Path
from hntes.delivery.flowspec.rule import FlowSpecRule
from hntes.rules.pairs import PrefixPair


class Speaker(Protocol):
    """A BGP speaker; see `delivery.flowspec.gobgp.GoBgp`."""

    def held(self, ip_version: int) -> list[Path]: ...
    def sent(self, ip_version: int, neighbor: str) -> list[Path]: ...
    def has_session(self, neighbor: str) -> bool: ...
    def change(self, changes: Sequence[Change]) -> None: ...
    def close(self) -> None: ...


@dataclass(frozen=True)
class SpeakerTable:
    """The content of one table of a speaker.

    `own`: local rules with this installation's community, in the form that HNTES announces. `unlike`: such paths in
    another form, with the difference. `taken`: pairs of local foreign rules, which an announcement would replace.
    `others`: the number of other paths.
    """

    own: frozenset[FlowSpecRule]
    unlike: tuple[str, ...]
    taken: frozenset[PrefixPair]
    others: int
    own_paths: tuple[Path, ...]

    def changes_to(self, wanted: frozenset[FlowSpecRule]) -> tuple[frozenset[FlowSpecRule], frozenset[FlowSpecRule]]:
        """The rules to withdraw, and those to announce."""
        return self.own - wanted, wanted - self.own


def held_by(speaker: Speaker, community: Community) -> SpeakerTable:
    """The content of the speaker's table."""
    return judged([path for version in (4, 6) for path in speaker.held(version)], community)


def sent_by(speaker: Speaker, community: Community, neighbor: str) -> SpeakerTable:
    """The paths sent to a neighbor."""
    return judged([path for version in (4, 6) for path in speaker.sent(version, neighbor)], community)


def judged(paths: Sequence[Path], community: Community) -> SpeakerTable:
    """Classifies each path by its encoding."""
    own: set[FlowSpecRule] = set()
    taken: set[PrefixPair] = set()
    unlike, own_paths = [], []
    others = 0
    for path in paths:
        if not _is_own(path, community):
            others += 1
            taken |= _taken(path)
            continue
        own_paths.append(path)
        try:
            own.add(rule_of(path.ip_version, path.nlri, path.attributes, community))
        except WireError as problem:
            unlike.append(f"{problem} (rule {path.nlri.hex()})")
    return SpeakerTable(frozenset(own), tuple(unlike), frozenset(taken), others, tuple(own_paths))


def announced(rule: FlowSpecRule, community: Community) -> Change:
    return Change(rule.ip_version, nlri(rule.pair), tuple(attributes(rule, community)))


def withdrawn(rule: FlowSpecRule) -> Change:
    return Change(rule.ip_version, nlri(rule.pair))


def path_withdrawn(path: Path) -> Change:
    """The withdrawal of a path, whatever its content."""
    return Change(path.ip_version, path.nlri)


def _is_own(path: Path, community: Community) -> bool:
    try:
        return path.is_local and community in communities_of(path.attributes)
    except WireError:
        return False


def _taken(path: Path) -> set[PrefixPair]:
    """The pairs of a foreign local path; paths of neighbors are separate and would not be replaced."""
    try:
        return {pair_of(path.ip_version, path.nlri)} if path.is_local else set()
    except WireError:
        return set()
