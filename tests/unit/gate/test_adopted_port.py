"""An operator's queues in the terms of the simulator; all numbers are worked out by hand."""

from dataclasses import replace

import pytest

from hntes.gate.adopted_port import SCALED_NOTE, STRICT_NOTE, simulated_port
from hntes.gate.errors import NotJudgedError
from hntes.platforms.effective import Buffer, Ceiling, DropCurve, Port, Queue
from hntes.settings.terms import Priority

EARLY = (DropCurve("low", "pct", ((0, 0), (50, 100))), DropCurve("high", "pct", ((0, 0), (20, 100))))


def queue(
    number: int, share_pct: int, priority: Priority = "low", limit_pct: int | None = None, ceiling: Ceiling = "none"
) -> Queue:
    return Queue(
        (number,), (), (), False, share_pct, "shaped" if limit_pct else ceiling, priority, Buffer(10, "pct"), (), None,
        limit_pct=limit_pct, label=f"q{number}",
    )  # fmt: skip


def shares(*queues: Queue) -> dict[int, int]:
    made = simulated_port(Port("p", 10**10, queues), 1, 0).port
    return {each.numbers[0]: each.share_pct for each in made.queues}


def test_guarantees_that_fit_the_link_stay() -> None:
    assert shares(queue(0, 50), queue(1, 20), queue(5, 10, "strict-high")) == {0: 50, 1: 20, 5: 10}


def test_a_limit_counts_where_nothing_is_guaranteed_and_the_lowest_share_what_is_left() -> None:
    """40 + 5 are first served; of the other 55 those of 20 and 80 have a fifth and four fifths."""
    made = shares(queue(0, 80), queue(1, 20), queue(5, 0, "strict-high", 40), queue(3, 0, "high", 5))
    assert made == {0: 44, 1: 11, 5: 40, 3: 5}


def test_where_those_that_are_first_served_may_take_all_nothing_is_judged() -> None:
    with pytest.raises(NotJudgedError, match="p: queues that are served first may take 100% of the link"):
        shares(queue(0, 50), queue(1, 20), queue(5, 0, "strict-high", 60), queue(3, 0, "high", 40))


def test_ranks_keep_their_order() -> None:
    ranks: list[Priority] = ["low", "low", "medium-low", "medium-high", "high", "strict-high"]
    made = simulated_port(Port("p", 10**10, tuple(queue(n, 10, each) for n, each in enumerate(ranks))), 1, 0).port
    assert [each.priority for each in made.queues] == ["low", "low", "medium-low", "medium-high", "high", "high"]
    two = simulated_port(Port("p", 10**10, (queue(0, 10), queue(1, 10), queue(5, 10, "strict-high"))), 1, 0).port
    assert [each.priority for each in two.queues] == ["low", "low", "medium-low"]


def test_a_class_without_a_guarantee_is_left_out_with_a_note() -> None:
    made = simulated_port(Port("p", 10**10, (queue(0, 50), queue(1, 20), queue(2, 0))), 1, 0)
    assert [each.numbers for each in made.port.queues] == [(0,), (1,)]
    assert made.notes == ("q2 without a guaranteed rate, and not simulated",)


def test_early_drops_of_judged_queues_stay_and_those_of_others_are_noted() -> None:
    queues = tuple(replace(queue(number, 20), drops=EARLY) for number in (0, 1, 2))
    made = simulated_port(Port("p", 10**10, queues), 1, 0)
    assert [each.drops for each in made.port.queues] == [EARLY[:1], EARLY[:1], ()]
    assert made.notes == ("q2 dropping or marking early, which is not simulated",)


def test_notes_name_what_is_approximated() -> None:
    queues = (queue(0, 80), queue(1, 20), queue(5, 0, "strict-high", 40))
    notes = simulated_port(Port("p", 10**10, queues), 1, 0).notes
    assert STRICT_NOTE in notes
    assert SCALED_NOTE in notes
    assert any("q5 limited" in each for each in notes)
