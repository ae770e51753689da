"""What moves a criterion names settings that exist, for every criterion that can fail."""

import re

import pytest

from hntes.gate.criteria import REGISTRY
from hntes.gate.levers import LEVERS, levers_of
from hntes.gate.verdict import Verdict
from hntes.settings.model import Detection, Gate, Router
from hntes.settings.plans import TwoQueue
from hntes.sql.entries import CriterionName

KEYS = {name for section in (Detection, Gate, Router, TwoQueue) for name in section.model_fields}


def test_each_criterion_that_has_a_limit_has_levers() -> None:
    limited = {each.name for each in REGISTRY if any(m.limit_key or m.limit_rule for m in each.measures)}
    assert set(LEVERS) == limited | {"structure"}


@pytest.mark.parametrize("criterion", sorted(LEVERS))
def test_it_names_keys_of_the_settings_and_commands_that_there_are(criterion: CriterionName) -> None:
    for named in re.findall(r"`([^`]+)`", LEVERS[criterion]):
        if named.startswith("hntes "):
            assert named in ("hntes override", "hntes router queue-advice")
        else:
            assert named.split(" = ")[0] in KEYS


def test_only_failed_criteria_are_named_and_each_once() -> None:
    verdicts = [
        Verdict("delay", "ping_mean_increase", "passed", "well"),
        Verdict("beta", "beta_loss", "failed", "lost"),
        Verdict("beta", "beta_delay_increase", "failed", "late"),
        Verdict("surprise", "beta_loss", "reported", "told"),
        Verdict("order", "out_of_sequence", "not_judged", "no run"),
    ]
    assert levers_of(verdicts) == (f"beta: {LEVERS['beta']}",)
    assert levers_of([]) == ()
