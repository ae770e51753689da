"""The core of every replay: which rows of past traffic would have been in the alpha queue.

docs/decisions/0021-replay.md says what counts, and on which day.
"""

from dataclasses import dataclass

import numpy as np

from hntes.rules.backtest.columns import Mask, Spans, Terms, Traffic, Whole
from hntes.rules.backtest.matching import Matches, matches

# More than any ordinal of a day, so that hosts and day make one sortable number.
_DAYS = 1 << 22


@dataclass(frozen=True)
class Queued:
    """Which rows of a traffic's alpha flows and beta bytes would have been in the alpha queue."""

    alpha: Mask
    beta: Mask


def queued(traffic: Traffic, terms: Terms, spans: Spans) -> Queued:
    """The rows of traffic that some term holds on the row's day; a row under several terms is in the queue once."""
    held = _Held(matches(traffic.hosts, terms), spans, len(terms))
    return Queued(
        held.holds(traffic.alpha.hosts, traffic.alpha.day),
        held.holds(traffic.beta.hosts, traffic.beta.day),
    )


def always(terms: Terms) -> Spans:
    """All terms on every day."""
    count = len(terms)
    return Spans(np.arange(count), np.zeros(count, np.int64), np.full(count, _DAYS - 1, np.int64))


class _Held:
    """On which days each pair of hosts is held by some term."""

    def __init__(self, found: Matches, spans: Spans, terms: int) -> None:
        order = np.argsort(spans.term, kind="stable")
        first = np.searchsorted(spans.term[order], np.arange(terms + 1))
        # each match is repeated for each span of its term
        counts = first[found.term + 1] - first[found.term]
        hosts = np.repeat(found.hosts, counts)
        begun = np.repeat(np.cumsum(counts) - counts, counts)
        chosen = order[np.repeat(first[found.term], counts) + np.arange(len(hosts)) - begun]
        begins = hosts * _DAYS + spans.from_day[chosen]
        by_begin = np.argsort(begins, kind="stable")
        self._begins = begins[by_begin]
        # The farthest end so far: ends of earlier hosts lie below every day of the present ones.
        self._reach = np.maximum.accumulate((hosts * _DAYS + spans.until_day[chosen])[by_begin])

    def holds(self, hosts: Whole, day: Whole) -> Mask:
        asked = hosts * _DAYS + day
        place = np.searchsorted(self._begins, asked, side="right") - 1
        found = place >= 0
        found[found] = self._reach[place[found]] >= asked[found]
        return found
