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

The compiled module follows the days of all pairs in their order: nightly rules ask for one evening, a back-test for
all.
"""

from collections.abc import Sequence
from datetime import date
from typing import NamedTuple

import numpy as np

from hntes._native import Evidence
from hntes.rules.columns import FOREVER, Mask, Spans, Whole, whole
from hntes.rules.lifetime.history import PairHistory
from hntes.sql.entries import PinEntry, WeakEvidence


class Facts(NamedTuple):
    """What days of pairs add up to, a column each; 0 for pairs that have none.

    `complete_days` are those through the last day. `recent_bytes` are of the ageing interval.
    """

    first_day: Whole
    last_day: Whole
    complete_days: Whole
    days: Whole
    weak_days: Whole
    flows: Whole
    bytes: Whole
    recent_bytes: Whole
    peak_bytes: Whole
    last_peak_bytes: Whole


class Ageing:
    """Follows the pairs of a router evening after evening; pairs are named by their rows."""

    def __init__(
        self, history: PairHistory, complete: Whole, *, ageing_days: int, weak_evidence: WeakEvidence
    ) -> None:  # fmt: skip
        """See `lifetime.evenings.RuleInputs` and `Policy`."""
        self._evidence = Evidence(history.days, len(history.pairs), complete.tolist(), ageing_days, weak_evidence)

    def advance(self, evening: date) -> tuple[Mask, Mask]:
        """To that evening, later than the one before.

        Returns the pairs that are young enough, and those of which another sighting on weak evidence would make a rule.
        """
        young, waiting = self._evidence.advance(evening.toordinal())
        return np.frombuffer(young, np.bool_), np.frombuffer(waiting, np.bool_)

    def counted(self, rows: Whole) -> Facts:
        """The days of some pairs that count."""
        return self._facts(rows, are_counted=True)

    def passed_over(self, rows: Whole) -> Facts:
        """Their days of weak evidence that do not."""
        return self._facts(rows, are_counted=False)

    def lives(self) -> Spans:
        """The lives of all pairs, whatever pins hold, in the order in which they began."""
        pair, since, until = np.frombuffer(self._evidence.lives(), np.int64).reshape(3, -1)
        return Spans(pair, since, np.minimum(until, FOREVER))

    def _facts(self, rows: Whole, *, are_counted: bool) -> Facts:
        content = self._evidence.facts(rows.tobytes(), are_counted)
        return Facts(*np.frombuffer(content, np.int64).reshape(len(Facts._fields), -1))


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
