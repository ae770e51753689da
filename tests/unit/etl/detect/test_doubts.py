"""Other routers' and other outcomes' records do not enter the words on a day."""

from hntes.etl.detect.doubts import doubt_notes
from hntes.sql.entries import OutcomeCount


def counts(**records: int) -> list[OutcomeCount]:
    return [OutcomeCount("r1", name.replace("__", ":"), n, 0) for name, n in records.items()]


def test_nothing_is_said_of_a_day_without_doubts() -> None:
    assert doubt_notes(counts(kept=10, set_aside__no_time=5, noted__days_old=3)) == []
    assert doubt_notes([]) == []
