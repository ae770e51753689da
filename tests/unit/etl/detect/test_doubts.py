"""Other routers' and other outcomes' records do not enter the words on a day."""

from hntes.etl.detect.doubts import doubt_notes, sampling_shortcoming
from hntes.sql.entries import OutcomeCount


def counts(**records: int) -> list[OutcomeCount]:
    return [OutcomeCount("r1", name.replace("__", ":"), n, 0) for name, n in records.items()]


def test_nothing_is_said_of_a_day_without_doubts() -> None:
    plain = counts(kept=10, set_aside__no_time=5, noted__days_old=3)
    assert (doubt_notes(plain), sampling_shortcoming(plain)) == ([], None)
    assert (doubt_notes([]), sampling_shortcoming([])) == ([], None)


def test_repairs_and_notes_are_about_kept_records_and_count_once() -> None:
    assert sampling_shortcoming(counts(kept=98, repaired__x=1000, set_aside__sampling_changed=1)) is not None
    assert sampling_shortcoming(counts(kept=99, repaired__x=1000, set_aside__sampling_changed=1)) is None
