"""Makes a copy of an nfcapd file whose flows happened some days earlier or later; for demonstrations and tests.

Only times change: first, last and received of every record, the times in the file's own statistics, the time of its
creation. `nfdump` lists the copy exactly as the original, shifted. Works on uncompressed files of layout 2.

    python demo/redate.py --days 3 SOURCE DESTINATION
"""

import argparse
import struct
from pathlib import Path

DAY_MS = 86_400_000
_HEAD = struct.Struct("<HHIqBBHIQII")  # magic, layout, nfdump, created, compression, encryption, ..., blocks
_BLOCK = struct.Struct("<IIHH")  # records, size, type, flags
_GENERIC_FLOW = 1  # the extension that begins with first, last and received, each 64-bit milliseconds
_V3_RECORD = 11
_DATA_BLOCK = 3
_STATISTICS = 0x8002


def redate(content: bytes, days: int) -> bytes:
    """The file's content with all times moved by whole days.

    Raises:
        ValueError: not an uncompressed file of layout 2.
    """
    data = bytearray(content)
    magic, layout, _, created, compression, encryption, *_, appendix, _, blocks = _HEAD.unpack_from(data)
    if magic != 0xA50C or layout != 2 or compression != 0 or encryption != 0:
        raise ValueError("not an uncompressed nfcapd file of layout 2")
    struct.pack_into("<q", data, 8, created + days * DAY_MS // 1000)
    offset = _HEAD.size
    for _ in range(blocks):
        _, size, kind, _ = _BLOCK.unpack_from(data, offset)
        if kind == _DATA_BLOCK:
            _redate_block(data, offset + _BLOCK.size, size, days)
        offset += _BLOCK.size + size
    _redate_statistics(data, appendix, days)
    return bytes(data)


def _redate_block(data: bytearray, offset: int, size: int, days: int) -> None:
    end = offset + size
    while offset < end:
        kind, length, elements = struct.unpack_from("<HHH", data, offset)
        if kind == _V3_RECORD:
            extension = offset + 12
            for _ in range(elements):
                number, extension_length = struct.unpack_from("<HH", data, extension)
                if number == _GENERIC_FLOW:
                    times = struct.unpack_from("<QQQ", data, extension + 4)
                    struct.pack_into("<QQQ", data, extension + 4, *(t + days * DAY_MS if t else 0 for t in times))
                extension += extension_length
        offset += length


def _redate_statistics(data: bytearray, appendix: int, days: int) -> None:
    """The statistics are 18 64-bit numbers; the last three are first seen, last seen and sequence failures."""
    records, _, _, _ = _BLOCK.unpack_from(data, appendix)
    offset = appendix + _BLOCK.size
    for _ in range(records):
        kind, length = struct.unpack_from("<HH", data, offset)
        if kind == _STATISTICS:
            seen = offset + 4 + 15 * 8
            times = struct.unpack_from("<QQ", data, seen)
            struct.pack_into("<QQ", data, seen, *(t + days * DAY_MS if 0 < t < 1 << 62 else t for t in times))
        offset += length


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--days", type=int, required=True)
    parser.add_argument("source", type=Path)
    parser.add_argument("destination", type=Path)
    arguments = parser.parse_args()
    arguments.destination.parent.mkdir(parents=True, exist_ok=True)
    arguments.destination.write_bytes(redate(arguments.source.read_bytes(), arguments.days))


if __name__ == "__main__":
    main()
