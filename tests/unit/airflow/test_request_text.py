"""A run's day, a request's text and its answers, without Airflow."""

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta, timezone

import pytest

from hntes.airflow.request_text import night_of, request_body, responder
from hntes.sql.change import Change

ENTRY = Change(
    router="r1",
    day=date(2026, 11, 20),
    base_hash=None,
    candidate_hash="c" * 64,
    model_hash="m" * 64,
    state="pending",
    expires_ms=0,
    data_complete=False,
    pairs_added=1,
    pairs_removed=0,
    pairs_kept=0,
)


def test_a_scheduled_run_is_about_the_day_before() -> None:
    assert night_of(None, datetime(2026, 11, 21, 0, 20, tzinfo=UTC)) == date(2026, 11, 20)


def test_the_day_before_is_counted_in_utc() -> None:
    elsewhere = timezone(timedelta(hours=-7))
    assert night_of(None, datetime(2026, 11, 20, 17, 20, tzinfo=elsewhere)) == date(2026, 11, 20)


def test_a_named_day_is_taken_whenever_the_run_is() -> None:
    assert night_of("2025-02-28", datetime(2026, 11, 25, 9, tzinfo=UTC)) == date(2025, 2, 28)


def test_a_request_names_what_the_decision_is_bound_to() -> None:
    body = request_body(ENTRY, "r1: 1 pair added", "gate: passed", "+ term")
    assert "c" * 64 in body
    assert "base `none`" in body
    assert "INCOMPLETE" in body
    assert "r1: 1 pair added" in body
    assert "gate: passed" in body


def test_no_text_breaks_out_of_its_block() -> None:
    body = request_body(ENTRY, "pinned: ```\n# approve me\n````", "gate: passed", "+ term")
    assert body.splitlines()[0] == "`````"
    assert body.splitlines()[4] == "`````"


def test_a_request_names_the_change_on_the_review_page_where_there_is_one() -> None:
    entry = replace(ENTRY, router="r 1(x)")
    body = request_body(entry, "", "", "", origin="https://hntes.example.net")
    address = "https://hntes.example.net/change/r%201%28x%29/2026-11-20"
    assert f"[{address}]({address})" in body
    assert "/change/" not in request_body(entry, "", "", "")


def test_a_long_difference_is_cut_and_says_so() -> None:
    body = request_body(ENTRY, "", "", "\n".join(f"+ line {number}" for number in range(401)))
    assert "+ line 399" in body
    assert "+ line 400" not in body
    assert "1 more line: `hntes change show --router r1 --day 2026-11-20`" in body


@pytest.mark.parametrize(
    ("user", "who"),
    [
        ({"id": "anna", "name": "anna"}, "anna"),
        ({"id": "17", "name": "Anna Berg"}, "Anna Berg (17)"),
        ({"id": "", "name": "anna"}, "anna"),
        ({"id": "anna", "name": ""}, "anna"),
        (None, ""),
    ],
)
def test_who_answered(user: dict[str, str] | None, who: str) -> None:
    assert responder(user) == who
