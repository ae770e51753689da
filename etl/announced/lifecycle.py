"""Messages about transfers, merged to one announcement per transfer, in whatever order and however often they came."""

from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import replace

from hntes.etl.announced.source import Announcement

Key = tuple[str | int, ...]
# Of one 5-tuple with an alpha flow so many announcements are kept beyond the limit of a flood.
KEPT_PER_FLOW = 64


class Transfers:
    """The transfers of one source; at most `most` of them, and a few of each flow that NetFlow saw."""

    def __init__(self, most: int, is_seen: Callable[[Announcement], bool]) -> None:
        self._most, self._is_seen = most, is_seen
        self._found: dict[Key, Announcement] = {}
        self._kept: defaultdict[object, int] = defaultdict(int)
        self.over_limit = 0

    def add(self, one: Announcement) -> None:
        """One message's; what is over the limit is counted."""
        before = self._found.get(one.key)
        if before is not None:
            self._found[one.key] = _merged(before, one)
        elif len(self._found) < self._most or self._is_kept(one):
            self._found[one.key] = one
        else:
            self.over_limit += 1

    def all(self) -> list[Announcement]:
        """Sorted by key; messages of an end without a start are joined with the start that they end."""
        return _joined(self._found[key] for key in sorted(self._found, key=repr))

    def _is_kept(self, one: Announcement) -> bool:
        flow = (one.sources, one.destinations, one.ports)
        if self._kept[flow] >= KEPT_PER_FLOW or not self._is_seen(one):
            return False
        self._kept[flow] += 1
        return True


def _merged(one: Announcement, other: Announcement) -> Announcement:
    """Usage counts from the start on, so the largest of a transfer is its last."""
    return replace(
        one,
        start_ms=_least(one.start_ms, other.start_ms),
        end_ms=_most(one.end_ms, other.end_ms),
        sent_bytes=_most(one.sent_bytes, other.sent_bytes),
        received_bytes=_most(one.received_bytes, other.received_bytes),
    )


def _joined(found: Iterable[Announcement]) -> list[Announcement]:
    """An end belongs to the latest start of its flow before it, if that has no end of its own."""
    starts: defaultdict[tuple[object, ...], list[Announcement]] = defaultdict(list)
    ends: defaultdict[tuple[object, ...], list[Announcement]] = defaultdict(list)
    whole = []
    for one in found:
        if one.ports is None or (one.start_ms is not None and one.end_ms is not None):
            whole.append(one)
        else:
            flow = (one.sources, one.destinations, one.ports, one.experiment, one.activity)
            (ends if one.start_ms is None else starts)[flow].append(one)
    for each in {**starts, **ends}:
        whole += _of_flow(starts[each], ends[each])
    return whole


def _of_flow(starts: list[Announcement], ends: list[Announcement]) -> list[Announcement]:
    """In the order of time: each end closes the start before it."""
    found: list[Announcement] = []
    is_open = False
    for one in sorted([*starts, *ends], key=lambda each: (_moment(each), each.start_ms is None)):
        if one.start_ms is None and is_open:
            found[-1] = _merged(found[-1], one)
            is_open = False
        else:
            found.append(one)
            is_open = one.start_ms is not None
    return found


def _moment(one: Announcement) -> int:
    return (one.end_ms or 0) if one.start_ms is None else one.start_ms


def _least(one: int | None, other: int | None) -> int | None:
    return min((each for each in (one, other) if each is not None), default=None)


def _most(one: int | None, other: int | None) -> int | None:
    return max((each for each in (one, other) if each is not None), default=None)
