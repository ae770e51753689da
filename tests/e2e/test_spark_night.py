"""A night with Spark by the command line: the same bytes everywhere as on one machine."""

import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from hntes.etl.engines.spark import SparkMachines
from tests.conftest import IN_CI
from tests.support import spark
from tests.support.installation import Installation, demo_installation
from tests.support.state import differences, without_surroundings

pytestmark = spark.SPARK_TEST

WITH_SPARK = f"""[analytics]
kind = "spark"
[analytics.spark]
max_cores = 2
[analytics.spark.conf]
"spark.driver.extraJavaOptions" = "{spark.JAVA_OPTIONS}"

[plans.recommended]"""
NIGHT, ROUTER = "2026-11-22", "r2"
COMMAND = ("nightly", "--day", NIGHT, "--router", ROUTER, "--json")
FINISHED_WITH_PROBLEMS = 3  # that night this router has a file that was cut off


def night(site: Installation) -> str:
    """What a night prints."""
    return site.run(*COMMAND, expect=FINISHED_WITH_PROBLEMS).stdout


def night_by_itself(site: Installation) -> str:
    """As `night`, in a process of its own, which ends its Spark."""
    done = subprocess.run(site.command(*COMMAND), capture_output=True, text=True, check=False)
    assert done.returncode == FINISHED_WITH_PROBLEMS, done.stderr
    return done.stdout


def test_a_night_with_spark_leaves_the_same_state(tmp_path: Path, spark_machines: SparkMachines) -> None:
    spark_machines.close()  # one session a process: the command starts its own, in the Java that runs here already
    _compare(tmp_path, night)
    # the command has ended its session
    spark_machines.check()


@pytest.mark.long
def test_a_night_with_spark_in_a_process_of_its_own_and_run_again(tmp_path: Path) -> None:
    if missing := spark.missing():
        assert not IN_CI, missing
        pytest.skip(missing)
    there = _compare(tmp_path, night_by_itself)
    before = there.state()
    night_by_itself(there)
    assert there.state() == before


def _compare(folder: Path, run: Callable[[Installation], str]) -> Installation:
    """Runs the night without and with Spark; the installation with it."""
    here = demo_installation(folder / "here")
    there = demo_installation(folder / "there")
    text = there.settings.read_text()
    there.settings.write_text(text.replace("[plans.recommended]", WITH_SPARK))
    # A change expires some time after its proposal.
    done, expected = (re.sub(r'"expires_ms": \d+', "", run(site)) for site in (there, here))
    assert done.replace(str(there.output), "") == expected.replace(str(here.output), "")
    # The settings say which machines read and search.
    assert differences(without_surroundings(there.state()), without_surroundings(here.state())) == []
    return there
