"""A BGP speaker in memory, which can be cut, hold rules back and be told rules by others."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from hntes.delivery.flowspec.nlri import Community
from hntes.delivery.flowspec.path import Change, Path
from hntes.delivery.flowspec.rib import announced
from hntes.delivery.flowspec.rule import FlowSpecRule
from hntes.platforms.device_errors import UnclearError


@dataclass
class MemorySpeaker:
    """It has one neighbor.

    `fails_after`: so many further changes are done, then the connection is lost. `held_back`: what no neighbor gets.
    """

    table: dict[tuple[int, bytes], Path] = field(default_factory=dict)
    heard: list[Path] = field(default_factory=list)
    neighbor: str = "192.0.2.1"
    is_up: bool = True
    fails_after: int | None = None
    held_back: set[bytes] = field(default_factory=set)
    requests: list[Sequence[Change]] = field(default_factory=list)

    def told(self, rules: Sequence[FlowSpecRule], community: Community) -> None:
        """By whoever, without a trace among the requests."""
        self._done([announced(rule, community) for rule in rules])

    def held(self, ip_version: int) -> list[Path]:
        return [path for path in (*self.table.values(), *self.heard) if path.ip_version == ip_version]

    def sent(self, ip_version: int, neighbor: str) -> list[Path]:
        is_sent = self.has_session(neighbor)
        return [path for path in self.held(ip_version) if is_sent and path.nlri not in self.held_back]

    def has_session(self, neighbor: str) -> bool:
        assert neighbor == self.neighbor
        return self.is_up

    def change(self, changes: Sequence[Change]) -> None:
        self.requests.append(changes)
        if self.fails_after is not None and self.fails_after < len(changes):
            self._done(changes[: self.fails_after])
            raise UnclearError("the speaker went away")
        self._done(changes)

    def close(self) -> None:
        """Nothing is open."""

    def _done(self, changes: Sequence[Change]) -> None:
        for each in changes:
            self.table.pop((each.ip_version, each.nlri), None)
            if each.attributes:
                path = Path(each.ip_version, each.nlri, each.attributes, is_local=True)
                self.table[each.ip_version, each.nlri] = path
