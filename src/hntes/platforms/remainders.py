"""Shares of queues that have what the others of their port leave."""

from collections.abc import Sequence
from dataclasses import replace
from math import ceil

from hntes.platforms.effective import Buffer, Port, Queue


def with_queues(port: Port, added: tuple[Queue, ...]) -> Port:
    """A port with more queues: those that have what is left get less."""
    if not added:
        return port
    queues = sorted([*port.queues, *added], key=lambda each: each.numbers)
    return replace(port, queues=filled(queues))


def filled(queues: Sequence[Queue]) -> tuple[Queue, ...]:
    """The queues with what the others leave: of the rate in equal parts, of the buffer in proportion to the rates."""
    rate = _left([each.share_pct for each in queues if not each.is_rest])
    takers = sum(each.is_rest for each in queues)
    rated = [replace(each, share_pct=rate // takers) if each.is_rest else each for each in queues]
    buffer = _left([_stated_pct(each) for each in rated])
    weights = sum(max(1, each.share_pct) for each in rated if _is_rest(each))
    return tuple(
        replace(each, buffer=Buffer(buffer * max(1, each.share_pct) // weights, "pct", is_rest=True))
        if _is_rest(each)
        else each
        for each in rated
    )


def _left(shares_pct: Sequence[int]) -> int:
    return max(0, 100 - sum(shares_pct))


def _is_rest(queue: Queue) -> bool:
    return queue.buffer is not None and queue.buffer.is_rest


def _stated_pct(queue: Queue) -> int:
    """Per cents of the buffer; a fraction counts as a whole one, so that no more is given away than is left."""
    buffer = queue.buffer
    return ceil(buffer.amount) if buffer is not None and buffer.unit == "pct" and not buffer.is_rest else 0
