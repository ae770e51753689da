"""A large flow file for benchmarks: copies of a small one whose records differ in times, addresses, ports and counters.

Equal copies would not do: sorted, they compress to nothing.
"""

import struct
import subprocess
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from hntes.etl.sources.nfcapd.nfdump import environment

Bytes = npt.NDArray[np.uint8]
Places = npt.NDArray[np.int64]
_HEAD_BYTES, _BLOCK_HEAD, _RECORD_V3, _GENERIC, _IPV4 = 40, struct.Struct("<IIHH"), 11, 1, 2
_COPY_MS, _HOST_BITS, _PORT_BITS = 60_000, 12, 10
# Places in the element that all records have (EXgenericFlow): three times, packets, bytes, a port, the protocol.
_TIMES, _PACKETS, _BYTES, _PORT, _PROTOCOL = (0, 8, 16), 24, 32, 40, 44


@dataclass(frozen=True)
class Spread:
    """Where the copies lie in time, and how much their flows carry.

    begin_ms: of the first copy after the source's own times, and step_ms of each after the one before. Counters of all
    copies but each `full_every`-th are cut to most_bytes; without it none are.
    """

    begin_ms: int = 0
    step_ms: int = _COPY_MS
    most_bytes: int | None = None
    full_every: int = 1
    seed: int = 1


def distinct_copies(source: Path, target: Path, copies: int, scratch: Path, spread: Spread = Spread()) -> None:
    """Writes a file of layout 2, compressed with LZO, each copy some time after the one before; sums stay true."""
    plain = scratch / "plain"
    _nfdump("-r", source, "-w", plain)
    content = np.frombuffer(plain.read_bytes(), np.uint8)
    generic, ipv4 = _elements(content.tobytes())
    chance = np.random.default_rng(spread.seed)
    folder = scratch / "copies"
    folder.mkdir()
    for number in range(copies):
        changed = _changed(content.copy(), generic, ipv4, number, spread, chance)
        (folder / f"nfcapd.20261120{number // 60:02d}{number % 60:02d}").write_bytes(changed.tobytes())
    _nfdump("-R", folder, "-z", "-w", target)


def _elements(content: bytes) -> tuple[Places, Places]:
    """Where the generic elements and those of IPv4 addresses begin."""
    found: dict[int, list[int]] = {_GENERIC: [], _IPV4: []}
    (blocks,) = struct.unpack_from("<I", content, _HEAD_BYTES - 4)
    at = _HEAD_BYTES
    for _ in range(blocks):
        records, size, _, _ = _BLOCK_HEAD.unpack_from(content, at)
        place = at + _BLOCK_HEAD.size
        for _ in range(records):
            kind, length, elements = struct.unpack_from("<HHH", content, place)
            inner = place + 12
            for _ in range(elements if kind == _RECORD_V3 else 0):
                element, element_bytes = struct.unpack_from("<HH", content, inner)
                found.get(element, []).append(inner + 4)
                inner += element_bytes
            place += length
        at += _BLOCK_HEAD.size + size
    return np.array(found[_GENERIC]), np.array(found[_IPV4], dtype=np.int64)


def _changed(
    content: Bytes, generic: Places, ipv4: Places, number: int, spread: Spread, chance: np.random.Generator
) -> Bytes:
    begin_ms = spread.begin_ms + number * spread.step_ms
    later_ms = (begin_ms + chance.integers(0, _COPY_MS, generic.size)).astype(np.uint64)  # may be negative: it wraps
    for place in _TIMES:
        _put(content, generic + place, _get(content, generic + place, "<u8") + later_ms)
    for place in (0, 4):
        hosts = chance.integers(0, 1 << _HOST_BITS, ipv4.size).astype(np.uint32)
        _put(content, ipv4 + place, _get(content, ipv4 + place, "<u4") ^ hosts)
    ports = chance.integers(0, 1 << _PORT_BITS, generic.size).astype(np.uint16)
    _put(content, generic + _PORT, _get(content, generic + _PORT, "<u2") ^ ports)
    for protocol in np.unique(content[generic + _PROTOCOL]):
        # within a protocol counters change places, so that the file's own sums hold
        mine = generic[content[generic + _PROTOCOL] == protocol]
        others = chance.permutation(mine)
        for place in (_PACKETS, _BYTES):
            _put(content, mine + place, _get(content, others + place, "<u8"))
    if spread.most_bytes is not None and number % spread.full_every:
        few = np.minimum(_get(content, generic + _BYTES, "<u8"), np.uint64(spread.most_bytes))
        _put(content, generic + _BYTES, few.astype(np.uint64))
    return content


def _get(content: Bytes, places: Places, kind: str) -> npt.NDArray[np.unsignedinteger]:
    width = np.dtype(kind).itemsize
    return content[places[:, None] + np.arange(width)].view(kind).ravel()


def _put(content: Bytes, places: Places, values: npt.NDArray[np.unsignedinteger]) -> None:
    width = values.dtype.itemsize
    content[places[:, None] + np.arange(width)] = values.view(np.uint8).reshape(-1, width)


def _nfdump(*arguments: str | Path) -> None:
    subprocess.run(["nfdump", "-q", *arguments], check=True, env=environment(), stdout=subprocess.DEVNULL)
