"""Kept runs are believed only where the database says what the engine gave."""

import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from sqlalchemy import Engine

from hntes.simulator import RunFolder
from hntes.simulator.runs.files import write_run
from hntes.simulator.runs.store import BrokenRunError
from hntes.simulator.runs.tables import totals
from hntes.workflow.stages.simulated_runs import VouchedRuns
from tests.support.databases import opened
from tests.support.runs import made_up_run


@pytest.fixture
def database(database_url: str) -> Iterator[Engine]:
    engine = opened(database_url)
    yield engine
    engine.dispose()


@pytest.fixture
def runs(database: Engine, tmp_path: Path) -> VouchedRuns:
    return VouchedRuns(RunFolder(tmp_path / "runs"), database)


def test_a_run_comes_back_as_it_was(runs: VouchedRuns) -> None:
    assert runs.get("key") is None
    runs.put("key", made_up_run())
    kept = runs.get("key")
    assert kept is not None
    assert totals(kept) == totals(made_up_run())
    assert all(np.array_equal(kept.series[name], values) for name, values in made_up_run().series.items())


def test_an_edited_trace_is_not_believed(runs: VouchedRuns) -> None:
    """The file is whole, its own digest right: only the database knows better."""
    runs.put("key", made_up_run())
    better = replace(made_up_run(), series=made_up_run(mbps=900.0).series)
    write_run(runs.folder.path / "key.parquet", "key", better)
    assert runs.folder.get("key") is not None
    with pytest.raises(BrokenRunError, match="does not match its digest"):
        runs.get("key")
    runs.put("key", made_up_run())
    assert runs.get("key") is not None


def test_a_run_that_the_database_does_not_know_is_absent(runs: VouchedRuns) -> None:
    runs.folder.put("key", made_up_run())
    assert runs.get("key") is None


def test_a_folder_that_may_not_be_entered_has_no_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: Path) -> bool:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "exists", refuse)
    assert RunFolder(tmp_path).get("key") is None


def test_kept_runs_are_readable_by_the_group(runs: VouchedRuns) -> None:
    runs.put("key", made_up_run())
    assert (runs.folder.path / "key.parquet").stat().st_mode & 0o040


def test_keeping_and_reading_runs_does_not_import_pandas(tmp_path: Path) -> None:
    """Its import takes a third of a second of each cold judgement."""
    script = (
        "import sys; from pathlib import Path; from hntes.simulator.runs.files import RunFolder; "
        "from tests.support.runs import made_up_run; folder = RunFolder(Path(sys.argv[1])); "
        "folder.put('key', made_up_run()); folder.get('key'); print('pandas' in sys.modules)"
    )
    said = subprocess.run([sys.executable, "-c", script, tmp_path], capture_output=True, text=True, check=True)
    assert said.stdout.split() == ["False"]
