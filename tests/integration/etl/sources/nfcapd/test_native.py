"""The native reader reads a file as nfdump lists it, row for row, or refuses it."""

import os
import subprocess
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from hntes._native import PanicException
from hntes.etl.errors import UnreadableFileError
from hntes.etl.ingest.content import content_of
from hntes.etl.ingest.exports import SEQUENCE_FAILURES
from hntes.etl.ingest.flow_file import read_file
from hntes.etl.ingest.readers import LocalReader, ReadTask
from hntes.etl.ingest.result import ReadFile
from hntes.etl.ingest.router_exporters import RouterExporters
from hntes.etl.sources.nfcapd.native import NativeFile, NotNativeError
from hntes.etl.sources.nfcapd.nfdump import Nfdump
from hntes.etl.sources.nfcapd.probe import REFERENCE_FILE, probe
from hntes.etl.sources.nfcapd.source import NfcapdSource
from hntes.etl.sources.source import Exporter
from tests.support.damaged_files import damaged, whole_files
from tests.support.exports import ExportFile, export_files
from tests.support.native_reader import Read, damage_differences, differences, natively, through_nfdump
from tests.support.zstd_files import compressed, expanded

DEMO = Path(__file__).parents[5] / "demo" / "flows"
# recorded files that are broken in themselves, and must stay refused
BROKEN = {"bad/corrupt_nfcapd", "bad/header_only", "bad/not_nfcapd", "bad/truncated_nfcapd", "bad/zero_bytes"}
# recorded files of which some records are set aside
SET_ASIDE = {"odd/cisco_1941_v9_no_times", "odd/v9_and_ipfix_mixed"}
# recorded files with records that have addresses of both versions, of which nfdump 1.7.1 lists the later ones alone
BOTH_VERSIONS = {"odd/cisco_srv6_ipfix_two_routers"}
ADDRESSES = {f"{end}_{part}" for end in ("src", "dst") for part in ("hi", "lo", "version")}
MUTATIONS, CAMPAIGN, ZSTD_CAMPAIGN = 400, 8000, 20_000


@pytest.fixture(scope="module")
def nfdump() -> Nfdump:
    return probe("nfdump")


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    return whole_files(tmp_path_factory.mktemp("whole"))


def test_every_compression_and_layout_is_read_as_nfdump_lists_it(
    tmp_path: Path, nfdump: Nfdump, whole: dict[str, bytes]
) -> None:
    for name, content in whole.items():
        path = tmp_path / name.replace("/", "-")
        path.write_bytes(content)
        read = natively(path)
        assert read.columns["bytes"].size == read.promise.records > 0, name
        assert not differences(read, through_nfdump(nfdump, path)), name


def test_zstd_of_every_level_is_read_as_nfdump_lists_the_same_records(
    tmp_path: Path, nfdump: Nfdump, whole: dict[str, bytes]
) -> None:
    plain, packed = tmp_path / "plain", tmp_path / "zstd"
    plain.write_bytes(whole["none"])
    listed = through_nfdump(nfdump, plain)
    for level in (-5, 1, 3, 9, 19, 22):
        packed.write_bytes(compressed(whole["none"], level))
        assert not differences(natively(packed), listed), level


def test_recorded_exports_are_the_same_with_zstd(tmp_path: Path) -> None:
    plain, packed = tmp_path / "plain", tmp_path / "zstd"
    for file in export_files():
        if file.case not in BROKEN:
            # nfdump writes layout 2, whatever it reads
            subprocess.run(["nfdump", "-q", "-r", file.path, "-w", plain], check=True, capture_output=True)
            packed.write_bytes(compressed(plain.read_bytes()))
            assert not differences(natively(packed), natively(plain)), file.path


def test_a_file_with_zstd_becomes_the_same_rows(tmp_path: Path, nfdump: Nfdump, whole: dict[str, bytes]) -> None:
    plain, packed = tmp_path / "plain", tmp_path / "zstd"
    plain.write_bytes(whole["none"])
    packed.write_bytes(compressed(whole["none"]))
    both = []
    for path in (plain, packed):
        lake = tmp_path / f"lake-{path.name}"
        both.append(
            read_file(path, NfcapdSource(nfdump, path == packed), lake, "stem", [RouterExporters("r1")], 300_000)
        )
    assert (both[1].reason, both[1].read_records, both[1].warnings) == ("", 45, ())
    assert (both[1].counts, both[1].evidence) == (both[0].counts, both[0].evidence)
    assert contents(tmp_path / "lake-zstd") == contents(tmp_path / "lake-plain")


@pytest.mark.parametrize("file", export_files(), ids=lambda file: f"{file.case}/{file.name}")
def test_recorded_exports_are_read_as_nfdump_lists_them(nfdump: Nfdump, file: ExportFile) -> None:
    if file.case in BROKEN:
        with pytest.raises(NotNativeError, match=r"^byte \d+: "):
            natively(file.path)
        return
    read, listed = natively(file.path), through_nfdump(nfdump, file.path)
    if file.case not in BOTH_VERSIONS:
        assert not differences(read, listed)
        return
    assert set(differences(read, listed)) == ADDRESSES
    # what it lists otherwise are zeros
    other = read.columns["src_lo"] != listed.columns["src_lo"]
    assert not any(listed.columns[name][other].any() for name in ADDRESSES if not name.endswith("version"))
    assert set(read.columns["src_version"][other]) == {6}


def test_the_demonstrations_files_are_read_as_nfdump_lists_them(nfdump: Nfdump) -> None:
    refused = []
    for path in sorted(DEMO.rglob("nfcapd.2*")):
        try:
            read = natively(path)
        except NotNativeError:
            refused.append(path.relative_to(DEMO).as_posix())
        else:
            assert not differences(read, through_nfdump(nfdump, path)), path
    assert refused == ["r2/nfcapd.202611221830"]  # the one that is cut off


def test_the_reference_files_exporter_and_sampling_are_found() -> None:
    file = NativeFile(REFERENCE_FILE)
    assert sum(block.batch().num_rows for block in file.batches()) == 45
    assert file.exporters == [Exporter(1, "198.19.252.1", 100, True)]


def test_the_setting_reads_without_nfdump(tmp_path: Path, nfdump: Nfdump) -> None:
    gone = replace(nfdump, program="/no/such/nfdump")
    content = content_of(REFERENCE_FILE)
    task = ReadTask(REFERENCE_FILE, content, NfcapdSource(gone), tmp_path, "stem", (RouterExporters("r1"),), 300_000)
    (read,) = LocalReader(1).read([task])
    assert (read.reason, read.read_records, read.warnings) == ("", 45, ())
    with pytest.raises(FileNotFoundError):
        list(LocalReader(1).read([replace(task, source=NfcapdSource(gone, is_native=False))]))


def _without_exports(read: ReadFile) -> tuple[ReadFile, int]:
    """A reading, and its sequence failures; whose they are nfdump says up to the first number that is not in use."""
    exporters = [each for each in read.exporters if not each[2].startswith("exports:")]
    failures = sum(each[3] for each in read.exporters if each[2] == SEQUENCE_FAILURES)
    return replace(read, exporters=tuple(exporters), sequence_failures=None), failures + (read.sequence_failures or 0)


def test_a_lake_is_the_same_to_the_byte(tmp_path: Path, nfdump: Nfdump) -> None:
    paths = sorted((DEMO / "r3").rglob("nfcapd.2*")) + [file.path for file in export_files() if file.case in SET_ASIDE]
    for path in paths:
        both = [ingested(path, nfdump, tmp_path / name, native=name == "native") for name in ("nfdump", "native")]
        assert _without_exports(both[0]) == _without_exports(both[1]), path
    through, native = (contents(tmp_path / name) for name in ("nfdump", "native"))
    assert through == native
    assert any(name.startswith("flows/") for name in native)
    assert sum(name.startswith("set_aside/") for name in native) == (len(SET_ASIDE) if export_files() else 0)


def test_what_the_native_reader_refuses_is_read_by_nfdump_and_said(tmp_path: Path, nfdump: Nfdump) -> None:
    content = bytearray(REFERENCE_FILE.read_bytes())
    content[32:36] = (6 << 20).to_bytes(4, "little")  # blocks as a later nfdump may have them
    later = tmp_path / "later"
    later.write_bytes(content)
    read = ingested(later, nfdump, tmp_path / "lake", native=True)
    assert (read.reason, read.read_records) == ("", 45)
    assert read.warnings[0] == (
        "read by nfdump: the native reader refuses it (byte 32: blocks of 6291456 bytes are larger than any known)"
    )


@pytest.mark.parametrize("writer", [0x0107_0100, 0xF107_0800, 0x1070_1000, 0x0108_0100])
def test_a_layout_is_read_whatever_the_writer_says_of_its_version(tmp_path: Path, nfdump: Nfdump, writer: int) -> None:
    """nfdump 1.7.1, a build of 1.7.8, Debian's 1.7.10, and one to come."""
    content = bytearray(REFERENCE_FILE.read_bytes())
    content[4:8] = writer.to_bytes(4, "little")
    file = tmp_path / "file"
    file.write_bytes(content)
    read = ingested(file, nfdump, tmp_path / "lake", native=True)
    assert (read.reason, read.read_records, read.warnings) == ("", 45, ())


def test_a_defect_of_the_native_reader_costs_no_file(
    tmp_path: Path, nfdump: Nfdump, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Defective:
        promised = (45, 0, [(0, 0)] * 4)

        def __init__(self, _path: Path) -> None:
            pass

        def next_batch(self, _least: int) -> None:
            raise PanicException("index out of bounds")

    monkeypatch.setattr("hntes.etl.sources.nfcapd.native.FlowFile", Defective)
    read = ingested(REFERENCE_FILE, nfdump, tmp_path / "lake", native=True)
    assert (read.reason, read.read_records) == ("", 45)
    reason = "the native reader failed with an internal error: index out of bounds"
    assert read.warnings[0] == f"read by nfdump: the native reader refuses it ({reason})"


def test_a_damaged_files_reason_is_nfdumps(tmp_path: Path, nfdump: Nfdump) -> None:
    path = DEMO / "r2" / "nfcapd.202611221830"
    both = [ingested(path, nfdump, tmp_path / name, native=name == "native") for name in ("nfdump", "native")]
    assert both[0] == both[1]
    assert both[0].reason


def test_a_file_that_cannot_be_opened_is_named(tmp_path: Path) -> None:
    with pytest.raises(UnreadableFileError, match="No such file"):
        NativeFile(tmp_path / "gone")


def test_a_pipe_that_took_a_files_place_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(UnreadableFileError, match="not a regular file but a folder, pipe"):
        NativeFile(tmp_path / "pipe")


def test_damage_is_refused_or_read_but_nothing_else_happens(tmp_path: Path, whole: dict[str, bytes]) -> None:
    chance = Random(35)
    read = [native_or_none(tmp_path / "damaged", damaged(whole, chance).content) for _ in range(MUTATIONS)]
    assert MUTATIONS // 4 < read.count(None) < MUTATIONS


def test_damaged_zstd_is_refused_or_holds_what_another_decoder_finds(
    tmp_path: Path, nfdump: Nfdump, whole: dict[str, bytes]
) -> None:
    believed = [zstd_is_believed(tmp_path, nfdump, whole, Random(number)) for number in range(MUTATIONS)]
    assert MUTATIONS // 20 < believed.count(True) < MUTATIONS // 2


def test_a_reserved_bit_that_changes_nothing_is_refused_as_libzstd_refuses_it(
    tmp_path: Path, nfdump: Nfdump, whole: dict[str, bytes]
) -> None:
    # Its only change is a bit of the modes of the block's sequences that must be zero.
    assert not zstd_is_believed(tmp_path, nfdump, whole, Random("282766575-2394"))


@pytest.mark.long
@pytest.mark.timeout(3600)
def test_what_is_believed_of_damaged_zstd_is_what_another_decoder_finds(
    tmp_path: Path, nfdump: Nfdump, whole: dict[str, bytes]
) -> None:
    seed = os.environ.get("HNTES_SEED", "1")
    print(f"seed {seed}")
    believed = sum(
        zstd_is_believed(tmp_path, nfdump, whole, Random(f"{seed}-{number}")) for number in range(ZSTD_CAMPAIGN)
    )
    assert believed > ZSTD_CAMPAIGN // 20


@pytest.mark.long
@pytest.mark.timeout(3600)
def test_what_is_believed_of_damaged_files_is_what_nfdump_lists(
    tmp_path: Path, nfdump: Nfdump, whole: dict[str, bytes]
) -> None:
    seed = os.environ.get("HNTES_SEED", "1")
    print(f"seed {seed}")
    chance = Random(seed)
    believed = 0
    for _ in range(CAMPAIGN):
        change = damaged(whole, chance)
        read = native_or_none(tmp_path / "damaged", change.content)
        if read and read.sums.records == read.promise.records and not read.sums.differences(read.promise.sums):
            believed += agrees(read, nfdump, tmp_path / "damaged", change.told)
    assert believed > CAMPAIGN // 20


def native_or_none(path: Path, content: bytes) -> Read | None:
    path.write_bytes(content)
    try:
        return natively(path)
    except NotNativeError:
        return None


def zstd_is_believed(tmp_path: Path, nfdump: Nfdump, whole: dict[str, bytes], chance: Random) -> bool:
    """Whether a damaged file's sums hold; then its records are those that nfdump lists once libzstd opened it."""
    files = {"zstd": compressed(whole["none"], chance.choice((1, 3, 19)))}
    change = damaged(files, chance)
    read = native_or_none(tmp_path / "damaged", change.content)
    if not read or read.sums.records != read.promise.records or read.sums.differences(read.promise.sums):
        return False
    (tmp_path / "expanded").write_bytes(expanded(change.content))
    return agrees(read, nfdump, tmp_path / "expanded", change.told)


def agrees(read: Read, nfdump: Nfdump, path: Path, told: str) -> bool:
    """Whether nfdump lists the same; false where it cannot tell, any difference is an error.

    Before 1.7.5 it refuses elements of type 0, by which later versions strike out others.
    """
    try:
        listed = through_nfdump(nfdump, path)
    except UnreadableFileError as refusal:
        if "NULL extension" not in str(refusal):
            raise
        return False
    assert not damage_differences(read, listed), told
    return True


def contents(lake: Path) -> dict[str, bytes]:
    return {path.relative_to(lake).as_posix(): path.read_bytes() for path in lake.rglob("*") if path.is_file()}


def ingested(path: Path, nfdump: Nfdump, lake: Path, *, native: bool) -> ReadFile:
    stem = "-".join(path.parts[-3:])
    return read_file(path, NfcapdSource(nfdump, native), lake, stem, [RouterExporters("r1")], 300_000)
