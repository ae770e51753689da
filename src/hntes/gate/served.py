"""A port's queues as the router's hardware serves them, in the ranks and shares that the simulator has.

The simulator's ranks hold within a queue's share. Where a level is served before all below it whatever they are
guaranteed, a queue with traffic has the share that it may take, and those below it the least that there is.
"""

from collections.abc import Collection
from dataclasses import replace

from hntes.platforms.effective import Port, Queue
from hntes.platforms.hardware import Ranking
from hntes.settings.terms import Priority

_SIMULATED: tuple[Priority, ...] = ("high", "medium-high", "medium-low", "low")
# What the gate gives a queue that a level above starves, in per cent of the link.
STARVED_PCT = 1


def as_served(port: Port, judged: Collection[int]) -> Port:
    """The port with priorities and shares that the simulator serves as its hardware does.

    Args:
        port: As it was read back; unchanged where the hardware is not known, or ranks nothing.
        judged: The numbers of the queues that have traffic in runs.
    """
    if port.ranking is None or not port.queues:
        return port
    if not port.ranking.is_strict:
        return replace(port, queues=tuple(_merged(each, port.ranking) for each in port.queues))
    taking = {id(port.queue_of(number)) for number in judged}
    levels = [(_place(each, port.ranking), each) for each in port.queues]
    shares = _strict_shares(levels, taking, len(port.ranking.levels) - 1)
    present = sorted({place for place, _ in levels})
    return replace(
        port,
        queues=tuple(
            replace(each, share_pct=shares[id(each)], priority=_word(present.index(place), len(present)))
            for place, each in levels
        ),
    )


def _merged(queue: Queue, ranking: Ranking) -> Queue:
    """A queue with the lowest of the priorities that are served alike; strict-high has no share to hold within."""
    if queue.priority is None or queue.priority == "strict-high":
        return queue
    place = ranking.level_of(queue.priority)
    return queue if place is None else replace(queue, priority=ranking.levels[place][-1])


def _place(queue: Queue, ranking: Ranking) -> int:
    """The level; one that the hardware does not have is served last, and is a finding on the text."""
    place = None if queue.priority is None else ranking.level_of(queue.priority)
    return len(ranking.levels) - 1 if place is None else place


def _word(place: int, levels: int) -> Priority:
    """More levels than the simulator has are the first of its own."""
    return _SIMULATED[max(0, place + len(_SIMULATED) - levels)]


def _strict_shares(levels: list[tuple[int, Queue]], taking: set[int], last: int) -> dict[int, int]:
    """Queue -> what it may take, in per cent: of what the levels above leave, in the hardware's last by weight."""
    found: dict[int, int] = {}
    left = 100
    for level in sorted({place for place, _ in levels}):
        queues = [each for place, each in levels if place == level]
        below = STARVED_PCT * sum(place > level for place, _ in levels)
        given = _by_weight(queues, left) if level == last else _in_turn(queues, left - below, taking)
        left -= sum(given.values())
        found |= given
    return found


def _in_turn(queues: list[Queue], left: int, taking: set[int]) -> dict[int, int]:
    """Queues of one level that preempts: those with traffic and without a limit share all that is left equally."""
    open_ended = [each for each in queues if id(each) in taking and each.limit_pct is None]
    given = {
        id(each): max(STARVED_PCT, min(left, each.share_pct if each.limit_pct is None else each.limit_pct))
        for each in queues
        if each not in open_ended
    }
    rest = left - sum(given.values())
    return given | {id(each): max(STARVED_PCT, rest // len(open_ended)) for each in open_ended}


def _by_weight(queues: list[Queue], left: int) -> dict[int, int]:
    """Queues of the last level: as guaranteed, or their parts of what is left where that is less."""
    stated = sum(each.share_pct for each in queues)
    if stated <= left:
        return {id(each): each.share_pct for each in queues}
    return {id(each): max(STARVED_PCT, each.share_pct * left // stated) for each in queues}
