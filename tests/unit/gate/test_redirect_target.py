"""The port of a redirect: it has to hold what the pairs send to it, beside its own beta traffic."""

from dataclasses import replace

import pytest

from hntes.gate import RedirectTarget, judge
from hntes.gate.beta_peak import BetaPeak
from hntes.gate.redirect_target import target_verdict
from hntes.settings.model import Gate, Router
from hntes.settings.plans import TwoQueue
from hntes.simulator import MemoryRuns
from tests.support.gate_subjects import small_model, subject_of
from tests.support.qos_models import router
from tests.unit.gate.test_lab import lab_on

PEAK = BetaPeak(30.0, is_measured=True)


@pytest.mark.parametrize(("alpha_bps", "outcome", "value"), [(6.9e9, "passed", 99.0), (7.1e9, "failed", 101.0)])
def test_the_pairs_and_beta_have_to_fit_into_the_port(alpha_bps: float, outcome: str, value: float) -> None:
    verdict = target_verdict(RedirectTarget("xe-0/0/1", alpha_bps, 9), 10**10, PEAK)
    assert (verdict.outcome, verdict.limit, verdict.port) == (outcome, 100.0, "xe-0/0/1")
    assert verdict.value == pytest.approx(value)
    assert "the pairs' fullest minute of 9 minutes" in verdict.sentence
    assert ("too slow for both" in verdict.sentence) == (outcome == "failed")


def test_what_is_not_known_of_it_is_reported() -> None:
    unnamed = target_verdict(RedirectTarget(None, 1e9, 9), None, PEAK)
    assert (unnamed.outcome, unnamed.value) == ("reported", None)
    assert "redirect.port" in unnamed.sentence
    assert target_verdict(RedirectTarget("xe-0/0/1"), 10**10, PEAK).outcome == "reported"


@pytest.mark.parametrize(("alpha_bps", "outcome"), [(1e9, "passed"), (9e9, "failed")])
def test_a_judgement_asks_it_of_a_text_with_a_redirect(alpha_bps: float, outcome: str) -> None:
    gate = Gate(jain_index=0.5).model_copy(update={"throughput_pct": 0.0})
    subject = replace(
        subject_of(small_model("junos", TwoQueue(kind="two_queue"))),
        redirect_target=RedirectTarget("xe-0/0/1", alpha_bps, 9),
    )
    judgement = judge(subject, gate, lab_on(MemoryRuns()))
    (found,) = [each for each in judgement.verdicts if each.measure == "redirect_target"]
    assert (found.criterion, found.outcome) == ("reach", outcome)
    assert judgement.is_passing == (outcome == "passed")


def test_the_port_of_a_redirect_is_one_of_the_routers_core_interfaces() -> None:
    def redirected(port: str) -> Router:
        hop = {"kind": "next_hop", "ipv4": "192.0.2.1", "ipv6": "2001:db8:ffff::1", "port": port}
        return Router.model_validate(router("junos").model_dump() | {"redirect": hop})

    redirect = redirected("xe-0/0/1").redirect
    assert redirect is not None
    assert redirect.port == "xe-0/0/1"
    with pytest.raises(ValueError, match=r"redirect.port xe-0/0/0 is none of its core interfaces: xe-0/0/1"):
        redirected("xe-0/0/0")
