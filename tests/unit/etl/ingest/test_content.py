"""The content of a flow file: hashed as it is, unless most of it is not there."""

import hashlib
from pathlib import Path

import pytest

from hntes.etl.ingest.content import content_of

MIB = 2**20


def sparse(path: Path, *data: tuple[int, bytes], size: int) -> Path:
    """A file of that size with data at these places, and holes between."""
    with path.open("wb") as file:
        for place, content in data:
            file.seek(place)
            file.write(content)
        file.truncate(size)
    return path


@pytest.mark.parametrize("holes_mib", [0, 1, 63])
def test_small_holes_are_zeros(tmp_path: Path, holes_mib: int) -> None:
    path = sparse(tmp_path / "file", (0, b"x" * MIB), size=(1 + holes_mib) * MIB)
    assert content_of(path).sha256 == hashlib.sha256(b"x" * MIB + bytes(holes_mib * MIB)).hexdigest()


@pytest.mark.parametrize(
    "data",
    [
        [(0, b"x" * 8192)],
        [(20 * 2**30 - 8192, b"x" * 8192)],
        [(0, b"x" * 8192), *((number * 40 * MIB, b"x") for number in range(1, 5))],
        [],
    ],
    ids=["behind", "in front", "between", "all"],
)
def test_a_file_of_holes_is_refused_unread(
    tmp_path: Path, data: list[tuple[int, bytes]], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = sparse(tmp_path / "file", *data, size=20 * 2**30)
    if path.stat().st_blocks * 512 >= MIB:
        pytest.skip("this file system has no holes")
    monkeypatch.setattr(hashlib, "file_digest", lambda *_: pytest.fail("it was read"))
    with pytest.raises(OSError, match="more than 64 MiB of it are holes"):
        content_of(path)
