"""Approved texts that can be proposed again."""

from collections.abc import Iterator
from datetime import date, timedelta
from types import SimpleNamespace
from typing import Any, Literal, cast

import pytest
from sqlalchemy import Engine

from hntes.sql import changes, proposals
from hntes.sql.engine import open_database
from hntes.sql.session import transaction
from hntes.workflow.review.propose_again import earlier_approved
from tests.support.decisions import decide_as
from tests.support.entries import change_set
from tests.support.gate_verdicts import pass_gate

FIRST = date(2026, 3, 1)


@pytest.fixture
def store(database_url: str) -> Iterator[Engine]:
    engine = open_database(database_url)
    yield engine
    engine.dispose()


def propose(store: Engine, number: int, text: str, router: str = "r1") -> date:
    """A change of the day with this number, against what is in force; it stays open."""
    day = FIRST + timedelta(days=number)
    with transaction(store) as session:
        base = changes.in_force(session, router)
        proposals.put(
            session,
            change_set(
                router=router, day=day, candidate_hash=text, base_hash=base.candidate_hash if base else None,
                expires_ms=1000,
            ),
        )  # fmt: skip
    return day


def decide(
    store: Engine, number: int, text: str, state: Literal["approved", "rejected"] = "approved", router: str = "r1"
) -> date:
    day = propose(store, number, text, router)
    with transaction(store) as session:
        holds = pass_gate(session, router, text)
        decided = decide_as(session, router, day, text, state, "anna", None, 999, holds=holds)
    assert decided.outcome == "decided", decided.explanation
    return day


def listed(store: Engine, most: int = 3) -> tuple[date, ...]:
    return earlier_approved(cast(Any, SimpleNamespace(database=store)), cast(Any, SimpleNamespace(name="r1")), most)


def test_nothing_is_named_before_a_second_text_was_approved(store: Engine) -> None:
    assert listed(store) == ()
    propose(store, 0, "A")
    assert listed(store) == ()
    decide(store, 1, "A")
    assert listed(store) == ()


def test_texts_that_are_not_in_force_are_named_by_the_newest_day_of_each(store: Engine) -> None:
    decide(store, 0, "A")
    second = decide(store, 1, "B")
    again = decide(store, 2, "A")
    assert listed(store) == (second,), "A is in force, whichever day it was approved for"
    third = decide(store, 3, "C")
    assert listed(store) == (again, second), "A once, by the later of its days"
    decide(store, 4, "B")
    assert listed(store) == (third, again)


def test_what_was_never_approved_or_is_of_another_router_is_not_named(store: Engine) -> None:
    first = decide(store, 0, "A")
    decide(store, 1, "B", "rejected")
    decide(store, 2, "C")
    decide(store, 3, "D", router="r2")
    decide(store, 4, "E", router="r2")
    propose(store, 5, "F")  # superseded by the next
    propose(store, 6, "G")
    assert listed(store) == (first,)


def test_no_more_are_named_than_asked_for_the_newest_first(store: Engine) -> None:
    days = [decide(store, number, text) for number, text in enumerate("ABCDEF")]
    assert listed(store) == tuple(reversed(days[2:5]))
    assert listed(store, 10) == tuple(reversed(days[:5]))
