"""The dashboard and the alert rules that ship ask for what `hntes metrics` writes, and nothing else."""

import json
import re
import shutil
import subprocess
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from prometheus_client.parser import text_string_to_metric_families

from hntes.sql.counter_hours import CounterDay
from hntes.sql.entries import OutcomeCount
from hntes.workflow.delivery.drift_known import KnownDrift
from hntes.workflow.reports.metrics import DaySums, RouterState, exposition
from tests.support.installation import ROOT
from tests.support.prepared_nights import PreparedNights
from tests.support.promql import MetricLabel, asked, shown_labels

FOLDER = ROOT / "docker" / "monitoring"
EXAMPLES = ROOT / "tests" / "data" / "alert_examples.yml"
# Of the node exporter's textfile collector, in its own documentation.
FOREIGN = {MetricLabel("node_textfile_mtime_seconds", ""), MetricLabel("node_textfile_mtime_seconds", "file")}


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory, prepared_nights: PreparedNights) -> set[MetricLabel]:
    """Every metric that is written, with its labels: of changes that are approved, that wait and that are held."""
    site = prepared_nights.site(tmp_path_factory.mktemp("metrics") / "site")
    waiting = {change["router"]: change["candidate_hash"] for change in site.json("change", "list")}
    site.run("change", "approve", "--router", "r1", "--hash", waiting["r1"], "--who", "anna")
    site.run("change", "defer", "--router", "r2", "--until", "2099-01-01", "--reason", "freeze", "--who", "anna")
    text = site.run("metrics").stdout + _seldom_written()
    return {
        found
        for family in text_string_to_metric_families(text)
        for sample in family.samples
        for found in (MetricLabel(sample.name, ""), *(MetricLabel(sample.name, label) for label in sample.labels))
    }


_SELDOM = ("hntes_day_set_aside_records", "hntes_router_", "hntes_counters_", "hntes_reservation",
           "hntes_day_flow_to_counter_ratio")  # fmt: skip


def _seldom_written() -> str:
    """The demonstration sets no record aside, reserves nothing, and reaches no router whose drift or counters could be
    seen."""
    aside = (OutcomeCount("r1", "set_aside:days_old", 1, 100),)
    state = RouterState(
        "r1", None, DaySums(0, 0, 0), (), None, (), aside, drift=KnownDrift("r1", "changed", 1000, 1000),
        never_matched=2, late=0, scheduled_waiting=1,
        counted=(CounterDay("r1", date(2026, 11, 20), 1, "in", 100, 98, 60, True),),
    )  # fmt: skip
    lines = exposition([state]).splitlines(keepends=True)
    return "".join(line for line in lines if line.startswith(_SELDOM))


def panels() -> list[dict[str, Any]]:
    dashboard = json.loads((FOLDER / "hntes-dashboard.json").read_text(encoding="utf-8"))
    found: list[dict[str, Any]] = dashboard["panels"]
    return found


def rules() -> list[dict[str, str]]:
    """The rules by the lines of the file: a file of this form needs no more to be read."""
    text = (FOLDER / "hntes-alerts.yml").read_text(encoding="utf-8")
    form = (
        r"- alert: (\w+)\n +expr: (.+)\n(?: +for: \w+\n)? +labels: \{severity: (\w+)\}\n"
        r' +annotations:\n +summary: "(.+)"\n'
    )
    found = [dict(zip(("alert", "expr", "severity", "summary"), one, strict=True)) for one in re.findall(form, text)]
    assert len(found) == text.count("- alert:") > 10
    return found


def test_what_is_asked_for_is_found_in_an_expression() -> None:
    found = asked('sum by (router) (hntes_a{router=~"$router",reason!="x"}) unless on(router) hntes_b')
    pairs = [("hntes_a", ""), ("hntes_a", "router"), ("hntes_a", "reason"), ("hntes_b", ""), ("hntes_b", "router")]
    assert found == {MetricLabel(*pair) for pair in pairs}


def test_every_panel_asks_for_metrics_that_are_written(written: set[MetricLabel]) -> None:
    dashboard = json.loads((FOLDER / "hntes-dashboard.json").read_text(encoding="utf-8"))
    for variable in dashboard["templating"]["list"]:
        if variable["type"] == "query":
            assert asked(variable["definition"]) <= written
    for panel in panels():
        for target in panel["targets"]:
            wanted = asked(target["expr"])
            labels = {
                MetricLabel(one.metric, label) for one in wanted for label in shown_labels(target["legendFormat"])
            }
            assert wanted | labels <= written, panel["title"]
    assert len({panel["id"] for panel in panels()}) == len(panels())


def test_every_metric_is_on_the_dashboard(written: set[MetricLabel]) -> None:
    drawn = {one.metric for panel in panels() for target in panel["targets"] for one in asked(target["expr"])}
    assert {one.metric for one in written} == drawn


def test_every_alert_asks_for_metrics_that_are_written(written: set[MetricLabel]) -> None:
    for rule in rules():
        wanted = asked(rule["expr"])
        # what a rule takes away by `unless` is not in what it shows
        first = {one.metric for one in asked(rule["expr"].partition(" unless ")[0])}
        labels = {MetricLabel(metric, label) for metric in first for label in shown_labels(rule["summary"])}
        assert wanted
        assert (wanted | labels) - FOREIGN <= written, rule["alert"]


def test_every_alert_is_explained_and_has_an_example() -> None:
    explained = (ROOT / "docs" / "how-to" / "monitor.md").read_text(encoding="utf-8")
    examples = EXAMPLES.read_text(encoding="utf-8")
    for rule in rules():
        row = next(line for line in explained.splitlines() if line.startswith(f"| `{rule['alert']}` |"))
        assert f"`{rule['expr']}`" in row.replace("\\|", "|")
        assert f"alertname: {rule['alert']}\n        exp_alerts:\n          - exp_labels" in examples
    assert sorted(re.findall(r"^\| `(Hntes\w+)` \|", explained, re.MULTILINE)) == sorted(r["alert"] for r in rules())


@pytest.mark.long
@pytest.mark.skipif(
    shutil.which("promtool") is None, reason="no promtool on the path; Debian's package prometheus has it"
)
def test_prometheus_itself_takes_the_rules_and_the_examples_fire(tmp_path: Path) -> None:
    for file in (FOLDER / "hntes-alerts.yml", EXAMPLES):
        shutil.copy(file, tmp_path)
    for command in (("check", "rules", "hntes-alerts.yml"), ("test", "rules", EXAMPLES.name)):
        done = subprocess.run(["promtool", *command], cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
