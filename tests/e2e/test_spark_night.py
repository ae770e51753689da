"""A night with Spark by the command line: the same bytes everywhere as with the engine inside the process."""

import subprocess
from pathlib import Path

import pytest

from tests.conftest import IN_CI
from tests.support import spark
from tests.support.installation import Installation, demo_installation
from tests.support.state import differences, without_surroundings

pytestmark = spark.SPARK_TEST

WITH_SPARK = f"""[analytics]
kind = "spark"
[analytics.spark]
shuffle_partitions = 2
[analytics.spark.conf]
"spark.driver.extraJavaOptions" = "{spark.JAVA_OPTIONS}"

[plans.recommended]"""
NIGHT, ROUTER = "2026-11-22", "r2"
FINISHED_WITH_PROBLEMS = 3  # that night this router has a file that was cut off


def night(site: Installation) -> "subprocess.CompletedProcess[str]":
    """In a process of its own, which ends its Spark."""
    command = site.command("nightly", "--day", NIGHT, "--router", ROUTER, "--json")
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("again", [False, pytest.param(True, marks=pytest.mark.long)])
def test_a_night_with_spark_leaves_the_same_state(tmp_path: Path, again: bool) -> None:
    if missing := spark.missing():
        assert not IN_CI, missing
        pytest.skip(missing)
    here = demo_installation(tmp_path / "here")
    there = demo_installation(tmp_path / "there")
    text = there.settings.read_text()
    there.settings.write_text(text.replace("[plans.recommended]", WITH_SPARK))
    done = night(there)
    assert done.returncode == FINISHED_WITH_PROBLEMS, done.stderr
    expected = night(here)
    assert expected.returncode == FINISHED_WITH_PROBLEMS, expected.stderr
    assert done.stdout.replace(str(there.output), "") == expected.stdout.replace(str(here.output), "")
    # The settings say which engine reads and searches.
    assert differences(without_surroundings(there.state()), without_surroundings(here.state())) == []
    if again:
        before = there.state()
        assert night(there).returncode == FINISHED_WITH_PROBLEMS
        assert there.state() == before
