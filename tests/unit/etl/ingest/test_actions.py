"""The action of a run for each file: owner of a content, files to be read again, copies."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from hntes.etl.ingest.actions import (
    Keep,
    Read,
    Reading,
    RecordCopy,
    Seen,
    SetAside,
    Unopened,
    orphaned_copies,
    plan_actions,
)
from hntes.etl.ingest.content import Content
from hntes.etl.sources.scan import FolderFile
from hntes.sql.entries import FileEntry, FileState
from tests.support.entries import flow_file

READING = Reading("settings", "1.7.6")
X, Y = "content x", "content y"
FILES = {name: FolderFile(number, name) for number, name in enumerate("abc")}


def seen(name: str, content: str) -> Seen:
    return Seen(FILES[name], Content(content, 10))


def entry(name: str, content: str, state: FileState = "ingested", **changes: object) -> FileEntry:
    made = flow_file(path=name, sha256=content, file_start_ms=FILES[name].start_ms, state=state)
    return replace(made, **changes)


def said(known: Sequence[FileEntry], files: Sequence[Seen], *, lost: Sequence[str] = ()) -> list[str]:
    """The actions in short: `read a`, `read again a`, `keep a`, `copy b of a`."""
    short = []
    for action in plan_actions({e.path: e for e in known}, files, [], set(lost), READING):
        match action:
            case Keep():
                short.append(f"keep {action.entry.path}")
            case Read():
                short.append(f"read {'again ' if action.replaces else ''}{action.seen.path}")
            case RecordCopy():
                short.append(f"copy {'again ' if action.replaces else ''}{action.seen.path} of {action.owner}")
    return short


# what the ledger knows, what the files hold now -> what is done
TABLE: list[tuple[str, list[FileEntry], list[Seen], list[str]]] = [
    ("new", [], [seen("a", X), seen("b", Y)], ["read a", "read b"]),
    ("unchanged", [entry("a", X)], [seen("a", X)], ["keep a"]),
    ("changed", [entry("a", X)], [seen("a", Y)], ["read again a"]),
    ("other settings", [entry("a", X, ingest_hash="other")], [seen("a", X)], ["read again a"]),
    ("other time zone", [entry("a", X, file_start_ms=7)], [seen("a", X)], ["read again a"]),
    ("other nfdump", [entry("a", X, nfdump_version="1.6")], [seen("a", X)], ["keep a"]),
    ("set aside", [entry("a", X, "quarantined")], [seen("a", X)], ["keep a"]),
    ("set aside, other nfdump", [entry("a", X, "quarantined", nfdump_version="1.6")], [seen("a", X)], ["read again a"]),
    ("two new of one content: the first owns it", [], [seen("a", X), seen("b", X)], ["read a", "copy b of a"]),
    ("a copy later", [entry("a", X)], [seen("a", X), seen("b", X)], ["keep a", "copy b of a"]),
    ("a copy of a file not looked at", [entry("a", X)], [seen("b", X)], ["copy b of a"]),
    ("a copy earlier: the owner stays", [entry("b", X)], [seen("a", X), seen("b", X)], ["copy a of b", "keep b"]),
    (
        "a copy again",
        [entry("a", X), entry("b", X, "duplicate")],
        [seen("a", X), seen("b", X)],
        ["keep a", "copy again b of a"],
    ),
    (
        "the owner changed: its copy takes over",
        [entry("a", X), entry("b", X, "duplicate")],
        [seen("a", Y), seen("b", X)],
        ["read again a", "read again b"],
    ),
    (
        "the owner is gone, not looked at: the ledger still has its records",
        [entry("a", X), entry("b", X, "duplicate")],
        [seen("b", X)],
        ["copy again b of a"],
    ),
    (
        "two files exchange their contents",
        [entry("a", X), entry("b", Y)],
        [seen("a", Y), seen("b", X)],
        ["read again a", "read again b"],
    ),
    (
        "a file becomes a copy of another",
        [entry("a", X), entry("b", Y)],
        [seen("a", X), seen("b", X)],
        ["keep a", "copy again b of a"],
    ),
    (
        "the first of two orphaned copies owns the content",
        [entry("a", X), entry("b", X, "duplicate"), entry("c", X, "duplicate")],
        [seen("a", Y), seen("b", X), seen("c", X)],
        ["read again a", "read again b", "copy again c of b"],
    ),
]


@pytest.mark.parametrize(("known", "files", "done"), [row[1:] for row in TABLE], ids=[row[0] for row in TABLE])
def test_the_actions(known: list[FileEntry], files: list[Seen], done: list[str]) -> None:
    assert said(known, files) == done


def test_a_lost_part_is_read_again() -> None:
    assert said([entry("a", X), entry("b", Y)], [seen("a", X), seen("b", Y)], lost=["a"]) == ["read again a", "keep b"]


@pytest.mark.parametrize(
    ("known", "records"),
    [
        ([], True),
        ([entry("a", "", "quarantined")], True),
        ([entry("a", X)], False),
        ([entry("a", X, "duplicate")], False),
    ],
)
def test_an_unopened_file_replaces_no_records(known: list[FileEntry], records: bool) -> None:
    (action,) = plan_actions({e.path: e for e in known}, [], [Unopened(FILES["a"], "denied")], set(), READING)
    assert action == SetAside(FILES["a"], "denied", records)


@pytest.mark.parametrize(
    ("known", "files", "orphans"),
    [
        ([entry("a", X), entry("b", X, "duplicate")], [seen("a", Y)], ["b"]),
        ([entry("a", X), entry("b", X, "duplicate")], [seen("a", X)], []),
        ([entry("a", X), entry("b", X, "duplicate")], [], []),
        ([entry("a", Y), entry("b", X, "duplicate"), entry("c", X, "duplicate")], [seen("a", Y)], ["b", "c"]),
        ([entry("a", Y), entry("b", X, "duplicate"), entry("c", X)], [seen("a", Y)], []),
        ([entry("a", Y), entry("b", X, "quarantined")], [seen("a", Y)], []),
        ([entry("b", X, "duplicate")], [seen("a", X)], []),
    ],
)
def test_copies_that_nobody_owns_any_more(known: list[FileEntry], files: list[Seen], orphans: list[str]) -> None:
    assert [file.path for file in orphaned_copies({e.path: e for e in known}, files)] == orphans
