"""`hntes check` asks the analytics engine, so that one that is missing is told before the night."""

import subprocess
from pathlib import Path

import pytest

from tests.support.installation import ROOT, demo_installation

WITHOUT_MASTER = '[analytics]\nkind = "spark"\n[analytics.spark]\nmaster = "spark://127.0.0.1:9"\n\n[plans.recommended]'


def test_the_engine_inside_the_process_answers(tmp_path: Path) -> None:
    assert "engine:   duckdb" in demo_installation(tmp_path / "site").run("check").stdout


def test_a_spark_that_does_not_answer_is_told(tmp_path: Path) -> None:
    pytest.importorskip("pyspark", reason="pyspark is not installed: make everything")
    site = demo_installation(tmp_path / "site", **{"[plans.recommended]": WITHOUT_MASTER})
    # In a process of its own: other tests may have left a Spark session in this one.
    done = subprocess.run(site.command("check"), cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "hntes: no Spark master answers (127.0.0.1:9: Connection refused)" in done.stderr


def test_who_sends_is_named_and_whether_it_is_believed(tmp_path: Path) -> None:
    site = demo_installation(tmp_path / "site")
    site.run("ingest", "--all", "--router", "r2", expect=3)
    said = site.run("check").stdout
    assert (
        "router r2: lists no exporters, so whoever reaches the collector is believed; heard so far: exporters" in said
    )
    assert "which no router lists" not in said
    listed = demo_installation(tmp_path / "listed", **{'name = "r2"': 'name = "r2"\nexporters = ["192.0.2.99"]'})
    listed.run("ingest", "--all", "--router", "r2", expect=3)
    said = listed.run("check").stdout
    assert "router r2: lists" not in said
    assert "which no router lists, are not believed" in said
