"""The report: escaped wherever a text could be taken for markup, and the same bytes for the same judgement."""

from pathlib import Path

from gate import Judgement, Verdict, judge
from gate.report import ReportHeading, html, markdown, outcome_word, value_words, write_report
from settings.model import Gate
from settings.plans import TwoQueue
from simulator import MemoryRuns
from tests.support.gate_subjects import small_model, subject_of
from tests.unit.gate.test_lab import lab_on

HEADING = ReportHeading("r<1>", "flows of 2026-11-20", "ab" * 32)
EVIL = Verdict("structure", "findings", "failed", 'class "a|b" </td><script>alert(1)</script>', 0.0, 1.0, "findings")


def test_html_is_escaped() -> None:
    page = html(HEADING, Judgement((EVIL,), ()), [])
    assert "<script>" not in page
    assert "&lt;script&gt;" in page
    assert "r&lt;1&gt;" in page


def test_a_bar_does_not_end_a_cell_of_markdown() -> None:
    (row,) = (line for line in markdown(HEADING, Judgement((EVIL,), ())).splitlines() if "alert" in line)
    assert 'class "a\\|b"' in row


def test_a_report_has_the_table_the_queues_and_the_figures_and_is_the_same_again(tmp_path: Path) -> None:
    gate, lab = Gate(), lab_on(MemoryRuns())
    judgement = judge(subject_of(small_model("iosxr", TwoQueue(kind="two_queue"))), gate, lab)
    files = write_report(tmp_path / "one", HEADING, judgement, gate, lab)
    again = write_report(tmp_path / "two", HEADING, judgement, gate, lab_on(MemoryRuns()))
    for kind, path in files.items():
        assert path.read_bytes() == again[kind].read_bytes()
    page = files["gate page"].read_text()
    assert page.count("<svg") == 2
    assert "http://" not in page.replace("http://www.w3.org/", "").replace("http://purl.org/", "").replace(
        "http://creativecommons.org/", ""
    )
    assert "queue 4 (hntes-queue-alpha" in page
    assert "ranks these queues alike" in page
    text = files["gate"].read_text()
    assert text.count("| passed |") + text.count("| reported |") + text.count("| FAILED |") == len(judgement.verdicts)


def test_words_for_outcomes_and_values() -> None:
    passing = [Verdict(name, "m", "passed", "") for name in ("structure", "delay", "throughput", "order", "beta")]
    passing += [Verdict("fairness", "m", "passed", ""), Verdict("surprise", "m", "reported", "")]
    assert outcome_word(Judgement(tuple(passing), ())) == "passed"
    assert outcome_word(Judgement(tuple(passing[:-1]), ())) == "not judged"
    assert outcome_word(Judgement((*passing, EVIL), ())) == "FAILED"
    assert value_words(None, "ms") == ""
    assert value_words(374059.0, "packets") == "374059 packets"
    assert value_words(0.98765, "") == "0.988"
