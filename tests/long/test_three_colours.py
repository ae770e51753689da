"""The default plan of three colours at the gate: every verdict as docs/reference/gate.md has it."""

import pytest

from hntes.gate import Judgement, Verdict, judge
from hntes.gate.verdict import value_words
from hntes.gate.verdict_figure import WORDS
from hntes.settings.model import Gate
from hntes.settings.plans import ThreeColorMarker
from tests.contract.platform.models import taking
from tests.support.gate_subjects import ROOT, shared_lab, small_model, subject_of

pytestmark = [pytest.mark.long, pytest.mark.timeout(1200)]
NAMES = {"junos": "Junos", "iosxr": "IOS-XR", "iosxe": "IOS-XE"}


def test_each_platform_that_takes_the_plan_has_a_column() -> None:
    assert set(NAMES) == set(taking("three_color_marker"))


def judged(platform: str) -> Judgement:
    plan = ThreeColorMarker(kind="three_color_marker")
    return judge(subject_of(small_model(platform, plan)), Gate(), shared_lab())


def table() -> str:
    """A row per measure that was simulated on some platform, a column per platform."""
    found = {platform: {_name(each): each for each in judged(platform).verdicts} for platform in NAMES}
    rows = dict.fromkeys(name for of in found.values() for name, each in of.items() if each.engine != "text")
    lines = [("criterion: measure", *(NAMES[platform] for platform in NAMES)), ("---",) * (len(NAMES) + 1)]
    lines += [(row, *(_cell(found[platform].get(row)) for platform in NAMES)) for row in rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _name(verdict: Verdict) -> str:
    return f"{verdict.criterion}: {verdict.measure.replace('_', ' ')}"


def _cell(verdict: Verdict | None) -> str:
    if verdict is None:
        return "not judged"
    return f"{value_words(verdict.value, verdict.unit)}, {WORDS[verdict.outcome]}".removeprefix(", ")


def test_the_reference_has_the_verdicts() -> None:
    made = table()
    assert made in (ROOT / "docs" / "reference" / "gate.md").read_text(encoding="utf-8"), made
