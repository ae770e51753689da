"""Files that are certainly new are those of a length of their own that the ledger does not know."""

from hypothesis import given
from hypothesis import strategies as st

from hntes.etl.ingest.content import Content
from hntes.etl.ingest.fresh import HASH_TO_COME, certainly_new, hash_digits, with_hash
from hntes.sql.entries import FileEntry


def entry(path: str, size_bytes: int) -> FileEntry:
    return FileEntry(
        folder="/flows", path=path, sha256="ab" * 32, size_bytes=size_bytes, file_start_ms=0, ingest_hash="",
        state="ingested", reason="", file_layout=2, nfdump_version="1.7.1", promised_records=0, read_records=0,
    )  # fmt: skip


def test_a_length_of_its_own_and_a_path_that_is_not_known() -> None:
    known = {"old": entry("old", 5), "grown": entry("grown", 6)}
    sizes = {"old": 5, "grown": 7, "new": 8, "as long as old": 5, "one": 9, "other": 9, "as long as grown was": 6}
    assert certainly_new(sizes, known) == {"new"}


FOLDER = st.dictionaries(st.sampled_from("abcdef"), st.integers(0, 4))


@given(sizes=FOLDER, before=FOLDER)
def test_no_other_file_can_have_the_same_content(sizes: dict[str, int], before: dict[str, int]) -> None:
    found = certainly_new(sizes, {path: entry(path, size) for path, size in before.items()})
    for path in found:
        assert path not in before
        assert [*before.values(), *sizes.values()].count(sizes[path]) == 1
    alone = {path for path in sizes if path not in before and list(sizes.values()).count(sizes[path]) == 1}
    assert alone - found == {path for path in alone if sizes[path] in before.values()}


def test_a_name_gets_the_digits_of_the_hash_when_it_is_known() -> None:
    content = Content("0123456789abcdef" * 4, 3)
    assert hash_digits(Content("", 3)) == HASH_TO_COME
    assert with_hash(f"folder-{HASH_TO_COME}-settings", content) == f"folder-{hash_digits(content)}-settings"
    assert with_hash("folder-known-settings", content) == "folder-known-settings"
