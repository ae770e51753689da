"""A folder whose names are read together holds the same as one whose names are looked at one by one."""

import os
import tempfile
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from zoneinfo import ZoneInfo

from hypothesis import event, example, given
from hypothesis import strategies as st

from hntes.etl.sources.flow_folders import files_by_part, flow_folders
from hntes.etl.sources.goflow2 import SOURCE as GOFLOW2
from hntes.etl.sources.listing import listed_once, listing, printable
from hntes.etl.sources.nfcapd import SOURCE as NFCAPD
from hntes.etl.sources.nfcapd import names as nfcapd_names
from hntes.etl.sources.pmacct import SOURCE as PMACCT
from hntes.etl.sources.rows import names as row_names
from hntes.etl.sources.scan import ALWAYS, Scan, Span, UnusableNameError, scan_folder
from tests.support.slow_listing import slow_listing

BEGIN = datetime(2026, 10, 25, tzinfo=UTC)  # clocks go back in Berlin
DAY_MS = 86_400_000
BEGIN_MS = int(BEGIN.timestamp()) * 1000
SPANS = (ALWAYS, Span(BEGIN_MS, BEGIN_MS + DAY_MS), Span(BEGIN_MS, None), Span(None, BEGIN_MS), Span(0, 1))
ZONES = ("UTC", "Europe/Berlin", "Pacific/Kiritimati", "America/St_Johns")
ENDINGS = {"goflow2": (".json", ".jsonl", ".ndjson", ".log"), "pmacct": (".json", ".jsonl", ".ndjson", ".log", ".txt")}
FOLDERS = (
    "", "2026/10/24/", "2026/10/25/", "2026/10/26/", "r1/2026-10-25/", "2026/10/25/.hidden/", "wést/", "a\nb/", "~/",
)  # fmt: skip

moments = st.integers(-4 * 1440, 4 * 1440).map(lambda minutes: BEGIN + timedelta(minutes=minutes))
stamped = st.builds(
    lambda moment, form, end: moment.strftime(form) + end,
    moments,
    st.sampled_from(["nfcapd.%Y%m%d%H%M", "nfcapd.%Y%m%d%H%M", "nfcapd.%Y%m%d%H%M%S", "flows-%Y%m%d-%H%M", "%Y%m%d"]),
    st.sampled_from(["", "", "", "+0100", ".gz", ".json", ".log.zst", ".txt", ".json.part", ".bad"]),
)
odd = st.sampled_from([
    "nfcapd.202602301200", "nfcapd.202610252460", "nfcapd.current.17", "nfcapd.2026", "nfcapd.", "readme", "notes.json",
    "flows-20261332.json", ".nfcapd.202610251200", "nfcapd.202610251200\n", "nfcapd.2026102512\udcff", "flows.json.tmp",
])  # fmt: skip
paths = st.builds(lambda folder, name: folder + name, st.sampled_from(FOLDERS), st.one_of(stamped, stamped, odd))
kinds = st.sampled_from([
    "file", "file", "file", "file", "link", "link out", "broken link", "link to folder", "link in a circle", "folder",
    "pipe",
])  # fmt: skip
trees = st.dictionaries(paths, kinds, max_size=25)


def make(top: Path, tree: dict[str, str]) -> None:
    outside = top.parent / "outside"
    outside.write_bytes(b"x")
    (top / "original").write_bytes(b"x")
    for path, kind in tree.items():
        place = top / path
        if os.path.lexists(place):
            continue
        place.parent.mkdir(parents=True, exist_ok=True)
        if kind == "file":
            place.write_bytes(b"x")
        elif kind == "folder":
            place.mkdir()
        elif kind == "pipe":
            os.mkfifo(place)
        else:
            targets = {"link": top / "original", "link out": outside, "broken link": top / "nothing"}
            place.symlink_to(targets.get(kind) or {"link to folder": top.parent, "link in a circle": place}[kind])


def readers(source: str, zone: str) -> tuple[Callable[[str], int | None], Callable[[str], bool]]:
    """How a source reads one name: its time, and whether it is unfinished."""
    if source == "nfcapd":
        return partial(nfcapd_names.start_ms, zone=ZoneInfo(zone)), nfcapd_names.is_unfinished
    return partial(row_names.start_ms, zone=ZoneInfo(zone), endings=ENDINGS[source]), row_names.is_unfinished


def expected(tree: dict[str, str], source: str, zone: str, span: Span) -> dict[str, set[object]]:
    """What was made, sorted by what it is, name by name."""
    start_ms, is_unfinished = readers(source, zone)
    found: dict[str, set[object]] = {"files": set(), "refused": set(), "ignored": {"original"}, "unfinished": set()}
    for path, kind in tree.items():
        name = path.rpartition("/")[2]
        if kind in ("folder", "link to folder") or name.startswith("."):
            continue
        if is_unfinished(name):
            found["unfinished"].add(path)
            continue
        try:
            start = start_ms(name)
        except UnusableNameError:
            found["refused"].add(printable(path))
            continue
        if start is None:
            found["ignored"].add(printable(path))
        elif span.has(start):
            is_file = kind in ("file", "link")
            found["files" if is_file else "refused"].add((start, path) if is_file else path)
    return found


def day_in(name: str) -> str | None:
    """The day of a name by which nfcapd's files of other days are told; None for any other name."""
    digits = name.removeprefix("nfcapd.")
    try:
        moment = datetime.strptime(digits, "%Y%m%d%H%M" if len(digits) == 12 else "%Y%m%d%H%M%S").replace(tzinfo=UTC)
    except ValueError:
        return None
    return f"{moment:%Y%m%d}" if digits.isdecimal() and len(digits) in (12, 14) and name != digits else None


@given(trees, st.sampled_from(["", "20261024", "20261025"]), st.sampled_from(["20261024", "20261026", "9"]))
@example({"a": "link to folder", "b": "link in a circle", ".c": "link to folder", ".d": "pipe"}, "", "9")
def test_names_listed_together_are_those_that_are_there(tree: dict[str, str], first: str, last: str) -> None:
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "flows"
        folder.mkdir()
        make(folder, tree)
        usual, others, links = slow_listing(folder)
        found = listing(folder)
        assert set(found.others) == others
        assert {problem.partition(": a link to a folder, ")[0] for problem in found.problems} == set(
            map(printable, links)
        )
        for endings in ((), (".json", ".log.zst"), ("5", "30", "original")):
            for is_so in (True, False):
                chosen = {path for path in usual if path.endswith(tuple(endings)) == is_so}
                assert paths_of(found.usual.ending(endings, is_so)) == chosen
        left = paths_of(found.usual.without_days("nfcapd.", first, last))
        assert left == {
            path for path in usual if (day := day_in(path.rpartition("/")[2])) is None or first <= day <= last
        }


def paths_of(by_folder: list[tuple[str, list[str]]]) -> set[str]:
    """All paths, once they are seen to be in order, each once."""
    assert [prefix for prefix, _ in by_folder] == sorted({prefix for prefix, _ in by_folder})
    assert all(names and names == sorted(set(names)) for _, names in by_folder)
    return {prefix + name for prefix, names in by_folder for name in names}


@given(trees, st.sampled_from(ZONES), st.sampled_from(SPANS))
@example({"flows.part": "file", "b/flows-20261025.json.gz": "file", "b/flows.tmp": "file"}, "UTC", ALWAYS)
@example({"2026/.nfcapd.202610251200": "file", "2026/nfcapd.202610251200": "file"}, "UTC", ALWAYS)
@example({"nfcapd.202609012460": "file", "nfcapd.202609012400": "file"}, "UTC", SPANS[1])
def test_names_read_together_give_the_same_scan(tree: dict[str, str], zone: str, span: Span) -> None:
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "flows"
        folder.mkdir()
        make(folder, tree)
        with listed_once():
            scans = {source.name: source.discover(folder, zone, span) for source in (NFCAPD, GOFLOW2, PMACCT)}
        for name, scan in scans.items():
            # in the same order, too, as if nothing were read together
            start_ms, is_unfinished = readers(name, zone)
            assert scan == scan_folder(folder, start_ms, is_unfinished, span)
            assert expected(tree, name, zone, span) == {
                "files": set(scan.files),
                "refused": {one.path for one in scan.refused},
                "ignored": set(scan.ignored),
                "unfinished": set(scan.unfinished),
            }
        event(f"nfcapd: {len(scans['nfcapd'].files)}, refused: {len(scans['nfcapd'].refused)}")


@given(trees, st.sampled_from(ZONES))
@example({"r1/2026-10-25/nfcapd.202610251200": "file", "r1/2026-10-25/nfcapd.202610291200": "file"}, "UTC")
def test_source_folders_are_those_of_each_file_by_itself(tree: dict[str, str], zone: str) -> None:
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "flows"
        folder.mkdir()
        make(folder, tree)
        scan = NFCAPD.discover(folder, zone)
        by_part: dict[str, list[str]] = {}
        for file in scan.files:
            alone = Scan(folder, (file,), ())
            (one,) = flow_folders(alone)
            by_part.setdefault(one.folder.relative_to(folder).as_posix(), []).append(file.path)
        found = {part: [file.path for file in files] for part, files in files_by_part(scan).items()}
        assert found == by_part
