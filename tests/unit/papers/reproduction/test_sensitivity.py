"""Studies of sensitivity: what runs, which verdicts are told to change, and that stated values change something."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from hntes.papers.paper import Assumption, OtherValue, Paper
from hntes.papers.reproduction.catalogue import PAPERS
from hntes.papers.reproduction.document import Table
from hntes.papers.reproduction.selection import CaseSelection, SelectionError
from hntes.papers.reproduction.sensitivity import Effect, plan_study, run_study, variations_of
from hntes.papers.reproduction.sensitivity_table import blocks_of, row_of, summary
from hntes.simulator.runs.task import FinishedRun, RunTask
from hntes.simulator.scenario import Link, Scenario, Tcp


@dataclass(frozen=True)
class _Case:
    """What is measured is the seed's share plus `rate`; `b` does not know of `rate`."""

    configuration: str
    experiment_name: str = "1"
    variant: str = ""

    @property
    def name(self) -> str:
        return f"paper/{self.configuration}"

    def scenario(self, seed: int, parameters: Any = None) -> Scenario:
        rate = (parameters or {}).get("rate", 10.0) if self.configuration == "a" else 10.0
        return Scenario(self.name, 1.0, seed, (), (), (Link("a", "b", rate, 0),), Tcp(), ())


@dataclass(frozen=True)
class _Result:
    trace_hash: float


CELLS = """
[[cells]]
configuration = "a"
variant = ""
measure = "near"
kind = "transient"
within = 0.1
published = 10.0
[[cells]]
configuration = "b"
variant = ""
measure = "near"
kind = "transient"
within = 0.1
published = 10.0
[[cells]]
configuration = "b"
variant = ""
measure = "more"
kind = "order"
above = "a"
within = 0.0
[[cells]]
configuration = "a"
variant = ""
measure = "shown"
kind = "reported"
within = 0.0
published = 1.0
"""


@pytest.fixture
def paper(tmp_path: Path) -> Paper:
    (tmp_path / "1.toml").write_text(CELLS)
    cases = (_Case("a"), _Case("b"))
    return Paper(
        "paper", "somebody", {"1": "one"}, tmp_path, lambda _: cases,
        measure=lambda _measure, _case, result: float(result.trace_hash), explain=str, setup_of=lambda _: ("",),
        assumptions=(
            Assumption("silent", "1", "no other value"),
            Assumption("rate", "10", "unknown", others=(
                OtherValue("9.5", {"rate": 9.5}), OtherValue("5", {"rate": 5.0}), OtherValue("10", {"rate": 10.0}),
            )),
        ),
    )  # fmt: skip


@pytest.fixture
def effects(paper: Paper, monkeypatch: pytest.MonkeyPatch) -> list[Effect]:
    def run_all(tasks: Sequence[RunTask], **_: object) -> list[FinishedRun]:
        return [FinishedRun(task, _Result(task.scenario.links[0].rate_bps)) for task in tasks]

    monkeypatch.setattr(sys.modules[run_study.__module__], "run_all", run_all)
    return run_study(plan_study([CaseSelection(paper, "1", tuple(paper.cases_of("1")), True)]))


def test_only_cases_that_run_otherwise_are_run_again(paper: Paper, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules[RunTask.__module__], "engine_version", lambda: "made up")
    study = plan_study([CaseSelection(paper, "1", tuple(paper.cases_of("1")), True)])
    # both as assumed, both with another seed, the one that knows the rate with 9.5 and 5; 10 is what is assumed
    assert len(study.runs()) == 6


def test_a_verdict_changes_where_the_value_leaves_its_tolerance_and_where_an_order_turns(effects: list[Effect]) -> None:
    told = {
        effect.variation.value: [(one.before.cell.measure, one.before.word, one.after.word) for one in effect.changes]
        for effect in effects
    }
    order = ("more", "missed", "reproduced")  # 10 is not above 10, but above 9.5
    assert told == {"seed 2": [], "9.5": [order], "5": [("near", "reproduced", "missed"), order], "10": []}
    # the reported cell is not judged, the other case's own cell is not touched
    assert [(effect.configurations, effect.judged) for effect in effects] == [(2, 3), (1, 2), (1, 2), (0, 0)]


def test_the_table_says_what_changed(effects: list[Effect]) -> None:
    assert row_of(effects[2]) == (
        "paper", "rate", "10", "5", "1", "2",
        "1/a `near`: reproduced (10), then missed (5); 1/b `more` above a: missed (10), then reproduced (10)",
    )  # fmt: skip
    assert summary(effects) == "4 variations, 2 of them with a verdict that changes"
    table = blocks_of(effects, "paper")[-1]
    assert isinstance(table, Table)
    assert len(table.rows) == 4
    assert blocks_of(effects, "another") == []


def test_a_paper_without_other_values_has_no_study(paper: Paper) -> None:
    silent = replace(paper, assumptions=paper.assumptions[:1])
    assert list(variations_of(silent)) == []
    with pytest.raises(SelectionError, match=r"paper: .* no other value .* laatu, gara"):
        plan_study([CaseSelection(silent, "1", tuple(silent.cases_of("1")), True)])


def test_what_the_fluid_engine_refuses_is_not_studied_with_it() -> None:
    hntes = PAPERS["hntes"]
    selection = CaseSelection(hntes, "4", tuple(hntes.cases_of("4")), True)
    with pytest.raises(SelectionError, match=r"^hntes: .* the fluid engine refuses"):
        plan_study([selection], "fluid")
    assert plan_study([selection], "packet").variations


@pytest.mark.parametrize("name", ["hntes", "laatu", "gara", "habib", "christin"])
def test_every_other_value_of_a_paper_changes_what_runs(name: str) -> None:
    paper = PAPERS[name]
    cases = [case for experiment in paper.experiments for case in paper.cases_of(experiment)]
    cases = list({(case.experiment_name, case.configuration): case for case in cases}.values())
    by_name = {case.name: case for case in cases}
    plain = cache(lambda name: by_name[name].scenario(1))
    for variation in variations_of(paper):
        assert any(variation.scenario(case) != plain(case.name) for case in cases), variation.value
