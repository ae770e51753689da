"""Texts of known effect: what does harm is refused for its reason, and what does none is not. Few in `make test`."""

from collections import Counter
from dataclasses import replace

import pytest

from hntes.gate import MeasuredPeak, judge
from hntes.settings.model import Gate
from tests.support.gate_subjects import replaced, shared_lab
from tests.support.known_texts import KnownText, harmful, harmless, known, shares
from tests.support.qos_models import PLATFORMS, PUBLISHED

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]
HARMFUL, HARMLESS = list(harmful()), list(harmless())
# Each of these needs but a few runs of the fluid engine.
FEW = (
    "5% for beta", "20% for beta", "1 ms for alpha", "one queue for all", "a /16 for", "as rendered", "60% for beta",
    "250 us", "40% for beta",
    "tabs", "two /25", "a comment", "rates for",
)  # fmt: skip


def some(texts: list[KnownText]) -> list[object]:
    """As parameters; all but a few are for the long run."""
    return [
        pytest.param(each, id=each.name, marks=[] if any(word in each.name for word in FEW) else pytest.mark.long)
        for each in texts
    ]


def test_there_are_as_many_as_the_table_says() -> None:
    assert len({each.name for each in (*HARMFUL, *HARMLESS)}) == len(HARMFUL) + len(HARMLESS)
    assert len(HARMFUL) >= 100
    assert len(HARMLESS) >= 34
    least = min(Counter(each.subject.platform for each in HARMFUL)[platform] for platform in PLATFORMS)
    assert least >= 20


@pytest.mark.parametrize("text", some(HARMFUL))
def test_harm_is_refused_and_its_reason_told(text: KnownText) -> None:
    judgement = judge(text.subject, Gate(), shared_lab())
    refused = [each for each in judgement.verdicts if not each.is_passing]
    assert refused, "it passes"
    assert text.refused_by in {each.criterion for each in refused}
    assert any(text.why in each.sentence for each in refused if each.criterion == text.refused_by), [
        each.sentence for each in refused
    ]


@pytest.mark.parametrize("text", some(HARMLESS))
def test_what_does_no_harm_is_not_refused(text: KnownText) -> None:
    judgement = judge(text.subject, Gate(), shared_lab())
    assert judgement.is_passing, [each.sentence for each in judgement.verdicts if not each.is_passing]


@pytest.mark.parametrize("buffer_ms", [1, 2])
def test_queues_of_a_millisecond_are_refused_on_the_port_that_has_no_more(buffer_ms: int) -> None:
    """Once approved: on a port of 1 or 2 ms, queues of 1 ms counted as the whole of 100 ms."""
    text = known(
        "queues of 1 ms",
        "iosxr",
        replaced("queue-limit 100 ms", "queue-limit 1 ms"),
        buffer_ms=buffer_ms,
        plan=PUBLISHED,
    )
    judgement = judge(text.subject, Gate(), shared_lab())
    (failed,) = [each for each in judgement.verdicts if each.measure == "alpha_goodput_beside_10_pct"]
    assert failed.outcome == "failed"
    assert failed.value is not None
    assert failed.value < 95
    assert "of what the link leaves: queue 4 (hntes-queue-alpha, line " in failed.sentence


def test_five_per_cent_for_beta_is_refused_whatever_nine_minutes_show() -> None:
    """Once approved: nine minutes of an incomplete day with 1% of beta load stood for its peak."""
    text = known("5% for beta", "junos", shares("junos", 90, 5))
    subject = text.subject
    (port,) = [each.name for each in subject.interfaces if each.role == "core"]
    measured = replace(subject, beta_peaks={port: MeasuredPeak(1.1e8, 9, 0, 7)})
    judgement = judge(measured, Gate(), shared_lab())
    failed = {each.measure: each.sentence for each in judgement.verdicts if each.outcome == "failed"}
    assert "assumed; 1.1% measured over 9 minutes, 0 of 7 complete days" in failed["beta_loss"]
    assert "is guaranteed 5% of" in failed["beta_loss"]
    assert {"beta_loss_beside_10_pct", "beta_loss_beside_30_pct"} <= failed.keys()
    assert "more than is its: it takes it from the beta load" in failed["alpha_goodput_beside_30_pct"]
