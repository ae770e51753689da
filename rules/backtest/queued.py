"""The rows of past traffic that a set of prefix pairs would have put into the alpha queue: the core of back-tests.

docs/decisions/0021-replay.md defines what counts on which day.
"""

from dataclasses import dataclass

import numpy as np

from hntes.rules.backtest.traffic import Traffic
from hntes.rules.columns import Mask, PairColumns, Spans, Whole
from hntes.rules.matching import Matches, matches

# More than any ordinal of a day, so that hosts and day make one sortable number.
_DAYS = 1 << 22


@dataclass(frozen=True)
class Queued:
    """The rows of alpha flows and beta bytes that would have been in the alpha queue."""

    alpha: Mask
    beta: Mask


def queued(traffic: Traffic, pairs: PairColumns, spans: Spans) -> Queued:
    """The rows of traffic between hosts of some pair on a day of its spans; one in several pairs is queued once."""
    days = _QueuedDays(matches(traffic.hosts, pairs), spans, len(pairs))
    return Queued(
        days.include(traffic.alpha.hosts, traffic.alpha.day),
        days.include(traffic.beta.hosts, traffic.beta.day),
    )


def always(pairs: PairColumns) -> Spans:
    """All pairs on every day."""
    count = len(pairs)
    return Spans(np.arange(count), np.zeros(count, np.int64), np.full(count, _DAYS - 1, np.int64))


class _QueuedDays:
    """The days on which the traffic of each pair of hosts is in the queue."""

    def __init__(self, found: Matches, spans: Spans, pairs: int) -> None:
        order = np.argsort(spans.pair, kind="stable")
        first = np.searchsorted(spans.pair[order], np.arange(pairs + 1))
        # each match is repeated for each span of its pair
        counts = first[found.pair + 1] - first[found.pair]
        hosts = np.repeat(found.hosts, counts)
        begun = np.repeat(np.cumsum(counts) - counts, counts)
        chosen = order[np.repeat(first[found.pair], counts) + np.arange(len(hosts)) - begun]
        begins = hosts * _DAYS + spans.from_day[chosen]
        by_begin = np.argsort(begins, kind="stable")
        self._begins = begins[by_begin]
        # The farthest end so far: ends of earlier hosts lie below every day of the present ones.
        self._reach = np.maximum.accumulate((hosts * _DAYS + spans.until_day[chosen])[by_begin])

    def include(self, hosts: Whole, day: Whole) -> Mask:
        """Whether a day is among them, for each row of hosts and days."""
        asked = hosts * _DAYS + day
        place = np.searchsorted(self._begins, asked, side="right") - 1
        found = place >= 0
        found[found] = self._reach[place[found]] >= asked[found]
        return found
