"""Reading flow files without nfdump: columns, promised sums and exporters as nfdump would list them.

What the decoder does not know, and what is damaged, is not read here: the caller asks nfdump (decision 33).
"""

import socket
import struct
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt

from base.errors import HntesError
from etl.errors import NfdumpError, UnreadableFileError
from etl.nfcapd.nfdump import MOST_RECORDS, Exporter, Promise, Sampler, exporters_of
from etl.nfcapd.sums import COUNTERS, KINDS, RecordSums, Sums

try:
    from etl.nfcapd._native import COLUMNS, DamagedFileError, FlowFile, UnknownFileError
except ModuleNotFoundError as cause:
    raise NfdumpError(
        'the native reader is not compiled here: run scripts/build_simulator, or set reader = "nfdump" in [ingest]'
    ) from cause

_SAMPLER_NAMES = {-3: "Static overwrite", -2: "Static default", -1: "Generic"}
_FIRST_NUMBER = 1
# Columns of so many records, 14 MB, are large enough that the time of calls does not count.
_LEAST_RECORDS = 1 << 16


class NotNativeError(HntesError):
    """The native reader does not read this file; the message says why, with the place in bytes."""


class NativeFile:
    """One flow file, read from its beginning to its end, some blocks at a time; only these are held in memory.

    Raises:
        UnreadableFileError: the file cannot be opened.
        NotNativeError: it is damaged or holds something that is not known here; from `blocks` too.
    """

    def __init__(self, path: Path) -> None:
        self._records = 0
        try:
            self._file = FlowFile(path)
        except OSError as cause:
            raise UnreadableFileError(f"the file cannot be opened: {cause.strerror or cause}") from cause
        except (DamagedFileError, UnknownFileError) as cause:
            raise NotNativeError(str(cause)) from cause

    @property
    def promise(self) -> Promise:
        """What the file says of its records."""
        records, failures, totals = self._file.promised
        if records > MOST_RECORDS:
            raise NotNativeError(f"it promises {records} records")
        return Promise(records, _sums(totals), min(failures, MOST_RECORDS))

    @property
    def sums(self) -> RecordSums:
        """What the records read so far add up to."""
        first, both = self._file.counted
        return RecordSums(_sums(first).of, _sums(both).of, self._records)

    @property
    def named(self) -> int:
        """How many exporters and samplers the blocks read so far name: it grows where `exporters` changes."""
        return self._file.named

    @property
    def exporters(self) -> list[Exporter]:
        """The exporters named in the blocks read so far, as nfdump lists them: up to the first number not in use."""
        known = {sysid: (_text(hi, lo, version), samplers) for sysid, hi, lo, version, samplers in self._file.exporters}
        listed = []
        sysid = _FIRST_NUMBER
        while sysid in known:
            listed.append(sysid)
            sysid += 1
        samplers = [
            Sampler(sysid, _SAMPLER_NAMES.get(number, ""), interval, space)
            for sysid in listed
            for number, interval, space in known[sysid][1]
        ]
        return exporters_of({sysid: known[sysid][0] for sysid in listed}, samplers)

    def blocks(self) -> Iterator[dict[str, npt.NDArray[np.uint64]]]:
        """The records, once: unsigned 64-bit columns, signed values in two's complement."""
        try:
            while (block := self._file.next_blocks(_LEAST_RECORDS)) is not None:
                records, used, content = block
                self._records += records
                if self._records > self.promise.records:
                    raise NotNativeError(f"it promises {self.promise.records} records, more can be read")
                if records:
                    values = np.frombuffer(content, dtype="<u8").reshape(len(used), records)
                    columns = dict.fromkeys(COLUMNS, np.zeros(records, dtype=np.uint64))
                    yield columns | {COLUMNS[number]: column for number, column in zip(used, values, strict=True)}
        except (DamagedFileError, UnknownFileError) as cause:
            raise NotNativeError(str(cause)) from cause


def _sums(totals: list[tuple[int, int]]) -> Sums:
    named = zip(KINDS, totals, strict=True)
    return Sums({(kind, counter): value for kind, both in named for counter, value in zip(COUNTERS, both, strict=True)})


def _text(hi: int, lo: int, ip_version: int) -> str:
    if ip_version == 4:
        return socket.inet_ntop(socket.AF_INET, struct.pack(">I", lo))
    return socket.inet_ntop(socket.AF_INET6, struct.pack(">QQ", hi, lo))
