"""The same recorded files here and by a Spark Connect server on loopback: the same lake, ledger and observations."""

import json
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path

import pytest

from hntes.etl.detect.alpha import DetectionRule, detect_day
from hntes.etl.engines.duck import DuckEngine
from tests.conftest import IN_CI, ROOT
from tests.support.recorded import ingested
from tests.support.spark import SPARK_TEST, connect_missing
from tests.support.spark_cluster import connect_server
from tests.support.state import state_of

pytestmark = [*SPARK_TEST, pytest.mark.long]  # test_spark_machines.py has one cluster in every run

SMALL_TRANSFER = 100_000


def test_a_connect_server_finds_the_same(shared_data: Path, tmp_path: Path) -> None:
    if missing := connect_missing():
        assert not IN_CI, missing
        pytest.skip(missing)
    flows = shared_data / "transfers" / "run_a" / "one_dir"
    folders = {name: tmp_path / name for name in ("here", "connect")}
    for folder in folders.values():
        folder.mkdir()
    here = ingested(flows, folders["here"], None, by_rows=False)
    rule = DetectionRule(threshold_bytes=SMALL_TRANSFER)
    expected = {
        day.isoformat(): [asdict(one) for one in detect_day(DuckEngine(), here.lake, here.parts, "r1", day, rule)]
        for day in here.days
    }
    assert any(expected.values())

    with connect_server() as address:
        command = [sys.executable, "-m", "tests.support.spark_connect_client"]
        command += [address, str(flows), str(folders["connect"]), str(SMALL_TRANSFER)]
        client = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert client.returncode == 0, client.stderr[-3000:]
    answer = json.loads(client.stdout)
    assert answer["found"] == json.loads(json.dumps(expected, default=str))
    assert "the ledger names this part but it is gone" in answer["told"]
    assert answer["code"].endswith("/hntes-code/hntes")
    lake = folders["connect"] / "lake"
    assert state_of(f"sqlite:///{folders['connect'] / 'hntes.db'}", lake) == here.state
