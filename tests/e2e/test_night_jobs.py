"""Nights of several routers side by side: the state and the document of one after another, and one that hangs alone."""

import fcntl
import re
import shutil
from pathlib import Path

import pytest

from hntes.etl.lake.part import folder_tag
from tests.support.installation import ROOT, demo_installation
from tests.support.state import differences

pytestmark = pytest.mark.slow

NIGHT, FINISHED_WITH_PROBLEMS = "2026-11-22", 3  # that night one router has a file that was cut off


def test_a_night_side_by_side_is_the_night_one_by_one(tmp_path: Path) -> None:
    one, three = (demo_installation(tmp_path / name) for name in ("one", "three"))
    documents = []
    for site, jobs in ((one, "1"), (three, "3")):
        text = site.run("nightly", "--day", NIGHT, "--jobs", jobs, "--json", expect=FINISHED_WITH_PROBLEMS).stdout
        documents.append(re.sub(r'"expires_ms": \d+', "", text).replace(str(site.output), ""))
    assert documents[1] == documents[0]
    assert '"failures": {}' in documents[0]
    assert differences(three.state(), one.state()) == []


def test_a_folder_that_hangs_and_one_that_is_missing_cost_their_routers_alone(tmp_path: Path) -> None:
    flows = tmp_path / "flows"
    shutil.copytree(ROOT / "demo" / "flows", flows)
    site = demo_installation(tmp_path / "site", **{f'"{ROOT / "demo" / "flows"}/': f'"{flows}/'})
    shutil.rmtree(flows / "r2")
    lock = site.lake / ".locks" / folder_tag(flows / "r1")
    lock.parent.mkdir(parents=True)
    with lock.open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)  # for which ingest waits ten minutes
        arguments = ("nightly", "--day", NIGHT, "--jobs", "3", "--limit-s", "120")
        night = site.json(*arguments, expect=FINISHED_WITH_PROBLEMS)
    assert night["failures"].keys() == {"r1", "r2"}
    assert "it took more than 120 s and was ended" in night["failures"]["r1"]
    assert "no such flow folder" in night["failures"]["r2"]
    assert night["proposed"].keys() == night["judged"].keys() == {"r3"}
    again = site.json("nightly", "--day", NIGHT, "--router", "r1", "--jobs", "2")
    assert again["proposed"].keys() == {"r1"}
