"""What a speaker holds, judged by who announced it: rules of this installation, and all else, which is left alone."""

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
class Held:
    """What one table of a speaker holds.

    `own`: rules that the speaker was told itself, with this installation's community, as they are announced here.
    `unlike`: such ones that do more or less than a rule here does, with what is wrong. `taken`: pairs of rules that
    somebody else told it; to announce one of these pairs would replace theirs. `others`: how many paths are neither.
    """

    own: frozenset[FlowSpecRule]
    unlike: tuple[str, ...]
    taken: frozenset[PrefixPair]
    others: int
    own_paths: tuple[Path, ...]

    def changes_to(self, wanted: frozenset[FlowSpecRule]) -> tuple[frozenset[FlowSpecRule], frozenset[FlowSpecRule]]:
        """The rules that leave, and those that come."""
        return self.own - wanted, wanted - self.own


def held_by(speaker: Speaker, community: Community) -> Held:
    """Of the speaker's table."""
    return judged([path for version in (4, 6) for path in speaker.held(version)], community)


def sent_by(speaker: Speaker, community: Community, neighbor: str) -> Held:
    """Of what a neighbor is sent."""
    return judged([path for version in (4, 6) for path in speaker.sent(version, neighbor)], community)


def judged(paths: Sequence[Path], community: Community) -> Held:
    """Each path by its own octets; none is left out."""
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
    return Held(frozenset(own), tuple(unlike), frozenset(taken), others, tuple(own_paths))


def announced(rule: FlowSpecRule, community: Community) -> Change:
    return Change(rule.ip_version, nlri(rule.pair), tuple(attributes(rule, community)))


def withdrawn(rule: FlowSpecRule) -> Change:
    return Change(rule.ip_version, nlri(rule.pair))


def path_withdrawn(path: Path) -> Change:
    """Whatever the path says."""
    return Change(path.ip_version, path.nlri)


def _is_own(path: Path, community: Community) -> bool:
    try:
        return path.is_local and community in communities_of(path.attributes)
    except WireError:
        return False


def _taken(path: Path) -> set[PrefixPair]:
    """What a neighbor announced has a path of its own, and is not replaced."""
    try:
        return {pair_of(path.ip_version, path.nlri)} if path.is_local else set()
    except WireError:
        return set()
