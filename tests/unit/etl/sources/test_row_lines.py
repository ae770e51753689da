"""Lines of text files: bounded whatever the file holds."""

import gzip
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hntes.etl.errors import UnreadableFileError
from hntes.etl.sources.rows import lines as module
from hntes.etl.sources.rows.lines import MOST_LINE_BYTES, lines


@given(st.lists(st.binary(max_size=40)), st.sampled_from(["plain", "gzip", "zstd"]), st.integers(1, 60))
def test_lines_are_those_between_line_feeds(
    tmp_path_factory: pytest.TempPathFactory, pieces: list[bytes], codec: str, chunk_bytes: int
) -> None:
    path = tmp_path_factory.mktemp("lines") / "file"
    text = b"\n".join(pieces)
    path.write_bytes({"plain": text, "gzip": gzip.compress(text), "zstd": _zstd(text)}[codec])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_CHUNK_BYTES", chunk_bytes)
        if text.startswith((b"\x1f\x8b", b"\x28\xb5\x2f\xfd")) and codec == "plain":
            return
        found = list(lines(path))
    expected = [(number, line) for number, line in enumerate(text.split(b"\n"), start=1) if line.strip()]
    assert found == expected


def _zstd(text: bytes) -> bytes:
    return bytes(pa.Codec("zstd").compress(text))


def test_files_that_were_joined_are_read_to_their_end(tmp_path: Path) -> None:
    for codec in (gzip.compress, _zstd):
        (tmp_path / "file").write_bytes(codec(b"one\n") + codec(b"two\n"))
        assert [line for _, line in lines(tmp_path / "file")] == [b"one", b"two"]


def test_a_line_of_100_mb_is_passed_over_in_little_memory(tmp_path: Path) -> None:
    path = tmp_path / "file"
    with path.open("wb") as stream:
        stream.write(b"first\n")
        for _ in range(100):
            stream.write(b"x" * 1_000_000)
        stream.write(b"\nlast\n")
    tracemalloc.start()
    try:
        assert list(lines(path)) == [(1, b"first"), (2, None), (3, b"last")]
        assert tracemalloc.get_traced_memory()[1] < 4_000_000
    finally:
        tracemalloc.stop()


def test_the_longest_line_is_read_and_the_next_longer_is_not(tmp_path: Path) -> None:
    path = tmp_path / "file"
    for size_bytes, is_read in ((MOST_LINE_BYTES, True), (MOST_LINE_BYTES + 1, False)):
        for end in (b"\n", b""):
            path.write_bytes(b"x" * size_bytes + end)
            ((_, line),) = lines(path)
            assert (line is not None) == is_read


def test_what_expands_beyond_measure_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_EXPANDED_AT_LEAST_BYTES", 1 << 20)
    path = tmp_path / "bomb"
    path.write_bytes(_zstd(b"\n" * (8 << 20)))
    with pytest.raises(UnreadableFileError, match="expand to more than"):
        list(lines(path))


@pytest.mark.parametrize("codec", [gzip.compress, _zstd])
def test_compressed_data_that_was_cut_off_is_damage(tmp_path: Path, codec: Callable[[bytes], bytes]) -> None:
    path = tmp_path / "file"
    path.write_bytes(codec(bytes(range(256)) * 4000)[:-20])
    with pytest.raises(UnreadableFileError, match="damaged"):
        list(lines(path))
