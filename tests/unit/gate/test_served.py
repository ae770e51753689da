"""What the simulator is given for ports of known hardware; the expected shares are worked out by hand."""

from dataclasses import replace

import pytest

from hntes.gate.ports import planned_ports
from hntes.gate.served import STARVED_PCT, as_served
from hntes.platforms.effective import Buffer, Port, Queue
from hntes.platforms.hardware import Ranking
from hntes.platforms.hardware_fit import hardware_of, on_hardware
from hntes.platforms.parse import parse_config
from hntes.platforms.render import render
from hntes.settings.terms import Priority
from tests.support.hardware import hardware_model
from tests.support.qos_models import PAIRS

STRICT = Ranking((("strict-high",), ("high",), ("medium-high",), ("medium-low",), ("low",)), is_strict=True)


def queue(number: int, share_pct: int, priority: Priority, limit_pct: int | None = None) -> Queue:
    ceiling = "none" if limit_pct is None else "shaped"
    buffer = Buffer(share_pct, "pct")
    return Queue((number,), (), (), False, share_pct, ceiling, priority, buffer, (), None, limit_pct=limit_pct)


def served(*queues: Queue, judged: tuple[int, ...] = (4, 0), ranking: Ranking | None = STRICT) -> list[tuple[int, str]]:
    found = as_served(Port("p", 10**10, queues, ranking=ranking), judged)
    return [(each.share_pct, str(each.priority)) for each in found.queues]


def test_a_level_above_takes_the_link_from_the_one_below() -> None:
    found = served(queue(0, 65, "medium-low"), queue(4, 30, "medium-high"), queue(3, 5, "low"))
    assert found == [(STARVED_PCT, "medium-low"), (100 - 2 * STARVED_PCT, "medium-high"), (STARVED_PCT, "low")]


def test_queues_of_low_share_by_weight() -> None:
    queues = queue(0, 65, "low"), queue(4, 30, "low"), queue(3, 5, "low")
    assert served(*queues) == [(65, "low"), (30, "low"), (5, "low")]


def test_a_limited_queue_above_takes_no_more_than_its_limit() -> None:
    found = served(queue(5, 5, "strict-high", limit_pct=10), queue(0, 65, "low"), queue(4, 30, "low"))
    assert found == [(10, "medium-low"), (65 * 90 // 95, "low"), (30 * 90 // 95, "low")]


def test_equal_levels_above_low_go_in_turn_whatever_they_are_guaranteed() -> None:
    assert served(queue(0, 65, "high"), queue(4, 30, "high")) == [(50, "low"), (50, "low")]
    found = served(queue(0, 65, "high"), queue(4, 30, "high"), queue(3, 5, "low"))
    assert [share for share, _ in found] == [49, 49, 2]


def test_priorities_that_share_a_level_are_one_rank() -> None:
    ranking = Ranking((("strict-high", "high"), ("medium-high", "medium-low"), ("low",)))
    queues = queue(3, 5, "high"), queue(0, 65, "medium-low"), queue(4, 30, "medium-high")
    assert served(*queues, ranking=ranking) == [(5, "high"), (65, "medium-low"), (30, "medium-low")]
    assert served(*queues, ranking=None) == [(5, "high"), (65, "medium-low"), (30, "medium-high")]


@pytest.mark.parametrize(("hardware", "ranks"), [("mx", (1, 1)), ("acx7000", (1, 2)), (None, (1, 2))])
def test_the_plan_that_is_simulated_ranks_as_the_hardware_does(hardware: str | None, ranks: tuple[int, int]) -> None:
    made = hardware_model("junos", "mx")
    read = parse_config("junos", render(made), made.interfaces)
    model = on_hardware(read, hardware_of("junos", hardware))
    port = replace(model.ports[0], name="p")
    found = planned_ports(replace(model, ports=(port,)), PAIRS, alpha_queue=4, port_buffer_ms=100)
    queues = {each.name: each for each in found[0].plan.queues}
    assert (queues["alpha"].priority, queues["beta"].priority) == ranks
    shares = queues["alpha"].rate_share_pct, queues["beta"].rate_share_pct
    # Network control is served before alpha, and has no traffic in runs: its 5% are not alpha's.
    assert shares == ((94, STARVED_PCT) if hardware == "acx7000" else (30, 65))
