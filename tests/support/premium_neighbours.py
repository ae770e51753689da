"""Bad neighbours of a reservation, from rendered text through the engine: who is hurt, and by how much.

`python -m tests.support.premium_neighbours` prints the table that docs/reference/gate.md holds.
"""

import sys
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from hntes.gate import planned_ports
from hntes.gate.premium import promised_in
from hntes.platforms.expected import effective_of
from hntes.platforms.parse import parse_config
from hntes.platforms.render import render
from hntes.platforms.split_reserved import split_reserved
from hntes.settings.plans import TwoQueue
from hntes.simulator import run
from hntes.simulator.measures import mean_goodput_bps, round_trips_ms
from hntes.simulator.testbed.files import load_parameters
from hntes.simulator.testbed.premium_plan import FULL_IP_BYTES, PremiumPlan
from hntes.simulator.testbed.reservation_scenarios import (
    ALPHA_FLOWS,
    BETA_FLOW,
    START_UP_S,
    Overload,
    Sending,
    ping_of,
    premium_scenario,
    span_s,
)
from hntes.simulator.testbed.traffic import segment_data_bytes
from tests.support.premium_texts import PLAN, premium_model
from tests.support.qos_models import PAIRS

DATAGRAM_BYTES = FULL_IP_BYTES - 28
GOOD, BAD = "reserved1", "reserved2"
BEST_EFFORT = PLAN.model_copy(update={"premium_excess": "best_effort"})
HEADER = (
    "beside it", "what is above a rate", "it gets of its rate", "the other reservation", "latest ping", "alpha", "beta",
)  # fmt: skip


@dataclass(frozen=True)
class Neighbours:
    """What is beside a reservation: overload, how the other one sends, what becomes of its excess."""

    words: str
    overload: Collection[Overload]
    other: Sending = "paced"
    plan: TwoQueue = PLAN
    is_policed: bool = True
    has_queue: bool = True


BESIDE = (
    Neighbours("nothing but the other reservation", ()),
    Neighbours("two alpha flows", ("alpha",)),
    Neighbours("two alpha flows, best effort of 9.5 Gb/s", ("alpha", "beta")),
    Neighbours(
        "the same, the other is TCP that is not paced, its window for 1.5 times its rate", ("alpha", "beta"), "hasty"
    ),
    Neighbours("the same, the other sends at twice its rate", ("alpha", "beta"), "twice"),
    Neighbours("the same, the other sends at twice its rate", ("alpha", "beta"), "twice", BEST_EFFORT),
    Neighbours("the same, and nothing polices the other", ("alpha", "beta"), "twice", is_policed=False),
    Neighbours("two alpha flows, best effort of 9.5 Gb/s, and no queue but beta's", ("alpha", "beta"), has_queue=False),
)


@dataclass(frozen=True)
class Hurt:
    """What came of it: reservations in per cent of their rates, the latest ping of their queue above the quickest."""

    good_pct: float
    other_pct: float
    later_ms: float
    alpha_gbps: float
    beta_gbps: float


def plan_from_text(plan: TwoQueue) -> PremiumPlan:
    """The reservations at the port of a rendered text."""
    made = premium_model("junos", plan)
    found, expected = parse_config("junos", render(made), made.interfaces), effective_of(made)
    promised = promised_in(expected, split_reserved(expected, 6).reserved, found)
    rest = split_reserved(found, 6).rest
    (port,) = planned_ports(rest, PAIRS, alpha_queue=4, port_buffer_ms=100, promised=promised)
    assert port.premium is not None
    return port.premium


def hurt(beside: Neighbours) -> Hurt:
    """One run with hosts of 2010."""
    plan = plan_from_text(beside.plan)
    if not beside.is_policed:
        good, other = plan.reserved
        plan = replace(plan, reserved=(good, replace(other, policer=None)))
    if not beside.has_queue:
        plan = replace(plan, reserved=tuple(replace(each, queue=plan.port.beta_queue) for each in plan.reserved))
    parameters = load_parameters()
    scenario = premium_scenario(plan, "paced", parameters, 1, unlike={BAD: beside.other}, overload=beside.overload)
    result, span = run(scenario), span_s(plan.reserved)
    assert result.imbalances == ()
    payload = dict.fromkeys(scenario.flows_of_kind("tcp"), segment_data_bytes(parameters.tcp))
    got = {name: mean_goodput_bps(result, name, span) for name in (GOOD, BAD)}
    share = {
        each.name: 100 * got[each.name] * FULL_IP_BYTES / payload.get(each.name, DATAGRAM_BYTES) / each.rate_bps
        for each in plan.reserved
    }
    ping = ping_of(plan.reserved[0].queue)
    later_ms = round_trips_ms(result, ping, (START_UP_S, span[1])).max() - round_trips_ms(result, ping).min()
    gbps = {
        name: sum(mean_goodput_bps(result, flow, span) for flow in flows if flow in result.flows) / 1e9
        for name, flows in {"alpha": ALPHA_FLOWS, "beta": (BETA_FLOW,)}.items()
    }
    return Hurt(share[GOOD], share[BAD], float(later_ms), gbps["alpha"], gbps["beta"])


def table(found: Mapping[Neighbours, Hurt]) -> str:
    """The table in Markdown."""
    rows = [HEADER, ("---",) * len(HEADER)]
    for beside, came in found.items():
        excess = {"discard": "discarded", "best_effort": "to beta's queue"}[beside.plan.premium_excess]
        rows.append(
            (
                beside.words, excess if beside.is_policed else "goes by",
                f"{came.good_pct:.0f}%", f"{came.other_pct:.0f}%", f"{came.later_ms:.1f} ms",
                _gbps(came.alpha_gbps), _gbps(came.beta_gbps),
            )
        )  # fmt: skip
    return "\n".join(f"| {' | '.join(row)} |" for row in rows) + "\n"


def _gbps(value: float) -> str:
    return f"{value:.1f} Gb/s" if value else "-"


if __name__ == "__main__":
    sys.stdout.write(table({beside: hurt(beside) for beside in BESIDE}))
