"""Kept runs: what is read back is what was kept, and nothing else is believed."""

import hashlib
import json
import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from hntes.files import temporary_name
from hntes.simulator.results import EngineName
from hntes.simulator.runs.files import RunFolder, read_run, write_run
from hntes.simulator.runs.key import run_key
from hntes.simulator.runs.store import BrokenRunError
from hntes.simulator.scenario import Host, Link, Scenario, Tcp, to_document
from hntes.simulator.steadiness.reading import Reading
from tests.support.runs import made_up_run

LINK = Link("a", "b", 1e9, 5.0)
SCENARIO = Scenario("x", 10.0, 1, (Host(name="a"), Host(name="b")), (), (LINK,), Tcp(), ())
KEY = run_key(SCENARIO, "packet", "v1")


def test_a_kept_run_comes_back_whole(tmp_path: Path) -> None:
    kept = replace(made_up_run(), imbalances=("link A->B: 1 packet too many",))
    RunFolder(tmp_path).put(KEY, kept)
    found = RunFolder(tmp_path).get(KEY)
    assert found is not None
    assert replace(found, series={}) == replace(kept, series={})
    assert list(found.series) == list(kept.series)
    for name, values in kept.series.items():
        assert found.series[name].dtype == values.dtype
        assert np.array_equal(found.series[name], values)


@pytest.mark.parametrize(
    ("scenario", "engine", "version"),
    [
        (replace(SCENARIO, seed=2), "packet", "v1"),
        (replace(SCENARIO, links=(replace(LINK, rate_bps=1e9 + 1),)), "packet", "v1"),
        (SCENARIO, "fluid", "v1"),
        (SCENARIO, "packet", "v2"),
    ],
)
def test_another_scenario_engine_or_version_is_another_key(
    scenario: Scenario, engine: EngineName, version: str
) -> None:
    assert run_key(scenario, engine, version) != KEY


def test_a_key_is_the_hash_of_all_that_decides_in_canonical_json() -> None:
    asked = {
        "scenario": to_document(SCENARIO), "fallback": to_document(replace(SCENARIO, seed=2)), "engine": "fluid",
        "engine_version": "v1", "layout": 1, "reading": {"kind": "goodput", "from_s": 5.0},
    }  # fmt: skip
    digest = hashlib.sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest()
    fallback = replace(SCENARIO, seed=2)
    assert run_key(SCENARIO, "fluid", "v1", fallback, Reading("goodput", 5.0)) == digest[:32]


def test_an_equal_scenario_has_the_same_key_whatever_was_asked_of_it_before() -> None:
    other = replace(SCENARIO, seeds={"b": 2, "a": 1})
    assert run_key(replace(SCENARIO, seeds={"a": 1, "b": 2}), "packet", "v1") == run_key(other, "packet", "v1")
    assert other.json != replace(other, seed=2).json


def test_nothing_kept_is_nothing_found(tmp_path: Path) -> None:
    assert RunFolder(tmp_path).get(KEY) is None


def test_a_fresh_folder_finds_nothing_and_still_keeps(tmp_path: Path) -> None:
    RunFolder(tmp_path, fresh=True).put(KEY, made_up_run())
    assert RunFolder(tmp_path, fresh=True).get(KEY) is None
    assert RunFolder(tmp_path).get(KEY) is not None


def test_pings_without_a_reply_and_runs_without_series_come_back(tmp_path: Path) -> None:
    for series in ({"flow/ping/rtt_ms": np.empty(0)}, {}):
        RunFolder(tmp_path).put(KEY, replace(made_up_run(), series=series))
        found = RunFolder(tmp_path).get(KEY)
        assert found is not None
        assert {name: len(values) for name, values in found.series.items()} == dict.fromkeys(series, 0)


@pytest.mark.parametrize("cut", [0, 1, 200, -1])
def test_a_file_that_was_cut_off_is_not_believed(tmp_path: Path, cut: int) -> None:
    path = tmp_path / f"{KEY}.parquet"
    write_run(path, KEY, made_up_run())
    path.write_bytes(path.read_bytes()[:cut])
    with pytest.raises(BrokenRunError, match=rf"{KEY}\.parquet: not a kept run, or damaged"):
        RunFolder(tmp_path).get(KEY)


def test_a_changed_number_is_not_believed(tmp_path: Path) -> None:
    path = tmp_path / "run.parquet"
    write_run(path, KEY, made_up_run())
    table = pq.read_table(path)
    numbers = table.column("numbers").to_pylist()
    numbers[1][0] += 1.0
    column = table.schema.get_field_index("numbers")
    changed = table.set_column(column, table.schema.field(column), [numbers])
    pq.write_table(changed.replace_schema_metadata(table.schema.metadata), path)
    with pytest.raises(BrokenRunError, match="holds something other than what was kept"):
        read_run(path, KEY)


def test_a_run_under_another_runs_name_is_not_believed(tmp_path: Path) -> None:
    write_run(tmp_path / "run.parquet", "another key", made_up_run())
    with pytest.raises(BrokenRunError, match="holds something other than what was kept"):
        read_run(tmp_path / "run.parquet", KEY)


def test_a_parquet_file_of_something_else_is_not_believed(tmp_path: Path) -> None:
    pq.write_table(made_up_run().intervals(), tmp_path / "run.parquet")
    with pytest.raises(BrokenRunError, match="not a kept run"):
        read_run(tmp_path / "run.parquet", KEY)


def test_a_folder_that_cannot_be_written_is_told_before_any_run(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(OSError, match="file"):
        RunFolder(tmp_path / "file" / "runs").prepare()
    RunFolder(tmp_path / "runs").prepare()
    assert list((tmp_path / "runs").iterdir()) == []


def test_a_process_sweeps_the_folder_once_however_many_runs_it_keeps(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = RunFolder(tmp_path / "runs")
    folder.path.mkdir()
    left = folder.path / temporary_name("another.parquet")
    left.touch()
    os.utime(left, (0, 0))
    folder.put("first", made_up_run())
    assert [path.name for path in folder.path.iterdir()] == ["first.parquet"]
    with monkeypatch.context() as patched:
        for name in ("listdir", "scandir"):
            patched.setattr(os, name, lambda path: pytest.fail(f"{path} is listed"))
        folder.put("second", made_up_run())
    assert folder.get("second") is not None
