"""Ageing: the days on which prefix pairs are alive, for all days of a history at once.

- **Age** of a pair: the complete days after its last sighting. It is removed when its age exceeds the ageing interval.
  Days without complete data do not count; ageing is frozen on them.
- **Life**: an unbroken run of days on which the pair was young enough or pinned. A pair that returns after
  its removal starts a new life; its history stays.
- **Weak evidence**: a day on which all of a pair's flows were borderline starts no life by itself. The next sighting
  does, weak or not, if the pair was still young; within a life, weak days count like others
  (docs/decisions/0017-evidence-and-hysteresis.md).
- **Implausible flows**, above the rate of their port, start no life, however often they are seen; within one they keep
  the pair young, so that forged flows do not remove a rule either.
- **Pins** keep a pair at any age, also one that was never seen.

Whether a day counts depends on earlier days alone, and a day keeps a pair alive through a day that depends on later
complete days alone. So one pass over the history serves all evenings: nightly rules ask for one, a back-test for all.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hntes.rules.columns import FOREVER, Mask, Spans, Whole, whole
from hntes.rules.lifetime.history import PairHistory
from hntes.sql.entries import PinEntry, WeakEvidence


@dataclass(frozen=True)
class Lives:
    """Spans of days on which pairs are alive, which may overlap. The other columns have one row per day of the history.

    `pinned` are the spans of pins alone. On days of `waiting` another sighting would make a rule of weak evidence.
    `counts`: whether the day is evidence of a rule. `until`: the last day on which it keeps a pair young.
    """

    alive: Spans
    pinned: Spans
    waiting: Spans
    counts: Mask
    until: Whole


def lives(
    history: PairHistory,
    pins: Sequence[PinEntry],
    pair_of_pin: Whole,
    complete: Whole,
    *,
    ageing_days: int,
    weak_evidence: WeakEvidence,
) -> Lives:
    """The lives of all pairs.

    Args:
        history: All days.
        pins: Those of the router.
        pair_of_pin: The row of each pin's pair.
        complete: The complete days, rising.
        ageing_days: The complete days after which a pair is removed.
        weak_evidence: The treatment of a day of borderline flows.
    """
    until = _last_young_days(history.day, complete, ageing_days)
    counts = _counting(history, until, weak_evidence)
    passed_over = ~counts & ~history.is_implausible
    if weak_evidence != "second_sighting":
        passed_over = np.zeros(len(history), dtype=np.bool_)
    pinned = pin_spans(pins, pair_of_pin)
    seen, waiting = (
        Spans(history.pair[rows], history.day[rows], until[rows]) for rows in (counts, passed_over)
    )  # fmt: skip
    return Lives(seen.followed_by(pinned), pinned, waiting, counts, until)


def pin_spans(pins: Sequence[PinEntry], pair_of_pin: Whole) -> Spans:
    """The days on which pins are active."""
    ends = []
    for pin in pins:
        last = [FOREVER]
        if pin.expires_day is not None:
            last.append(pin.expires_day.toordinal())
        if pin.withdrawn_day is not None:
            last.append(pin.withdrawn_day.toordinal() - 1)
        ends.append(min(last))
    until, from_day = whole(ends), whole([pin.from_day.toordinal() for pin in pins])
    held = from_day <= until
    return Spans(pair_of_pin[held], from_day[held], until[held])


def _last_young_days(day: Whole, complete: Whole, ageing_days: int) -> Whole:
    """The last day on which a pair seen on that day and never again is not aged out."""
    first_too_old = np.searchsorted(complete, day, side="right") + ageing_days
    is_known = first_too_old < len(complete)
    until = np.full(len(day), FOREVER, dtype=np.int64)
    until[is_known] = complete[first_too_old[is_known]] - 1
    return until


def _counting(history: PairHistory, until: Whole, weak_evidence: WeakEvidence) -> Mask:
    """The days that count. Pairs with implausible days are processed one by one, which is slow; they are few."""
    is_weak = history.is_weak if weak_evidence != "accept" else np.zeros_like(history.is_weak)
    counts = ~history.is_implausible & ~is_weak
    if weak_evidence == "second_sighting" and len(history):
        is_second = (history.pair[1:] == history.pair[:-1]) & (history.day[1:] <= until[:-1])
        counts[1:] |= is_weak[1:] & is_second
    for pair in np.unique(history.pair[history.is_implausible]).tolist():
        first, end = np.searchsorted(history.pair, [pair, pair + 1])
        rows = slice(int(first), int(end))
        counts[rows] = _followed(
            history.day[rows], history.is_implausible[rows], is_weak[rows], until[rows], weak_evidence
        )
    return counts


def _followed(day: Whole, is_implausible: Mask, is_weak: Mask, until: Whole, weak_evidence: WeakEvidence) -> list[bool]:
    """The days of one pair that count, in order."""
    counts = []
    young_until = life_until = -1
    columns = (day, is_implausible, is_weak, until)
    for seen, implausible, weak, last in zip(*(column.tolist() for column in columns), strict=True):
        if implausible:
            counted = seen <= life_until
        else:
            counted = not weak or (weak_evidence == "second_sighting" and seen <= young_until)
        counts.append(counted)
        if counted or not implausible:
            young_until = last
        if counted:
            life_until = last
    return counts
