"""A probe of nfdump on the reference file: a program that misreads it is not used."""

import functools
from dataclasses import replace
from pathlib import Path

import pyarrow as pa

from hntes.etl.errors import UnreadableFileError
from hntes.etl.sources.nfcapd.errors import NfdumpError
from hntes.etl.sources.nfcapd.nfdump import UNCHECKED, Nfdump, noise_of, probe_version, record_stream
from hntes.etl.sources.nfcapd.process import DEFAULT_LIMITS, Limits
from hntes.etl.sources.nfcapd.records import raw_tables, record_batch
from hntes.etl.sources.schema import RECORD_SCHEMA

REFERENCE_FILE = Path(__file__).parent / "reference" / "nfcapd.202611201815"
# What the reference file holds, from the collector's own statistics (nfdump -I) and the known senders.
_REFERENCE = {"records": 45, "bytes": 3_698_746_400, "first_ms": 1_795_198_720_827, "last_ms": 1_795_198_784_998}


def probe(program: str, limits: Limits = DEFAULT_LIMITS) -> Nfdump:
    """Finds the form in which this nfdump can be read, and checks it on the reference file.

    Raises:
        NfdumpError: nfdump is missing, of an unknown version, or reads the reference file otherwise than it should.
    """
    version = probe_version(program)
    seen = []
    for output in ("ndjson", "json"):
        nfdump = Nfdump(program, version, output, limits)
        try:
            nfdump = replace(nfdump, noise=noise_of(nfdump, REFERENCE_FILE))
            found = _summary(nfdump)
        except (pa.ArrowInvalid, UnreadableFileError) as problem:
            seen.append(f"{output}: {problem}")
            continue
        if found == _REFERENCE:
            return nfdump
        seen.append(f"{output}: {found}")
    raise NfdumpError(
        f"{program} {'.'.join(map(str, version))} does not read the reference file {REFERENCE_FILE.name} as known "
        f"({_REFERENCE}); it gave {'; '.join(seen)}. Nothing was read: this version of nfdump is not supported"
    )


@functools.cache
def checked(nfdump: Nfdump) -> Nfdump:
    """The same, once it was checked in this process. Raises as `probe`."""
    return probe(nfdump.program, nfdump.limits) if nfdump.output == UNCHECKED else nfdump


def _summary(nfdump: Nfdump) -> dict[str, int]:
    # the native reader does without it, and starts sooner
    import pyarrow.compute as pc

    with record_stream(nfdump, REFERENCE_FILE) as stream:
        batches = [record_batch(table) for table in raw_tables(stream, nfdump.output)]
    records = pa.Table.from_batches(batches, RECORD_SCHEMA)
    return {
        "records": records.num_rows,
        "bytes": pc.sum(records["in_bytes"], min_count=0).as_py(),
        "first_ms": pc.min(records["first_ms"]).as_py() or 0,
        "last_ms": pc.max(records["last_ms"]).as_py() or 0,
    }
