"""The lines of a text file, plain or compressed by gzip or zstd: bounded in memory, whatever the file holds."""

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa

from hntes.etl.errors import UnreadableFileError
from hntes.files import open_file

# A flow with all fields of any collector known to us has less than 4 KiB.
MOST_LINE_BYTES = 1 << 16
_CHUNK_BYTES = 1 << 18
_CODECS = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd"}
# Flows shrink to a tenth or a fiftieth. What expands to more than this is made to fill memory or to waste time.
_MOST_EXPANSION, _EXPANDED_AT_LEAST_BYTES = 200, 1 << 30


def lines(path: Path) -> Iterator[tuple[int, bytes | None]]:
    """The lines that are not blank, each with its number from 1 on; None for one of more than MOST_LINE_BYTES.

    Raises:
        UnreadableFileError: the file cannot be opened, its compressed data is damaged or cut off, or expands to more
            than flows do.
    """
    number, rest, is_too_long = 0, b"", False
    for chunk in _chunks(path):
        first, *others = chunk.split(b"\n")
        rest = rest if is_too_long else rest + first
        for following in others:
            number += 1
            if is_too_long or len(rest) > MOST_LINE_BYTES:
                yield number, None
            elif rest.strip():
                yield number, rest
            rest, is_too_long = following, False
        if len(rest) > MOST_LINE_BYTES:
            rest, is_too_long = b"", True
    if is_too_long or rest.strip():
        yield number + 1, None if is_too_long else rest


def _chunks(path: Path) -> Iterator[bytes]:
    try:
        with open_file(path) as file:
            codec = next((name for magic, name in _CODECS.items() if file.peek(4).startswith(magic)), None)
            size_bytes = path.stat().st_size
            most_bytes = max(_EXPANDED_AT_LEAST_BYTES, size_bytes * _MOST_EXPANSION)
            stream = pa.PythonFile(file, "r")
            stream = pa.CompressedInputStream(stream, codec) if codec else stream
            read_bytes = 0
            while chunk := stream.read(_CHUNK_BYTES):
                read_bytes += len(chunk)
                if read_bytes > most_bytes:
                    raise UnreadableFileError(
                        f"its {size_bytes} bytes expand to more than {most_bytes}, which flows do not"
                    )
                yield chunk
    except pa.ArrowException as cause:
        raise UnreadableFileError(f"its {codec} data is damaged: {cause}") from cause
    except OSError as cause:
        if cause.errno is None:  # of the decompressor
            raise UnreadableFileError(f"its compressed data is damaged or cut off: {cause}") from cause
        raise UnreadableFileError(f"the file cannot be opened: {cause.strerror}") from cause
