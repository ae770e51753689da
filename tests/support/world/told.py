"""What a log tells, counted, so that each thing that was said is looked up at once."""

from collections import Counter
from collections.abc import Iterable
from itertools import product

from hntes.sql.entries import AuditEventEntry
from tests.support.world.ledger import Said


class Told:
    """How many events have all that a `Said` names; what it leaves open may be anything."""

    def __init__(self) -> None:
        self._counted: Counter[Said] = Counter()

    def add(self, events: Iterable[AuditEventEntry]) -> None:
        for each in events:
            known = (each.candidate_hash, each.who, each.outcome or None)
            for named in {*product(*((None, value) for value in known))}:
                self._counted[Said(each.kind, each.router, *named)] += 1

    def times(self, said: Said) -> int:
        return self._counted[said]
