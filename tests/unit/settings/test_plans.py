"""Plans as an operator writes them: which kinds may mark packets, and where marking begins."""

import pytest
from pydantic import TypeAdapter, ValidationError

from settings.plans import Plan

READ: TypeAdapter[Plan] = TypeAdapter(Plan)
UNMARKED = {
    "single_queue": "beta would be marked",
    "scavenger_policer": "would not be marked",
    "wred_policer": "what this kind is for",
    "three_color_marker": "what this kind is for",
}


@pytest.mark.parametrize("kind", UNMARKED)
def test_a_kind_that_cannot_mark_says_why_and_what_to_do(kind: str) -> None:
    with pytest.raises(ValidationError, match=f"alpha_ecn: .*{UNMARKED[kind]}.*; use kind two_queue") as caught:
        READ.validate_python({"kind": kind, "alpha_ecn": True})
    assert caught.value.error_count() == 1
    assert READ.validate_python({"kind": kind, "alpha_ecn": False}).kind == kind


@pytest.mark.parametrize("level", [0, 100, True, 12.5])
def test_marking_begins_between_an_empty_and_a_full_queue(level: object) -> None:
    with pytest.raises(ValidationError, match="alpha_ecn_from_pct"):
        READ.validate_python({"kind": "two_queue", "alpha_ecn": True, "alpha_ecn_from_pct": level})


def test_marks_are_off_unless_asked_for() -> None:
    assert not READ.validate_python({"kind": "two_queue"}).alpha_ecn
