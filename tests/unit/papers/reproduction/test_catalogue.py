"""Rules for every paper: cells belong to its cases, measures are explained, names are distinct."""

import pytest

from hntes.papers.paper import Paper
from hntes.papers.reproduction.catalogue import PAPERS


@pytest.mark.parametrize("paper", PAPERS.values(), ids=PAPERS)
def test_every_cell_is_of_a_case_and_an_order_is_about_another(paper: Paper) -> None:
    for experiment in paper.experiments:
        there = {(case.configuration, case.variant) for case in paper.cases_of(experiment)}
        cells = paper.cells(experiment)
        assert cells
        for cell in cells:
            assert (cell.configuration, cell.variant) in there
            assert (cell.kind == "order") == bool(cell.above)
            if cell.above:
                assert cell.above != cell.configuration
                assert (cell.above, cell.variant) in there


@pytest.mark.parametrize("paper", PAPERS.values(), ids=PAPERS)
def test_every_measure_is_explained(paper: Paper) -> None:
    measures = {cell.measure for experiment in paper.experiments for cell in paper.cells(experiment)}
    assert [name for name in measures if not paper.explain(name)] == []


@pytest.mark.parametrize("paper", PAPERS.values(), ids=PAPERS)
def test_no_cell_is_judged_on_what_something_was_fitted_on(paper: Paper) -> None:
    for assumption in paper.assumptions:
        if assumption.fitted_on:
            experiment, configuration = assumption.fitted_on.split("/")
            kinds = {cell.kind for cell in paper.cells(experiment) if cell.configuration == configuration}
            assert kinds
            assert kinds <= {"reported", "predicted", "order"}


@pytest.mark.parametrize("name", [name for name in PAPERS if name != "hntes"])
def test_only_the_testbeds_queues_stay_closed_once_full(name: str) -> None:
    paper = PAPERS[name]
    for case in (paper.cases_of(experiment)[0] for experiment in paper.experiments):
        scenario = case.scenario(1)
        assert {one.reopen_bytes for one in scenario.links} | {port.reopen_bytes for port in scenario.ports} == {0}


def test_no_two_cases_have_one_name() -> None:
    cases = [
        case.name
        for paper in PAPERS.values()
        for experiment in paper.experiments
        for case in paper.cases_of(experiment)
    ]
    assert len(set(cases)) == len(cases)
    stems = [paper.stem(experiment) for paper in PAPERS.values() for experiment in paper.experiments]
    assert len(set(stems)) == len(stems)
