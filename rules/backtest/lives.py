"""On which evenings each term is alive: the columns' form of rules/lifetime/rule_set.py, which has the definitions.

Whether a sighting counts depends on earlier days alone, and a sighting keeps a pair alive through a day that depends on
later complete days alone. So one pass over the history serves all evenings.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

import numpy as np

from hntes.rules.backtest.columns import Mask, Spans, Whole
from hntes.rules.backtest.known_pairs import PairDays
from hntes.sql.entries import PinEntry, WeakEvidence

FOREVER = date.max.toordinal()


@dataclass(frozen=True)
class Lives:
    """Runs of evenings on which terms are alive (they may overlap), and which rows of the pair days count."""

    runs: Spans
    pins: Spans
    counts: Mask


def lives(
    seen: PairDays,
    of_pins: Whole,
    pins: Sequence[PinEntry],
    complete: Whole,
    *,
    ageing_days: int,
    weak_evidence: WeakEvidence,
) -> Lives:
    """The lives of all terms.

    Args:
        seen: The days of terms, by term and day.
        of_pins: The term of each pin.
        pins: Those of the router.
        complete: The complete days, rising.
        ageing_days: The complete days after which a pair goes.
        weak_evidence: What a day of borderline flows counts for.
    """
    until = _last_alive(seen.day, complete, ageing_days)
    counts = _counting(seen, until, weak_evidence)
    pinned = _pin_spans(of_pins, pins)
    runs = Spans(
        np.concatenate([seen.term[counts], pinned.term]),
        np.concatenate([seen.day[counts], pinned.from_day]),
        np.concatenate([until[counts], pinned.until_day]),
    )
    return Lives(runs, pinned, counts)


def _last_alive(day: Whole, complete: Whole, ageing_days: int) -> Whole:
    """The last day on which a pair seen on that day and never again is not aged out."""
    first_too_old = np.searchsorted(complete, day, side="right") + ageing_days
    known = first_too_old < len(complete)
    until = np.full(len(day), FOREVER, dtype=np.int64)
    until[known] = complete[first_too_old[known]] - 1
    return until


def _counting(seen: PairDays, until: Whole, weak_evidence: WeakEvidence) -> Mask:
    """Most pairs have firm days alone, which all count; the others are followed day by day."""
    doubtful = seen.implausible | (seen.weak & (weak_evidence != "accept"))
    counts = ~doubtful
    for term in np.unique(seen.term[doubtful]).tolist():
        first, last = np.searchsorted(seen.term, [term, term + 1])
        rows = range(int(first), int(last))
        _follow(rows, seen, until, weak_evidence, counts)
    return counts


def _follow(rows: range, seen: PairDays, until: Whole, weak_evidence: WeakEvidence, counts: Mask) -> None:
    """Settles which days of one term count, in their order."""
    young_until, life_until = -1, -1
    for row in rows:
        day = seen.day[row]
        if seen.implausible[row]:
            counts[row] = day <= life_until
            if not counts[row]:
                continue
        elif seen.weak[row] and weak_evidence != "accept":
            counts[row] = weak_evidence == "second_sighting" and day <= young_until
        young_until = until[row]
        if counts[row]:
            life_until = until[row]


def _pin_spans(of_pins: Whole, pins: Sequence[PinEntry]) -> Spans:
    ends = []
    for pin in pins:
        last = [FOREVER]
        if pin.expires_day is not None:
            last.append(pin.expires_day.toordinal())
        if pin.withdrawn_day is not None:
            last.append(pin.withdrawn_day.toordinal() - 1)
        ends.append(min(last))
    until = np.array(ends, dtype=np.int64)
    from_day = np.array([pin.from_day.toordinal() for pin in pins], dtype=np.int64)
    held = from_day <= until
    return Spans(of_pins[held], from_day[held], until[held])
