"""Flow files of layout 2 compressed with zstd, which nfdump 1.7.1 neither writes nor reads; later ones do.

Blocks are compressed and opened by libzstd, which pyarrow brings, so that the decoder is held against another one.
"""

import struct
from collections.abc import Callable

import pyarrow as pa

_HEAD_BYTES, _COMPRESSION, _APPENDIX_BLOCKS, _APPENDIX, _BLOCKS = 40, 16, 18, 24, 36
_BLOCK_HEAD = struct.Struct("<IIHH")
_NONE, _ZSTD = 0, 4


def compressed(plain: bytes, level: int = 3) -> bytes:
    """A file without compression, with zstd; 3 is the level that nfdump takes."""
    codec = pa.Codec("zstd", compression_level=level)
    return _recoded(plain, _NONE, _ZSTD, lambda content: codec.compress(content, asbytes=True))


def expanded(content: bytes) -> bytes:
    """A file with zstd, without compression.

    Raises:
        OSError: libzstd refuses a block.
    """
    return _recoded(content, _ZSTD, _NONE, _opened)


def _opened(block: bytes) -> bytes:
    with pa.input_stream(pa.BufferReader(block), compression="zstd") as stream:
        return bytes(stream.read())


def _recoded(content: bytes, before: int, after: int, recode: Callable[[bytes], bytes]) -> bytes:
    assert content[_COMPRESSION] == before
    (appendix_blocks,) = struct.unpack_from("<H", content, _APPENDIX_BLOCKS)
    (appendix,) = struct.unpack_from("<Q", content, _APPENDIX)
    (blocks,) = struct.unpack_from("<I", content, _BLOCKS)
    data = _blocks(content, _HEAD_BYTES, blocks, recode)
    head = bytearray(content[:_HEAD_BYTES])
    head[_COMPRESSION] = after
    struct.pack_into("<Q", head, _APPENDIX, _HEAD_BYTES + len(data))
    return bytes(head) + data + _blocks(content, appendix, appendix_blocks, recode)


def _blocks(content: bytes, at: int, count: int, recode: Callable[[bytes], bytes]) -> bytes:
    made = []
    for _ in range(count):
        records, size, kind, flags = _BLOCK_HEAD.unpack_from(content, at)
        at += _BLOCK_HEAD.size
        block = recode(content[at : at + size])
        made.append(_BLOCK_HEAD.pack(records, len(block), kind, flags) + block)
        at += size
    return b"".join(made)
