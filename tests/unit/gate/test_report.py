"""The report: escaped wherever a text could be taken for markup, and the same bytes for the same judgement."""

import re
from pathlib import Path

from hntes.gate import Judgement, Verdict, judge
from hntes.gate.figure_files import read_figures
from hntes.gate.loosened import loosened
from hntes.gate.report import ReportHeading, html, markdown, outcome_word, write_report
from hntes.gate.verdict import value_words
from hntes.settings.model import Gate
from hntes.settings.plans import TwoQueue
from hntes.simulator import MemoryRuns
from tests.support.gate_subjects import small_model, subject_of
from tests.unit.gate.test_lab import lab_on

CHANGED = ReportHeading("r1", "flows of 2026-11-20", "ab" * 32, "1 pair added; of 5 GB <of> alpha traffic")
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
    read_back = read_figures(tmp_path / "one", HEADING.candidate_hash)
    assert [page.count(each.svg) for each in read_back] == [1, 1]
    assert [each.port for each in read_back] == [judgement.plans[0].port.name] * 2
    assert read_figures(tmp_path / "one", "cd" * 32) == ()
    assert "http://" not in page.replace("http://www.w3.org/", "").replace("http://purl.org/", "").replace(
        "http://creativecommons.org/", ""
    )
    assert "queue 4 (hntes-queue-alpha" in page
    assert "ranks these queues alike" in page
    text = files["gate"].read_text()
    assert text.count("| passed |") + text.count("| reported |") + text.count("| FAILED |") == len(judgement.verdicts)


def test_the_page_is_for_telephones_and_dark_rooms_too() -> None:
    page = html(HEADING, Judgement((EVIL,), ()), [])
    assert '<meta name="viewport" content="width=device-width, initial-scale=1">' in page
    assert "prefers-color-scheme: dark" in page
    style = page[page.index("<style>") : page.index("</style>")]
    named, used = set(re.findall(r"(--\w+):", style)), set(re.findall(r"var\((--\w+)\)", style))
    assert named == used, "a colour that is defined once for light and once for dark, and used"
    assert all(style.count(f"{name}:") == 2 for name in named)


def test_words_for_outcomes_and_values() -> None:
    passing = [Verdict(name, "m", "passed", "") for name in ("structure", "delay", "throughput", "order", "beta")]
    passing += [Verdict("fairness", "m", "passed", ""), Verdict("surprise", "m", "reported", "")]
    passing += [Verdict("premium", "m", "reported", ""), Verdict("reach", "m", "passed", "")]
    passing += [Verdict("bursts", "m", "passed", ""), Verdict("classes", "m", "reported", "")]
    assert outcome_word(Judgement(tuple(passing), ())) == "passed"
    assert outcome_word(Judgement(tuple(passing[:-1]), ())) == "not judged"
    assert outcome_word(Judgement((*passing, EVIL), ())) == "FAILED"
    assert value_words(None, "ms") == ""
    assert value_words(374059.0, "packets") == "374059 packets"
    assert value_words(0.98765, "") == "0.988"


def test_markdown_holds_no_markup_of_a_files_name() -> None:
    heading = ReportHeading("r1", "<img src=x onerror=alert(1)>[a](b)*c*`d`\n# e.conf", "ab" * 32)
    first = markdown(heading, Judgement((EVIL,), ())).splitlines()[0]
    assert "<" not in first
    for mark in ("[", "*", "`"):
        assert mark not in first.replace(f"\\{mark}", "")
    assert first.endswith(".conf")


def test_markdown_cells_hold_no_html() -> None:
    text = markdown(HEADING, Judgement((EVIL,), ()))
    assert "<" not in text
    assert "&lt;script&gt;" in text


def test_what_changes_stands_in_both_reports_and_is_no_markup() -> None:
    judgement = Judgement((EVIL,), ())
    for text in (markdown(CHANGED, judgement), html(CHANGED, judgement, [])):
        assert "Change: 1 pair added; of 5 GB &lt;of&gt; alpha traffic." in text
    assert "Change:" not in markdown(HEADING, judgement) + html(HEADING, judgement, [])


def test_loosened_limits_are_marked_in_both_reports() -> None:
    looser = loosened(Gate(delay_increase_ms=5, throughput_pct=60, beta_loads_pct=(5.0,)))
    assert looser == (
        "delay_increase_ms 5 (default 1)",
        "throughput_pct 60 (default 95)",
        "beta_loads_pct up to 5 (default 30)",
    )
    judgement = Judgement((EVIL,), ())
    assert "Limits loosened: delay_increase_ms 5 (default 1)" in markdown(HEADING, judgement, looser)
    assert "Limits loosened: delay_increase_ms 5 (default 1)" in html(HEADING, judgement, [], looser)
    assert "loosened" not in markdown(HEADING, judgement, loosened(Gate(delay_increase_ms=0.5)))
