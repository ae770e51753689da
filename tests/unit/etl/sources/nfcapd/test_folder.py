"""Flow folders: which files are the collector's, and what time their names mean."""

import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from hntes.etl.errors import FlowFolderError
from hntes.etl.sources.scan import FolderFile, Refused, Scan, usual_distance_s
from tests.support.nfcapd import scan_folder
from tests.support.no_override import modes_count


def make(folder: Path, *names: str) -> Path:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(b"x")
    return folder


def utc_times(folder: Path, timezone: str) -> list[str]:
    files = scan_folder(folder, timezone).files
    return [datetime.fromtimestamp(file.start_ms / 1000, UTC).strftime("%Y-%m-%d %H:%M:%S") for file in files]


@pytest.mark.parametrize(
    ("name", "timezone", "utc"),
    [
        ("nfcapd.202611201815", "UTC", "2026-11-20 18:15:00"),
        ("nfcapd.20261120181530", "UTC", "2026-11-20 18:15:30"),
        ("nfcapd.202611201815", "Europe/Berlin", "2026-11-20 17:15:00"),
        ("nfcapd.202607201815", "Europe/Berlin", "2026-07-20 16:15:00"),
        ("nfcapd.202611201815", "America/New_York", "2026-11-20 23:15:00"),
        ("nfcapd.202611201815", "Asia/Kathmandu", "2026-11-20 12:30:00"),
        # clocks go forward at 01:00 UTC on 2026-03-29 and back at 01:00 UTC on 2026-10-25
        ("nfcapd.202603290155", "Europe/Berlin", "2026-03-29 00:55:00"),
        ("nfcapd.202603290300", "Europe/Berlin", "2026-03-29 01:00:00"),
        ("nfcapd.202610250155", "Europe/Berlin", "2026-10-24 23:55:00"),
        ("nfcapd.202610250300", "Europe/Berlin", "2026-10-25 02:00:00"),
        ("nfcapd.202402292359", "UTC", "2024-02-29 23:59:00"),
        # with an offset (nfcapd -Z) the zone of the settings does not count
        ("nfcapd.202611271425+0100", "UTC", "2026-11-27 13:25:00"),
        ("nfcapd.202611271425+0100", "Asia/Tokyo", "2026-11-27 13:25:00"),
        ("nfcapd.20261127142530-0930", "UTC", "2026-11-27 23:55:30"),
        ("nfcapd.202611271425+0000", "Europe/Berlin", "2026-11-27 14:25:00"),
    ],
)
def test_a_files_name_is_its_time_in_the_collectors_zone(tmp_path: Path, name: str, timezone: str, utc: str) -> None:
    assert utc_times(make(tmp_path, name), timezone) == [utc]


def test_an_hour_that_comes_twice_is_taken_as_its_first(tmp_path: Path) -> None:
    assert utc_times(make(tmp_path, "nfcapd.202610250230"), "Europe/Berlin") == ["2026-10-25 00:30:00"]


def test_an_hour_that_comes_twice_is_two_with_offsets(tmp_path: Path) -> None:
    make(tmp_path, "nfcapd.202610250230+0200", "nfcapd.202610250230+0100")
    assert utc_times(tmp_path, "Europe/Berlin") == ["2026-10-25 00:30:00", "2026-10-25 01:30:00"]


@pytest.mark.parametrize(
    "name",
    [
        "nfcapd.20261120181",
        "nfcapd.2026112018151",
        "nfcapd.202611201815.gz",
        "nfcapd.202611201815+01",
        "nfcapd.202611201815+01:00",
        "nfcapd.202611201815Z",
        "nfcapd.٢٠٢٦١١٢٠١٨١٥",
        "nfdump.202611201815",
        "README",
    ],
)
def test_other_names_are_ignored_and_told(tmp_path: Path, name: str) -> None:
    scan = scan_folder(make(tmp_path, name, "nfcapd.202611201815"))
    assert [file.path for file in scan.files] == ["nfcapd.202611201815"]
    assert scan.ignored == (name,)


def test_a_name_that_is_told_is_one_line(tmp_path: Path) -> None:
    make(tmp_path, "nfcapd.202611201815\n", "a\n  kept: 9 records", "b\nc/nfcapd.202613011200")
    scan = scan_folder(tmp_path)
    assert scan.ignored == ("a\\n  kept: 9 records", "nfcapd.202611201815\\n")
    assert [one.path for one in scan.refused] == ["b\\nc/nfcapd.202613011200"]


@pytest.mark.parametrize(
    "name",
    [
        "nfcapd.202613011200",
        "nfcapd.202602301200",
        "nfcapd.202302290000",
        "nfcapd.202611202400",
        "nfcapd.202611201860",
        "nfcapd.000011201800",
        "nfcapd.20261120181561",
        "nfcapd.000101010000",
        "nfcapd.999912312359",
        "nfcapd.202611271425+9900",
        "nfcapd.202611271425+0160",
    ],
)
def test_a_date_that_does_not_exist_is_refused(tmp_path: Path, name: str) -> None:
    scan = scan_folder(make(tmp_path, f"a/{name}", "nfcapd.202611201815"))
    assert [file.path for file in scan.files] == ["nfcapd.202611201815"]
    assert (scan.ignored, scan.refused) == ((), (Refused(f"a/{name}", scan.refused[0].reason),))
    assert "invalid date or time" in scan.refused[0].reason


@pytest.mark.parametrize("name", ["nfcapd.current", "nfcapd.current.4711", ".nfcapd.202611201815", ".nfstat"])
def test_what_the_collector_still_writes_is_passed_over(tmp_path: Path, name: str) -> None:
    scan = scan_folder(make(tmp_path, name))
    assert (scan.files, scan.ignored, scan.problems) == ((), (), ())
    assert scan.unfinished == (() if name.startswith(".") else (name,))


def test_sub_folders_are_read_and_the_order_is_that_of_time(tmp_path: Path) -> None:
    names = ("2026/11/21/nfcapd.202611210000", "b/nfcapd.202611201815", "nfcapd.202611201820", "a/nfcapd.202611201815")
    scan = scan_folder(make(tmp_path, *names))
    assert [file.path for file in scan.files] == [
        "a/nfcapd.202611201815",
        "b/nfcapd.202611201815",
        "nfcapd.202611201820",
        "2026/11/21/nfcapd.202611210000",
    ]


def test_folders_in_folders_are_read_however_deep(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Made and removed one by one: makedirs and rmtree of Python 3.11 go as deep in calls as the folders do.
    monkeypatch.chdir(tmp_path)
    for _ in range(1500):
        Path("a").mkdir()
        os.chdir("a")
    flow_file = Path("nfcapd.202611201815")
    flow_file.touch()
    try:
        assert [file.path for file in scan_folder(tmp_path, "UTC").files] == ["a/" * 1500 + flow_file.name]
    finally:
        flow_file.unlink()
        for _ in range(1500):
            os.chdir("..")
            Path("a").rmdir()


def test_a_folder_too_deep_to_be_entered_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for _ in range(25):
        Path("a" * 200).mkdir()
        os.chdir("a" * 200)
    scan = scan_folder(tmp_path, "UTC")
    assert not scan.files
    assert [problem.rpartition(": ")[2] for problem in scan.problems] == ["File name too long"]


def test_a_folder_named_like_a_file_is_no_file(tmp_path: Path) -> None:
    make(tmp_path, "nfcapd.202611201815/nfcapd.202611201820")
    assert [file.path for file in scan_folder(tmp_path).files] == ["nfcapd.202611201815/nfcapd.202611201820"]


def test_a_missing_folder_is_told_with_the_key_to_correct(tmp_path: Path) -> None:
    with pytest.raises(FlowFolderError, match="flow_folder"):
        scan_folder(tmp_path / "nowhere")


def test_a_file_in_place_of_the_folder_is_told(tmp_path: Path) -> None:
    make(tmp_path, "flows")
    with pytest.raises(FlowFolderError):
        scan_folder(tmp_path / "flows")


def test_an_empty_folder_has_no_files(tmp_path: Path) -> None:
    assert scan_folder(tmp_path).files == ()


def reasons(scan: Scan) -> dict[str, str]:
    assert all(one.file is None or one.file.path == one.path for one in scan.refused)
    return {one.path: one.reason for one in scan.refused}


def test_links_within_the_folder_are_read_and_links_to_folders_are_told(tmp_path: Path) -> None:
    make(tmp_path, "archive/nfcapd.202611201815", "flows/nfcapd.202611201820", "flows/kept/first")
    flows = tmp_path / "flows"
    (flows / "nfcapd.202611201815").symlink_to(flows / "kept" / "first")
    (flows / "old").symlink_to(tmp_path / "archive")
    scan = scan_folder(flows)
    assert [file.path for file in scan.files] == ["nfcapd.202611201815", "nfcapd.202611201820"]
    (problem,) = scan.problems
    assert problem.startswith("old: a link to a folder, which is not followed")
    assert f"its target {tmp_path / 'archive'} can be a flow folder" in problem


@pytest.mark.timeout(20)
def test_loops_of_links_end(tmp_path: Path) -> None:
    make(tmp_path, "sub/nfcapd.202611201815")
    (tmp_path / "sub" / "loop").symlink_to(tmp_path)
    (tmp_path / "nfcapd.202611201820").symlink_to("nfcapd.202611201820")
    (tmp_path / "nfcapd.202611201825").symlink_to("nowhere")
    scan = scan_folder(tmp_path)
    assert [file.path for file in scan.files] == ["sub/nfcapd.202611201815"]
    assert set(reasons(scan)) == {"nfcapd.202611201820", "nfcapd.202611201825"}
    assert "cannot be looked at" in reasons(scan)["nfcapd.202611201820"]
    assert "a link to a file that does not exist" in reasons(scan)["nfcapd.202611201825"]


@pytest.mark.parametrize("target", ["/etc/passwd", "../outside", "sub/../../outside", "chain"])
def test_a_link_out_of_the_folder_is_not_followed(tmp_path: Path, target: str) -> None:
    flows = make(tmp_path / "flows", "nfcapd.202611201820", "sub/x")
    (tmp_path / "outside").write_bytes(b"secret")
    (flows / "chain").symlink_to(tmp_path / "outside")
    (flows / "nfcapd.202611201815").symlink_to(target)
    scan = scan_folder(flows)
    assert [file.path for file in scan.files] == ["nfcapd.202611201820"]
    assert "a link out of the flow folder" in reasons(scan)["nfcapd.202611201815"]


def test_a_folder_that_is_a_link_itself_is_read(tmp_path: Path) -> None:
    make(tmp_path / "real", "nfcapd.202611201820", "first")
    (tmp_path / "flows").symlink_to("real")
    (tmp_path / "real" / "nfcapd.202611201815").symlink_to("first")
    assert len(scan_folder(tmp_path / "flows").files) == 2


def test_a_pipe_is_never_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "nfcapd.202611201815")
    scan = scan_folder(tmp_path)
    assert scan.files == ()
    assert "a pipe, a device or a socket" in reasons(scan)["nfcapd.202611201815"]


def test_names_that_are_no_text_are_told_in_a_form_that_can_be_stored(tmp_path: Path) -> None:
    folder = os.fsencode(tmp_path) + b"/r\xe9seau"
    os.mkdir(folder)  # noqa: PTH102 - a name of bytes
    with open(folder + b"/nfcapd.202611201815", "wb") as stream:  # noqa: PTH123
        stream.write(b"x")
    scan = scan_folder(tmp_path)
    assert scan.files == ()
    assert list(reasons(scan)) == ["r\\xe9seau/nfcapd.202611201815"]
    assert scan.refused[0].file is None
    scan.refused[0].path.encode("utf-8")


def test_a_folder_that_may_not_be_read_is_told(tmp_path: Path) -> None:
    make(tmp_path, "open/nfcapd.202611201815", "closed/nfcapd.202611201820")
    (tmp_path / "closed").chmod(0)
    with modes_count():
        scan = scan_folder(tmp_path)
    assert [file.path for file in scan.files] == ["open/nfcapd.202611201815"]
    assert scan.problems == ("closed: this folder cannot be read: Permission denied",)


def test_a_flow_folder_that_may_not_be_read_is_told(tmp_path: Path) -> None:
    make(tmp_path, "flows/nfcapd.202611201815")
    (tmp_path / "flows").chmod(0o111)
    with modes_count():
        scan = scan_folder(tmp_path / "flows")
    assert (scan.files, scan.problems) == ((), (".: this folder cannot be read: Permission denied",))


@pytest.mark.parametrize(
    ("starts_s", "usual"),
    [
        ([], None),
        ([0], None),
        ([0, 60], 60),
        ([0, 300, 600, 660], 300),
        ([0, 300, 900, 1500, 1800, 2100], 300),
        ([0, 60, 360], 60),
        ([0, 0, 0, 60], 60),
        ([600, 0, 300], 300),
    ],
)
def test_the_usual_distance_is_the_lower_median(starts_s: list[int], usual: int | None) -> None:
    assert usual_distance_s(start * 1000 for start in starts_s) == usual


def test_files_are_ordered_by_time_then_name() -> None:
    assert sorted([FolderFile(2, "a"), FolderFile(1, "z"), FolderFile(1, "b")])[0] == FolderFile(1, "b")
