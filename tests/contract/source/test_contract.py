"""The contract of every flow source, on files whose content is known."""

import pickle
import shutil
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from hntes.etl import arrow_columns
from hntes.etl.errors import FlowFolderError, UnreadableFileError
from hntes.etl.ingest.flow_file import read_file
from hntes.etl.ingest.router_exporters import RouterExporters
from hntes.etl.sources.registry import installed_sources
from hntes.etl.sources.schema import RECORD_SCHEMA
from hntes.etl.sources.source import FlowRecords, FlowSource, ReadAgainError
from hntes.settings.ingest import Ingest
from tests.contract.source.samples import SOURCES
from tests.contract.source.tried import Sample, Tried


@pytest.fixture(params=SOURCES)
def tried(request: pytest.FixtureRequest, tmp_path: Path) -> Tried:
    return SOURCES[request.param](tmp_path)


def batches(file: FlowRecords) -> Iterator[pa.RecordBatch]:
    for block in file.blocks():
        yield block if isinstance(block, pa.RecordBatch) else block.batch()


def read(source: FlowSource, path: Path) -> tuple[FlowRecords, pa.Table]:
    file = source.open(path, source.identify(path))
    try:
        found = list(batches(file))
    except ReadAgainError:
        found = list(batches(file))
    return file, pa.Table.from_batches(found, RECORD_SCHEMA)


def total(records: pa.Table, name: str) -> int:
    return sum(int(arrow_columns.values(chunk).astype(object).sum()) for chunk in records[name].chunks)


def test_every_installed_source_is_tried_here(tmp_path: Path) -> None:
    tried = {make(tmp_path).source.name for make in SOURCES.values()}
    assert {source.name for source in installed_sources()} <= tried


def test_sample_files_hold_what_is_known_of_them(tried: Tried) -> None:
    for sample in tried.samples:
        _check(tried.source, sample)


def _check(source: FlowSource, sample: Sample) -> None:
    file, records = read(source, sample.path)
    said = f"{sample.path}"
    assert records.schema == RECORD_SCHEMA, said
    assert (records.num_rows, file.promise.records) == (sample.records, sample.records), said
    assert total(records, "in_bytes") + total(records, "out_bytes") in (
        sample.bytes,
        sample.bytes + total(records, "out_bytes"),
    )
    if sample.first_ms is not None:
        assert min(records["first_ms"].to_pylist()) == sample.first_ms, said
    if sample.last_ms is not None:
        assert max(records["last_ms"].to_pylist()) == sample.last_ms, said
    named = {one.address: one.factor for one in file.exporters()}
    assert sample.factors is None or named == sample.factors, said
    if file.promise.sums:
        assert file.promise.sums.of["all", "bytes"] == sample.bytes, said
    versions = {name: set(records[name].to_pylist()) for name in ("src4_version", "dst4_version", "src6_version")}
    assert versions["src4_version"] | versions["dst4_version"] <= {0, 4}, said
    assert versions["src6_version"] <= {0, 4, 6}, said


def test_a_file_is_read_as_often_as_asked_with_the_same_records(tried: Tried) -> None:
    sample = tried.samples[0]
    file, first = read(tried.source, sample.path)
    assert pa.Table.from_batches(list(batches(file)), RECORD_SCHEMA) == first
    assert file.warnings() == []


def test_every_record_is_kept_or_accounted_for(tried: Tried, tmp_path: Path) -> None:
    for number, sample in enumerate(tried.samples[:4]):
        result = read_file(
            sample.path, tried.source, tmp_path / "lake", f"stem{number}", [RouterExporters("r1")], 300_000
        )
        assert (result.reason, result.read_records, result.warnings) == ("", sample.records, ()), sample.path
        assert sum(part.records for part in result.parts) > 0


def test_files_are_told_by_content_and_not_by_name(tried: Tried, tmp_path: Path) -> None:
    for path in tried.foreign:
        with pytest.raises(UnreadableFileError):
            tried.source.identify(path)
    renamed = tmp_path / "anything"
    shutil.copy(tried.samples[0].path, renamed)
    assert tried.source.identify(renamed) == tried.source.identify(tried.samples[0].path)
    with pytest.raises(UnreadableFileError, match="cannot be opened: No such file"):
        tried.source.identify(tmp_path / "gone")


def test_a_damaged_file_gives_its_reason_and_no_part(tried: Tried, tmp_path: Path) -> None:
    for path in tried.damaged:
        assert tried.source.identify(path)
        result = read_file(path, tried.source, tmp_path / "lake", "stem", [RouterExporters("r1")], 300_000)
        assert result.reason
        assert (result.parts, result.counts) == ((), ())
        assert not list((tmp_path / "lake").rglob("*.parquet"))


def test_only_finished_files_of_its_own_are_discovered(tried: Tried, tmp_path: Path) -> None:
    folder = tmp_path / "flows"
    (folder / "2026").mkdir(parents=True)
    names = [f"2026/{tried.good_name}", "notes.txt", tried.unusable_name, ".hidden", *tried.unfinished]
    for name in names:
        (folder / name).touch()
    scan = tried.source.discover(folder)
    assert [file.path for file in scan.files] == [f"2026/{tried.good_name}"]
    assert scan.ignored == ("notes.txt",)
    assert [one.path for one in scan.refused] == [tried.unusable_name]
    (east,) = tried.source.discover(folder, "Asia/Tokyo").files
    assert scan.files[0].start_ms - east.start_ms == 9 * 3_600_000
    with pytest.raises(FlowFolderError, match="no such flow folder"):
        tried.source.discover(tmp_path / "nowhere")


def test_a_source_goes_to_workers_and_back(tried: Tried) -> None:
    again = pickle.loads(pickle.dumps(tried.source))  # noqa: S301 - made here
    assert again == tried.source
    assert isinstance(again.name, str)
    assert again.version == tried.source.version


def test_a_source_is_configured_and_says_what_it_uses(tried: Tried) -> None:
    configured = tried.source.configured(Ingest())
    assert configured.name == tried.source.name
    assert all(label and words for label, words in configured.check())
    isolated = configured.isolated()
    assert isolated is None or isolated.isolated() is None
    if isolated:
        ours, theirs = (read(source, tried.samples[0].path)[1] for source in (configured, isolated))
        assert np.array_equal(total(ours, "in_bytes"), total(theirs, "in_bytes"))
        assert ours.num_rows == theirs.num_rows
