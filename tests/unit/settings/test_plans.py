"""Plans as an operator writes them: which kinds may mark packets, and where marking begins."""

import pytest
from pydantic import TypeAdapter, ValidationError

from hntes.settings.plans import Plan

READ: TypeAdapter[Plan] = TypeAdapter(Plan)
UNMARKED = {
    "single_queue": "beta would be marked",
    "scavenger_policer": "would not be marked",
    "wred_policer": "this kind exists to drop",
    "three_color_marker": "this kind exists to drop",
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


PREMIUM = {"kind": "two_queue", "alpha_share_pct": 35, "beta_share_pct": 20, "premium_share_pct": 40}
REFUSED_PREMIUM = [
    ({"kind": "two_queue", "premium_cap_pct": 20}, "premium_cap_pct has no effect without premium_share_pct"),
    ({"kind": "two_queue", "premium_excess": "discard"}, "premium_excess has no effect without premium_share_pct"),
    ({**PREMIUM, "premium_cap_pct": 40}, "premium_cap_pct 40 is not below premium_share_pct 40"),
    ({**PREMIUM, "premium_cap_pct": 99}, "premium_cap_pct"),
    ({**PREMIUM, "premium_buffer_pct": 41}, "premium_buffer_pct 41 is above premium_share_pct 40"),
    ({**PREMIUM, "premium_excess": "drop"}, "premium_excess"),
    ({**PREMIUM, "alpha_share_pct": 36}, "shares add up to 101%, more than the link: .* premium 40"),
    ({**PREMIUM, "kind": "wred_policer"}, "premium_share_pct"),
]


@pytest.mark.parametrize(("plan", "problem"), REFUSED_PREMIUM)
def test_a_premium_class_that_cannot_be_is_refused(plan: dict[str, object], problem: str) -> None:
    with pytest.raises(ValidationError, match=problem):
        READ.validate_python(plan)


def test_a_premium_class_is_off_unless_it_has_a_share() -> None:
    assert "premium" not in READ.validate_python({"kind": "two_queue"}).shares_pct()
    assert READ.validate_python(PREMIUM).shares_pct()["premium"] == 40
    assert READ.validate_python({**PREMIUM, "premium_cap_pct": 39})
