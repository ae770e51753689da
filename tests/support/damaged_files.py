"""Damage as disks, networks and crashes do it, to real nfcapd files of every layout and compression at hand."""

import struct
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random

from hntes.etl.sources.nfcapd.probe import REFERENCE_FILE
from tests.support.exports import export_files

# nfdump 1.7.1 writes these; zstd came later
COMPRESSIONS = {"none": (), "lzo": ("-z",), "bz2": ("-j",), "lz4": ("-y",)}
HEADER_BYTES = 64  # file header and the first block's, of both layouts
LAYOUT_1_CASES = ("good/backbone_10_flows_nfcapd16_lzo", "odd/cgnat_nfcapd16")


@dataclass(frozen=True)
class Damaged:
    """A file after damage, and what was done to which."""

    content: bytes
    told: str


def whole_files(folder: Path) -> dict[str, bytes]:
    """Good files by name: the reference file in every compression, and recorded files of layout 1 if any."""
    made = {}
    for name, options in COMPRESSIONS.items():
        path = folder / name
        command = ["nfdump", "-q", "-r", str(REFERENCE_FILE), *options, "-w", str(path)]
        subprocess.run(command, check=True, capture_output=True)
        made[name] = path.read_bytes()
        path.unlink()
    return made | {file.case: file.path.read_bytes() for file in export_files() if file.case in LAYOUT_1_CASES}


def damaged(whole: dict[str, bytes], chance: Random) -> Damaged:
    """One of the files after one kind of damage."""
    name = chance.choice(sorted(whole))
    kind = chance.choice(sorted(DAMAGES))
    other = whole[chance.choice(sorted(whole))]
    content = DAMAGES[kind](bytearray(whole[name]), other, chance)
    return Damaged(bytes(content), f"{kind} of {name}")


def _flip_anywhere(content: bytearray, _other: bytes, chance: Random) -> bytearray:
    for _ in range(chance.choice((1, 1, 1, 2, 8))):
        content[chance.randrange(len(content))] ^= 1 << chance.randrange(8)
    return content


def _flip_in_header(content: bytearray, _: bytes, chance: Random) -> bytearray:
    content[chance.randrange(4, min(HEADER_BYTES, len(content)))] ^= 1 << chance.randrange(8)
    return content


def _flip_in_block(content: bytearray, _: bytes, chance: Random) -> bytearray:
    content[chance.randrange(HEADER_BYTES, len(content))] ^= 1 << chance.randrange(8)
    return content


def _number_in_header(content: bytearray, _: bytes, chance: Random) -> bytearray:
    """A field of two or four bytes becomes what a counter is at its limits, or anything."""
    size = chance.choice((2, 4))
    value = chance.choice((0, 1, 0x7F, (1 << 8 * size) - 1, 1 << (8 * size - 1), chance.getrandbits(8 * size)))
    offset = chance.randrange(4, HEADER_BYTES, size)
    content[offset : offset + size] = struct.pack("<H" if size == 2 else "<I", value)
    return content


def _cut_off(content: bytearray, _: bytes, chance: Random) -> bytearray:
    return content[: chance.randrange(len(content))]


def _zeroed(content: bytearray, _: bytes, chance: Random) -> bytearray:
    begin = chance.randrange(len(content))
    end = min(begin + chance.choice((1, 4, 64, 512, 4096)), len(content))
    content[begin:end] = bytes(end - begin)
    return content


def _spliced(content: bytearray, other: bytes, chance: Random) -> bytearray:
    """The beginning of one file and the rest of another."""
    return content[: chance.randrange(1, len(content))] + other[chance.randrange(len(other)) :]


def _repeated(content: bytearray, _: bytes, chance: Random) -> bytearray:
    begin = chance.randrange(len(content))
    end = chance.randrange(begin, len(content)) + 1
    return content[:end] + content[begin:]


def _overwritten(content: bytearray, other: bytes, chance: Random) -> bytearray:
    begin, source = chance.randrange(len(content)), chance.randrange(len(other))
    piece = other[source : source + chance.choice((4, 64, 512))]
    content[begin : begin + len(piece)] = piece
    return content


DAMAGES: dict[str, Callable[[bytearray, bytes, Random], bytearray]] = {
    "a flip anywhere": _flip_anywhere,
    "a flip in the header": _flip_in_header,
    "a flip in a block": _flip_in_block,
    "a number in the header": _number_in_header,
    "a cut": _cut_off,
    "zeros": _zeroed,
    "a splice": _spliced,
    "a repetition": _repeated,
    "an overwriting": _overwritten,
}
