"""The head of an nfcapd file: what is known is read, all else is refused with its reason."""

import struct
from pathlib import Path

import pytest

from hntes.etl.errors import UnreadableFileError
from hntes.etl.sources.nfcapd.layout import file_layout


def file_with(folder: Path, content: bytes) -> Path:
    path = folder / "nfcapd.202611201815"
    path.write_bytes(content)
    return path


@pytest.mark.parametrize("layout", [1, 2, 3])
def test_known_layouts_are_told_apart(tmp_path: Path, layout: int) -> None:
    assert file_layout(file_with(tmp_path, struct.pack("<HH", 0xA50C, layout) + b"\0" * 136)) == layout


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "empty (0 bytes)"),
        (b"\x0c", "cut off after 1 bytes"),
        (b"\x0c\xa5\x02", "cut off after 3 bytes"),
        (b"this is text", "not an nfcapd file"),
        (b"\xa5\x0c\x00\x02", "not an nfcapd file"),
        (struct.pack("<HH", 0xA50C, 0), "layout 0 is unknown"),
        (struct.pack("<HH", 0xA50C, 4), "layout 4 is unknown"),
        (struct.pack("<HH", 0xA50C, 0xFFFF), "layout 65535 is unknown"),
    ],
)
def test_anything_else_is_refused_with_its_reason(tmp_path: Path, content: bytes, reason: str) -> None:
    with pytest.raises(UnreadableFileError) as caught:
        file_layout(file_with(tmp_path, content))
    assert reason in str(caught.value)


def test_an_unknown_layout_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(UnreadableFileError, match="upgrade HNTES"):
        file_layout(file_with(tmp_path, struct.pack("<HH", 0xA50C, 4)))


def test_a_file_that_is_gone_is_unreadable_not_fatal(tmp_path: Path) -> None:
    with pytest.raises(UnreadableFileError, match="cannot be opened: No such file"):
        file_layout(tmp_path / "nfcapd.202611201815")


def test_nothing_of_a_foreign_file_is_repeated(tmp_path: Path) -> None:
    with pytest.raises(UnreadableFileError) as caught:
        file_layout(file_with(tmp_path, b"root:secret"))
    assert "root" not in str(caught.value)
