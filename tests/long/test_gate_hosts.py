"""The gate with hosts of today: the recommended plan passes, and the page of both kinds of hosts is what is found."""

import pytest

from hntes.gate import judge
from hntes.settings.model import Gate
from hntes.settings.plans import TwoQueue
from scripts.compare_gate_hosts import PAGE, compared, read_texts
from tests.support.gate_subjects import ROOT, shared_lab, small_model, subject_of
from tests.support.qos_models import PLATFORMS

pytestmark = [pytest.mark.long, pytest.mark.timeout(3600)]


@pytest.mark.parametrize("platform", PLATFORMS)
def test_the_recommended_plan_passes_with_hosts_of_both_kinds(platform: str) -> None:
    judgement = judge(subject_of(small_model(platform, TwoQueue(kind="two_queue"))), Gate(), shared_lab())
    assert judgement.is_passing, [each.sentence for each in judgement.verdicts if not each.is_passing]
    assert len(judgement.verdicts) == 26


def test_the_page_holds_what_is_found() -> None:
    assert compared(read_texts(ROOT / "scripts" / "gate_hosts.toml"), shared_lab()) in PAGE.read_text(encoding="utf-8")
