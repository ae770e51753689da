"""The report on made-up runs and verdicts: a golden text, and what must be in it."""

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from hntes.papers.cells import CellVerdict, PublishedCell, assess
from hntes.papers.hntes.explained import explain
from hntes.papers.hntes.paper import HNTES
from hntes.papers.paper import CaseRuns, Paper
from hntes.papers.reproduction import CaseSelection, Reproduction
from hntes.papers.reproduction.catalogue import PAPERS
from hntes.papers.reproduction.document import anchor, to_markdown
from hntes.papers.reproduction.report import FigureNote, report
from hntes.papers.reproduction.reproduce import SkippedCell
from hntes.simulator.runs.task import FinishedRun, RunTask
from hntes.simulator.testbed.experiments import load_experiment
from tests.support.runs import made_up_run

GOLDEN = Path(__file__).parent.parent.parent.parent / "golden" / "reproduction" / "report.md"


def _made_up() -> Reproduction:
    case = load_experiment(4).case("2-queues")
    runs = tuple(FinishedRun(RunTask(f"seed {seed}", {}), made_up_run(seed)) for seed in (1, 2))
    throughput = PublishedCell(
        "hntes", "4", "2-queues", "", "tcp_gbps", "transient", 0.1, 6.0, cause="links <10 Gb/s | made up."
    )
    judged: tuple[CellVerdict | SkippedCell, ...] = (
        assess(throughput, 6.1, 6.0, 6.2),
        assess(throughput, 7.1, 6.9, 7.2),
        assess(replace(throughput, measure="startup_lost_pkts", kind="factor", within=1.5, cause=""), 99.0, 9.0, 999.0),
        assess(replace(throughput, measure="lost_pkts", kind="reported"), 5050.0, 5050.0, 5050.0),
        assess(replace(throughput, measure="jain_51_151", kind="predicted", published=None), 0.5, 0.5, 0.5),
        SkippedCell(replace(throughput, measure="ping_mean_ms"), "packets change their queue"),
    )
    parameters = {"host": {"stall_us": 200.0}, "tcp": {"undo": True, "merge_segments": 44}}
    selection = CaseSelection(HNTES, "4", (case,), whole=False)
    return Reproduction("fluid", "abc123", 2, parameters, (selection,), (CaseRuns(HNTES, case, runs),), judged)


def test_the_report_reads_as_it_did(golden: Callable[[Path, str], None]) -> None:
    figures = [
        FigureNote("hntes", "4", "experiment4-throughput", "Throughput."),
        FigureNote("hntes", "5", "other", "Of another experiment."),
    ]
    golden(GOLDEN, to_markdown(report(_made_up(), figures)))


@pytest.mark.parametrize("paper", PAPERS.values(), ids=PAPERS)
def test_each_publication_has_its_address_beside_it_or_that_none_is_known(paper: Paper) -> None:
    selection = CaseSelection(paper, next(iter(paper.experiments)), (), whole=False)
    text = to_markdown(report(replace(_made_up(), selections=(selection,), cases=(), outcomes=()), []))
    expected = "No lasting address" if paper.address is None else f"]({paper.address.url})"
    assert text.split(paper.publication)[1].split("\n\n")[1].count(expected) == 1


def test_every_miss_is_listed_with_its_cause_or_that_none_is_known() -> None:
    lines = [line for line in to_markdown(report(_made_up(), [])).splitlines() if "Believed cause:" in line]
    assert lines == [
        "- Believed cause: links &lt;10 Gb/s | made up. 1 cell: experiment 4, 2-queues: `tcp_gbps` 7.1 (published 6).",
        "- Believed cause: not known. 1 cell: experiment 4, 2-queues: `startup_lost_pkts` 99 (published 6).",
    ]


def test_misses_of_one_cause_stand_together_and_are_counted_in_the_matrix() -> None:
    verdict = _made_up().outcomes[1]
    missed = replace(verdict, cell=replace(verdict.cell, measure="first_second_gbps", published=None, kind="at_most"))
    text = to_markdown(report(replace(_made_up(), outcomes=(*_made_up().outcomes, missed)), []))
    assert (
        "2 cells: experiment 4, 2-queues: `tcp_gbps` 7.1 (published 6), `first_second_gbps` 7.1 (at most 0.1)." in text
    )
    assert "| 4 | 1 | 3 | links &lt;10 Gb/s \\| made up (2); not known (1) |" in text


def test_a_figure_comes_before_the_table_of_its_experiment_and_contents_before_both() -> None:
    text = to_markdown(report(_made_up(), [FigureNote("hntes", "4", "figure", "Throughput.")]))
    title = "Experiment 4: Policing with WRED against policing into a scavenger-service queue"
    link = "- [" + title + "](#experiment-4-policing-with-wred-against-policing-into-a-scavenger-service-queue)"
    places = [text.index(part) for part in (link, f"## {title}", "](figures/figure.svg)", "| configuration | measure")]
    assert places == sorted(places)


def test_the_matrix_names_two_causes_and_counts_the_others() -> None:
    missed = _made_up().outcomes[1]
    causes = ("first", "first", "first", "second", "second", "third", "fourth")
    outcomes = tuple(replace(missed, cell=replace(missed.cell, cause=cause)) for cause in causes)
    text = to_markdown(report(replace(_made_up(), outcomes=outcomes), []))
    assert "| 7 | 0 | 7 | first (3); second (2); 2 other causes (2), under Misses |" in text
    assert [line.split(".")[0] for line in text.splitlines() if line.startswith("- Believed cause:")] == [
        f"- Believed cause: {cause}" for cause in dict.fromkeys(causes)
    ]


def test_every_experiment_is_found_by_readers_of_markdown_alike() -> None:
    for paper in PAPERS.values():
        for name, about in paper.experiments.items():
            title = f"Experiment {name}: {about}"
            plainly = re.sub(r"[^\w\- ]", "", title.lower()).strip().replace(" ", "-")
            assert anchor(title) == plainly  # some make one hyphen of several, others do not


def test_several_papers_begin_with_a_line_for_each() -> None:
    papers = [PAPERS[name] for name in ("hntes", "laatu")]
    selections = tuple(CaseSelection(paper, next(iter(paper.experiments)), (), whole=False) for paper in papers)
    text = to_markdown(report(replace(_made_up(), selections=selections, cases=()), []))
    matrix = text.split("\n\n")[2].splitlines()
    assert matrix[0].startswith("| paper | judged | reproduced | missed | believed cause | reported | predicted |")
    assert [line.split(" | ")[0] for line in matrix[2:]] == ["| hntes", "| laatu", "| all"]
    assert matrix[2].startswith("| hntes | 3 | 1 | 2 | links")
    assert matrix[3].startswith("| laatu | 0 | 0 | 0 |")


def test_every_reported_value_is_listed_with_the_cause_of_its_distance() -> None:
    text = to_markdown(report(_made_up(), []))
    lines = [line for line in text.splitlines() if "cause of the distance" in line]
    assert len(lines) == 1
    assert lines[0].startswith("- Believed cause of the distance: links &lt;10 Gb/s | made up. 1 cell:")
    assert "`lost_pkts` 5050 (published 6)" in lines[0]
    none = replace(_made_up(), outcomes=_made_up().outcomes[:1])
    assert "Reported, not judged" not in to_markdown(report(none, []))


def test_every_reported_cell_has_a_cause() -> None:
    cells = [cell for number in range(1, 8) for cell in HNTES.cells(str(number)) if cell.kind == "reported"]
    assert len(cells) >= 7
    assert [(cell.configuration, cell.measure) for cell in cells if not cell.cause] == []


def test_no_miss_is_said_too() -> None:
    fine = replace(_made_up(), outcomes=_made_up().outcomes[:1])
    assert "None: every judged cell is within its tolerance." in to_markdown(report(fine, []))


def test_every_published_measure_is_explained() -> None:
    used = {cell.measure for number in range(1, 8) for cell in HNTES.cells(str(number))}
    assert [name for name in used if not explain(name)] == []
    assert explain("tcp2_gbps_51_151") == "payload of TCP2 that arrived, in Gb/s, mean, from 51 to 151 s"
    assert explain("nobody_knows") == ""
