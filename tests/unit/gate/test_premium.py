"""Criterion 8, premium, on runs made by hand, whose values follow by counting; what a text makes of reservations."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from ipaddress import ip_network
from itertools import product

import numpy as np
import pytest

from hntes.gate import JudgedPlan, NotJudgedError, PlannedPort, Verdict, planned_ports
from hntes.gate.beta_peak import BetaPeak
from hntes.gate.criteria.premium import PREMIUM
from hntes.gate.lab import PerformedRun
from hntes.gate.premium import Promised, promised_in
from hntes.platforms.expected import effective_of
from hntes.platforms.parse import parse_config
from hntes.platforms.render import render
from hntes.platforms.split_reserved import split_reserved
from hntes.rules.qos.build import build_model
from hntes.rules.qos.model import RouterModel
from hntes.rules.qos.reserved import Reserved
from hntes.settings.model import Gate
from hntes.simulator import FlowTotals, PolicerPlan, PortPlan, QueuePlan, RunResult
from hntes.simulator.results import Series
from hntes.simulator.testbed.premium_plan import PremiumPlan, ReservedPlan
from hntes.simulator.testbed.reservation_scenarios import span_s, windows_sent
from tests.contract.platform.models import supports
from tests.support.qos_models import PAIRS, PLANS, PLATFORMS, PREMIUM_PLANS, model, router

QUEUES = (QueuePlan("alpha", 35, 35), QueuePlan("beta", 20, 20), QueuePlan("other1", 40, 40))
WORDS = (("alpha", "queue 4"), ("beta", "queue 0"), ("other1", "queue 6 (premium)"))
PORT = PortPlan(QUEUES, "alpha", "beta")
# 1.2 and 0.6 Gb/s in windows of 150 000 packets a second and of half as many, both of 0.1 s.
FIRST = ReservedPlan("reserved1", 1.2e9, 15_000_000, "other1", PolicerPlan(1.2e9, 15_000_000, True, "drop"), 0.4)
SECOND = ReservedPlan("reserved2", 0.6e9, 7_500_000, "other1", PolicerPlan(0.6e9, 7_500_000, True, "drop"), 0.4)
PLAN = PremiumPlan(PORT, (FIRST, SECOND))
PAIR_WORDS = (("reserved1", "A > B"), ("reserved2", "C > D"))
# 5 s of start-up and four windows of 0.1 s, then 10 s.
SPAN_S = (5.4, 15.4)
# What the rule has: 22.5 MB of IP in packets of 1500 bytes that take 1538 of link time, at 40 % of 10 Gb/s.
RULE_MS = 22_500_000 * 8 * 1538 / 1500 / 4e9 * 1e3


def judged(plan: PremiumPlan | None = PLAN, **gate: float) -> JudgedPlan:
    port = PlannedPort(("xe-0/0/1",), PORT, WORDS, "", (), plan, PAIR_WORDS if plan else ())
    return JudgedPlan(port, Gate(**gate), BetaPeak(30.0, is_measured=True))


def made(
    goodput_bps: Mapping[str, float], pings_ms: tuple[float, ...] = (2.0, 2.0), totals: Mapping[str, int] | None = None
) -> RunResult:
    """A run of 16 s in intervals of 0.1 s with even goodputs; pings at 1 s and from 6 s on."""
    series: Series = {
        f"flow/{name}/goodput_bytes": np.full(160, round(bps / 80), "<u8") for name, bps in goodput_bps.items()
    }
    sent_at_s = np.array([1.0, *(6.0 + each for each in range(len(pings_ms) - 1))])
    series = {**series, "flow/ping-other1/sent_at_s": sent_at_s, "flow/ping-other1/rtt_ms": np.array(pings_ms)}
    flows = {name: FlowTotals(name, byte_count, 0, 0, 0, {}) for name, byte_count in (totals or {}).items()}
    return RunResult("packet", "made up", 1, 16.0, 0.1, "", 0, (), flows, {}, series)


def payload_bps(ip_bps: float) -> float:
    return ip_bps * 1448 / 1500


FULL = {"reserved1": payload_bps(1.2e9), "reserved2": payload_bps(0.6e9)}
OTHERS = {"alpha1": 3e9, "alpha2": 3e9, "beta": 2e9}
# 104 windows begin from 5 s to 15.4 s, of 10 000 and 5 000 datagrams of 1472 bytes.
WINDOWS = {"reserved1": 104 * 10_000 * 1472, "reserved2": 104 * 5_000 * 1472}


def verdicts(changes: Mapping[str, RunResult], plan: PremiumPlan = PLAN, **gate: float) -> dict[str, Verdict]:
    about = judged(plan, **gate)
    usual = {
        "paced": made(FULL), "greedy": made(FULL), "bursts": made({}, totals=WINDOWS), "unused": made(OTHERS),
        "without": made(OTHERS), "idle": made({}),
    }  # fmt: skip
    ran = {
        name: PerformedRun(wanted.scenario, name, "packet", {**usual, **changes}[name])
        for name, wanted in PREMIUM.wanted(about).items()
    }
    return {verdict.measure: verdict for verdict in PREMIUM.verdicts(about, ran)}


def test_all_is_well_if_each_gets_its_rate_and_nobody_loses() -> None:
    found = verdicts({})
    assert {each.outcome for each in found.values()} == {"passed"}
    assert {name: each.value for name, each in found.items()} == pytest.approx(
        {"rate_paced": 100, "rate_unpaced": 100, "rate_in_bursts": 100, "delay_increase": 0, "kept_if_unused": 100}
    )
    assert span_s(PLAN.reserved) == pytest.approx(SPAN_S)
    assert [windows_sent(each, PLAN.reserved) for each in PLAN.reserved] == [104, 104]


@pytest.mark.parametrize(("share", "outcome"), [(0.951, "passed"), (0.949, "failed"), (0.5, "failed")])
@pytest.mark.parametrize(("run", "measure"), [("paced", "rate_paced"), ("greedy", "rate_unpaced")])
def test_the_worst_reservation_counts_in_ip_bytes(run: str, measure: str, share: float, outcome: str) -> None:
    found = verdicts({run: made({**FULL, "reserved2": payload_bps(0.6e9) * share})})
    verdict = found.pop(measure)
    assert verdict.value == pytest.approx(100 * share)
    assert verdict.outcome == outcome
    assert "the worst reservation, C > D, would get" in verdict.sentence
    assert {each.outcome for each in found.values()} == {"passed"}
    if outcome == "failed":
        assert "queue 6 (premium) has 40% of xe-0/0/1 and a queue of 40 ms" in verdict.sentence
        assert "its policer lets 100% of the promised rate by and 100% of the burst" in verdict.sentence


def test_lost_parts_of_bursts_count_against_all_that_were_sent() -> None:
    lost = {**WINDOWS, "reserved1": WINDOWS["reserved1"] * 9 // 10}
    found = verdicts({"bursts": made({}, totals=lost)})["rate_in_bursts"]
    assert found.value == pytest.approx(90)
    assert found.outcome == "failed"


@pytest.mark.parametrize(("later_ms", "outcome"), [(RULE_MS - 0.01, "passed"), (RULE_MS + 0.01, "failed")])
def test_the_latest_ping_is_held_to_the_rule(later_ms: float, outcome: str) -> None:
    found = verdicts({"bursts": made({}, (2.0, 3.0, 2.0 + later_ms), WINDOWS)})["delay_increase"]
    assert [found.limit, found.value] == pytest.approx([RULE_MS, later_ms])
    assert found.outcome == outcome
    # GARA's rule with S in the place of 0.99: rtt x / (S - x), where rtt + qt is the time of a window
    share, x, rtt_ms = 0.4, 1.8e9 * 1538 / 1500 / 10e9, 100 - RULE_MS
    assert rtt_ms * x / (share - x) == pytest.approx(RULE_MS)


def test_a_queue_that_is_served_with_less_is_held_to_what_was_meant() -> None:
    less = PortPlan((*QUEUES[:2], QueuePlan("other1", 30, 40)), "alpha", "beta")
    assert verdicts({}, PremiumPlan(less, PLAN.reserved))["delay_increase"].limit == pytest.approx(RULE_MS)


def test_what_was_sent_before_the_start_is_not_looked_at() -> None:
    assert verdicts({"bursts": made({}, (900.0, 2.0), WINDOWS)})["delay_increase"].value == 0.0


def test_no_answer_is_the_worst_delay() -> None:
    assert verdicts({"paced": made(FULL, (2.0,))})["delay_increase"].outcome == "failed"


def test_small_windows_may_wait_as_long_as_other_traffic() -> None:
    small = PremiumPlan(PORT, (replace(FIRST, rate_bps=1.2e6, window_bytes=15_000),))
    assert verdicts({"bursts": made({}, totals=WINDOWS), "paced": made(FULL)}, small)["delay_increase"].limit == 1.0


@pytest.mark.parametrize(
    ("left", "who", "kept"),
    [({"alpha1": 0.0}, "alpha", 50.0), ({"beta": 1e9}, "beta", 50.0), ({"beta": 1.92e9}, "beta", 96.0)],
)
def test_others_keep_what_they_have_without_reservations(left: Mapping[str, float], who: str, kept: float) -> None:
    found = verdicts({"unused": made({**OTHERS, **left})})["kept_if_unused"]
    assert found.value == pytest.approx(kept, abs=0.01)
    assert found.outcome == ("passed" if kept >= 95 else "failed")
    assert f"nothing sent in reservations, {who} would keep" in found.sentence


def test_a_lower_limit_is_the_settings() -> None:
    half = made({**FULL, "reserved1": payload_bps(0.6e9)})
    assert verdicts({"paced": half}, premium_rate_pct=50)["rate_paced"].outcome == "passed"


def test_more_than_the_queue_is_served_with_fails_without_a_run() -> None:
    # 3.95 Gb/s of IP are 4.05 of link time, above 40 %
    about = judged(PremiumPlan(PORT, (replace(FIRST, rate_bps=3.95e9),)))
    assert PREMIUM.wanted(about) == {}
    (found,) = PREMIUM.verdicts(about, {})
    assert (found.outcome, found.engine) == ("failed", "text")
    assert "40.5% of the link's time, and their queue is served with 40%" in found.sentence


def test_a_text_without_reservations_is_told_so() -> None:
    assert PREMIUM.wanted(judged(None)) == {}
    (found,) = PREMIUM.verdicts(judged(None), {})
    assert (found.measure, found.outcome, found.is_passing) == ("reservations", "reported", True)


def asked(made_from: RouterModel, edit: Callable[[str], str] = lambda text: text) -> tuple[Promised, ...]:
    found = parse_config(made_from.platform, edit(render(made_from)), made_from.interfaces)
    expected = effective_of(made_from)
    return promised_in(expected, split_reserved(expected, made_from.queue_for("premium")).reserved, found)


@pytest.mark.parametrize(("platform", "plan"), [each for each in product(PLATFORMS, PREMIUM_PLANS) if supports(*each)])
def test_the_text_that_is_meant_treats_each_reservation_as_promised(platform: str, plan: str) -> None:
    made_from = model(platform, plan)
    found = asked(made_from)
    assert [(each.words, each.rate_bps, each.burst_bytes) for each in found] == [
        ("198.18.30.7/32 > 203.0.113.9/32", 100_000_000, 250_000),
        ("198.18.30.0/24 > 203.0.113.0/24", 150_000_000, 500_000),
        ("2001:db8:9::/64 > 2001:db8:a::/64", 80_000_000, 125_000),
    ]
    for each in found:
        policer = each.treatment.policer
        assert policer is not None
        assert (each.treatment.queue, policer.committed_rate_bps) == (
            made_from.queue_for("premium"), each.rate_bps,
        )  # fmt: skip


def test_a_port_takes_them_at_the_simulated_rate_and_the_slowest_counts() -> None:
    made_from = model("junos", "premium")
    found = parse_config("junos", render(made_from), made_from.interfaces)
    ports = planned_ports(
        split_reserved(found, 6).rest, PAIRS, alpha_queue=4, port_buffer_ms=100, promised=asked(made_from)
    )
    # 10 and 1 Gb/s have one plan; on the slower one all is ten times as much of the link
    (port,) = ports
    assert port.ports == ("xe-0/0/1", "xe-0/0/2")
    assert port.premium is not None
    assert [(each.rate_bps, each.window_bytes) for each in port.premium.reserved] == [
        (1e9, 2_500_000),
        (1.5e9, 5_000_000),
        (0.8e9, 1_250_000),
    ]
    assert port.pair_of("reserved3") == "2001:db8:9::/64 > 2001:db8:a::/64"


def test_excess_to_best_effort_moves_to_betas_queue() -> None:
    made_from = model("iosxe", "premium_best_effort")
    found = parse_config("iosxe", render(made_from), made_from.interfaces)
    (port,) = planned_ports(
        split_reserved(found, 6).rest, PAIRS, alpha_queue=4, port_buffer_ms=100, promised=asked(made_from)
    )
    assert port.premium is not None
    assert {each.policer.to_queue for each in port.premium.reserved if each.policer} == {"beta"}


def test_a_reservation_without_a_packet_of_its_own_is_not_judged() -> None:
    expected = effective_of(model("junos", "premium"))
    # its packets are another's, by the label that the walk gives
    hidden = replace(split_reserved(expected, 6).reserved[0], label="hidden")
    with pytest.raises(NotJudgedError, match=r"198\.18\.30\.7/32 > 203\.0\.113\.9/32: no packet was found"):
        promised_in(expected, (hidden,), expected)


def test_a_burst_below_two_packets_is_not_judged() -> None:
    tiny = Reserved("tiny", ip_network("198.18.30.0/24"), ip_network("203.0.113.0/24"), 8_000_000, 3_000)
    interfaces = [{"name": "et-0/0/1", "role": "core", "rate_bps": 100_000_000_000}]
    interfaces.append({"name": "xe-0/0/0", "role": "edge", "rate_bps": 10_000_000_000})
    made_from = build_model(router("junos", interfaces=interfaces), PLANS["premium"], PAIRS, (tiny,))
    found = parse_config("junos", render(made_from), made_from.interfaces)
    with pytest.raises(NotJudgedError, match="burst is below two packets at the simulated rate"):
        planned_ports(
            split_reserved(found, 6).rest, PAIRS, alpha_queue=4, port_buffer_ms=100, promised=asked(made_from)
        )
