"""Reservations at the gate, from text through the engine: what is meant passes, damages fail by what they do."""

import re
from collections.abc import Callable

import pytest

from hntes.gate import JudgedPlan, Judgement, Verdict, judge, judge_plans, planned_ports
from hntes.gate.beta_peak import BetaPeak
from hntes.gate.criteria import PREMIUM, STRUCTURE
from hntes.gate.premium import promised_in
from hntes.platforms.expected import effective_of
from hntes.platforms.parse import parse_config
from hntes.platforms.render import render
from hntes.platforms.split_reserved import split_reserved
from hntes.rules.qos.model import RouterModel
from hntes.settings.model import Gate
from tests.support.gate_subjects import refusing_lab, shared_lab
from tests.support.premium_texts import premium_model
from tests.support.qos_models import PAIRS, PLATFORMS
from tests.unit.gate.test_reserved import subject

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]
# A third of the port for alpha is a queue too short for a lone flow over 80 ms; criterion 3 judges that.
# So is 35% for bursts of beta traffic at 30%, where alpha goes first: criterion 10 judges that.
GATE = Gate(tcp_profiles=("linux-2.6.33",), round_trips_ms=(2.0,), beta_peak_pct=15.0)
OTHERS = [each for each in PLATFORMS if each != "junos"]


def judged(made: RouterModel, text: str | None = None, gate: Gate = GATE) -> Judgement:
    return judge(subject(made, text), gate, shared_lab())


def of_premium(judgement: Judgement) -> dict[str, Verdict]:
    return {each.measure: each for each in judgement.verdicts if each.criterion == "premium"}


# The packet runs of a platform take 12 s of CPU, and those of the others differ by rounding alone.
@pytest.mark.parametrize("platform", ["junos", *(pytest.param(each, marks=pytest.mark.long) for each in OTHERS)])
def test_a_text_with_reservations_that_hold_passes(platform: str) -> None:
    found = judged(premium_model(platform))
    assert found.is_passing, [each for each in found.verdicts if not each.is_passing]
    premium = of_premium(found)
    values = {measure: verdict.value for measure, verdict in premium.items()}
    assert [values[name] for name in ("rate_paced", "rate_unpaced", "rate_in_bursts")] == pytest.approx(
        [100] * 3, abs=1
    )
    # 9 % of the link in windows of 150 ms, in packets of 1500 bytes that take 1538 of link time, at 30 %
    assert premium["delay_increase"].limit == pytest.approx(0.09 * 150 * 1538 / 1500 / 0.3, rel=1e-3)
    # two cards bring them as fast as two links, so less than the bound waits, but most of it
    assert values["delay_increase"] is not None
    assert 23 < values["delay_increase"] < 46.2


@pytest.mark.long
def test_hosts_of_today_give_the_same_outcomes() -> None:
    found = of_premium(judged(premium_model("junos"), gate=Gate(tcp_profiles=("linux-6",), round_trips_ms=(2.0,))))
    assert {each.outcome for each in found.values()} == {"passed"}


def edit(pattern: str, replacement: str) -> Callable[[str], str]:
    """Replaces a pattern, which must be there."""

    def edited(text: str) -> str:
        changed, times = re.subn(pattern, replacement, text)
        assert times, f"the text has no {pattern}"
        return changed

    return edited


# What is damaged, on which platform, and a measure that must fail by it.
DAMAGED = {
    "the rate is halved": ("junos", edit("bandwidth-limit 600000000;", "bandwidth-limit 300000000;"), "rate_paced"),
    "the rate is halved on IOS-XE": ("iosxe", edit("cir 600000000", "cir 300000000"), "rate_paced"),
    "the burst is tiny": ("junos", edit("burst-size-limit 11250000;", "burst-size-limit 15000;"), "rate_unpaced"),
    "the burst is tiny on IOS-XR": ("iosxr", edit("burst 11250000 bytes", "burst 15000 bytes"), "rate_unpaced"),
    "the queue has little buffer": (
        "junos",
        edit(r"(replace: hntes-premium \{[^}]*buffer-size percent) 30;", r"\1 2;"),
        "rate_in_bursts",
    ),
    "packets go to beta's queue": (
        "junos",
        edit("forwarding-class premium;", "forwarding-class beta;"),
        "delay_increase",
    ),
    "packets go to beta's queue on IOS-XE": ("iosxe", edit("set qos-group 6", "set qos-group 0"), "delay_increase"),
    "the queue is served with little": (
        "iosxe",
        edit(r"(queue-premium\n  bandwidth percent) 30", r"\1 10"),
        "delay_increase",
    ),
}


def asked(made: RouterModel, text: str) -> tuple[Verdict, dict[str, Verdict]]:
    """What structure and premium alone make of a text: other runs have nothing to do with it."""
    model, expected = parse_config(made.platform, text, made.interfaces), effective_of(made)
    queue = made.queue_for("premium")
    rest, entries = split_reserved(model, queue).rest, split_reserved(expected, queue).reserved
    promised = promised_in(expected, entries, model)
    structure = STRUCTURE.verdict(
        model, PAIRS, alpha_queue=4, is_redirected=False, port_buffer_ms=100, expected=expected, premium_queue=queue
    )
    ports = planned_ports(rest, PAIRS, alpha_queue=4, port_buffer_ms=100, promised=promised)
    plans = [JudgedPlan(port, GATE, BetaPeak(30.0, is_measured=False)) for port in ports]
    return structure, {each.measure: each for each in judge_plans(plans, shared_lab(), [PREMIUM])}


def test_the_text_that_is_meant_passes_what_damages_fail() -> None:
    made = premium_model("junos")
    structure, premium = asked(made, render(made))
    assert {each.outcome for each in (structure, *premium.values())} == {"passed"}


@pytest.mark.parametrize(
    "damage", [pytest.param(each, marks=pytest.mark.long if " on IOS" in each else ()) for each in DAMAGED]
)
def test_a_damaged_statement_fails_by_what_it_does(damage: str) -> None:
    platform, change, measure = DAMAGED[damage]
    made = premium_model(platform)
    structure, premium = asked(made, change(render(made)))
    assert structure.outcome == "failed"
    assert premium[measure].outcome == "failed", premium


@pytest.mark.parametrize("platform", PLATFORMS)
def test_a_class_that_is_missing_is_refused(platform: str) -> None:
    made = premium_model(platform)
    leave_out = {
        "junos": edit("class premium queue-num 6;", ""),
        "iosxr": edit(r" class hntes-queue-premium\n(  .*\n)+ !?\n?", ""),
        "iosxe": edit(r" class hntes-queue-premium\n(  .*\n)+", ""),
        "sros": edit(r" +fc af \{\n +queue 3\n +\}\n", ""),
        "eos": edit(r"   tx-queue 2\n(      .*\n)+   !\n", ""),
    }
    found = judge(subject(made, leave_out[platform](render(made))), GATE, refusing_lab())
    assert not found.is_passing
    assert found.verdicts[0].outcome == "failed"
    assert {each.outcome for each in of_premium(found).values()} <= {"failed", "not_judged"}
