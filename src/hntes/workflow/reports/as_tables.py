"""Tables of prefixes with the autonomous systems that originate them: CAIDA's prefix2as, or CSV as of GeoLite2-ASN.

Formats: prefix2as has lines of address, prefix length and AS (https://www.caida.org/catalog/datasets/routeviews-prefix2as/),
several origins of a prefix joined by "_", AS sets by ","; GeoLite2-ASN has the header `network,
autonomous_system_number,autonomous_system_organization` (https://dev.maxmind.com/geoip/docs/databases/asn/).
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv

from hntes.addresses import packed
from hntes.rules.columns import WIDTHS, Addresses, Whole
from hntes.rules.origin_as import Origins
from hntes.sanitize import shown
from hntes.workflow.context import Context
from hntes.workflow.errors import CommandError

__all__ = ["Origins", "origins_in", "origins_of"]

# Three times the Internet's.
MAX_PREFIXES = 4_000_000
MAX_ORGANIZATION = 40
_MAX_AS = (1 << 32) - 1  # RFC 6793
_ORIGIN = re.compile(r"[0-9]{1,10}(?:[,_][0-9]{1,10})*")
_HEADER = ("network", "autonomous_system_number", "autonomous_system_organization")


def origins_of(context: Context) -> Origins:
    """The prefixes of all tables in the settings.

    Raises:
        CommandError: the settings name no table, or as `origins_in`.
    """
    tables = context.settings.autonomous_systems.tables
    if not tables:
        raise CommandError("the settings name no table of AS numbers; add [autonomous_systems] with `tables`")
    return origins_in(tables)


def origins_in(tables: Iterable[Path]) -> Origins:
    """The prefixes of all these tables, which are read again when a file has changed.

    Raises:
        CommandError: a table cannot be read; the message names the file and the row.
    """
    return _origins(tuple(_Version.of(path) for path in tables))


@dataclass(frozen=True)
class _Version:
    """A file as it is now."""

    path: Path
    size: int
    changed_ns: int

    @classmethod
    def of(cls, path: Path) -> "_Version":
        try:
            found = path.stat()
        except OSError as problem:
            raise CommandError(f"AS table {path}: {problem.strerror}; mend [autonomous_systems] tables") from problem
        return cls(path, found.st_size, found.st_mtime_ns)


@dataclass(frozen=True)
class _Rows:
    """Prefixes in the order of a file; `origin` is a place in `names`. Some tables know the names' organizations."""

    version: Whole
    networks: Addresses
    lengths: Whole
    names: Sequence[str]
    origin: Whole
    organizations: Mapping[str, str]


@lru_cache(maxsize=1)
def _origins(files: tuple[_Version, ...]) -> Origins:
    found = [_read(each.path) for each in files]
    places: dict[str, int] = {}
    organizations: dict[str, str] = {}
    origin = []
    for rows in found:
        organizations = {**rows.organizations, **organizations}
        place = np.array([places.setdefault(name, len(places)) for name in rows.names], dtype=np.int64)
        origin.append(place[rows.origin])
    networks = found[0].networks
    for rows in found[1:]:
        networks = networks.followed_by(rows.networks)
    return Origins.of(
        [f"{name} {organizations[name]}" if name in organizations else name for name in places],
        np.concatenate([rows.version for rows in found]),
        networks,
        np.concatenate([rows.lengths for rows in found]),
        np.concatenate(origin),
    )


def _read(path: Path) -> _Rows:
    """The rows of a file.

    Raises:
        CommandError: it is no such table, or has more than MAX_PREFIXES rows.
    """
    try:
        has_header = _first_line(path).lower().startswith(_HEADER[0])
        table = pa.Table.from_batches(_batches(path, has_header=has_header))
        return (_of_csv if has_header else _of_prefix2as)(table)
    except (pa.ArrowException, OSError, ValueError) as problem:
        raise CommandError(f"AS table {path}: {shown(str(problem))}") from problem


def _first_line(path: Path) -> str:
    with pa.input_stream(path, compression="detect") as stream:
        return bytes(stream.read(256)).partition(b"\n")[0].decode("ascii", "replace")


def _batches(path: Path, *, has_header: bool) -> Iterator[pa.RecordBatch]:
    """The file's rows, piece by piece: a small file that unpacks without end is left where the bound is."""
    columns = _HEADER if has_header else ("address", "length", "origin")
    reading = csv.ReadOptions(use_threads=False, column_names=None if has_header else columns)
    parsing = csv.ParseOptions(delimiter="," if has_header else "\t")
    kinds = {name: pa.int64() if name in {"length", _HEADER[1]} else pa.string() for name in columns}
    converting = csv.ConvertOptions(column_types=kinds, include_columns=columns, strings_can_be_null=False)
    rows = 0
    with pa.input_stream(path, compression="detect") as stream:
        for batch in csv.open_csv(stream, reading, parsing, converting):
            rows += len(batch)
            if rows > MAX_PREFIXES:
                raise ValueError(f"has more than {MAX_PREFIXES} rows")
            yield batch
    if not rows:
        raise ValueError("has no row")


def _of_prefix2as(table: pa.Table) -> _Rows:
    origins = pc.dictionary_encode(table["origin"].combine_chunks())
    names = [_origin_name(text) for text in origins.dictionary.to_pylist()]
    # an empty length is none
    lengths, origin = pc.fill_null(table["length"], -1).to_numpy(), origins.indices.to_numpy()
    return _rows(table["address"].to_pylist(), lengths, names, origin, first=1, organizations={})


def _of_csv(table: pa.Table) -> _Rows:
    """Its header is row 1."""
    networks, numbers, organizations = (table[name].to_pylist() for name in _HEADER)
    for row, (network, number) in enumerate(zip(networks, numbers, strict=True), start=2):
        if number is None:
            raise ValueError(f"row {row} has no AS number")
        if not network.rpartition("/")[2].isdecimal():
            raise ValueError(f"row {row} has no prefix: {network!r}")
    parts = [network.rpartition("/") for network in networks]
    lengths = np.array([min(int(length), WIDTHS[6] + 1) for _, _, length in parts], dtype=np.int64)
    places: dict[int, int] = {}
    origin = np.array([places.setdefault(each, len(places)) for each in numbers], dtype=np.int64)
    names = [_origin_name(str(each)) for each in places]
    known = {
        names[places[number]]: shown(organization[:MAX_ORGANIZATION])
        for number, organization in zip(numbers, organizations, strict=True)
        if organization
    }
    return _rows([address for address, _, _ in parts], lengths, names, origin, first=2, organizations=known)


def _origin_name(text: str) -> str:
    """AS64500, "AS64500 or AS64501" of several origins, "AS64500+AS64501" of an AS set.

    Raises:
        ValueError: it is none.
    """
    if not _ORIGIN.fullmatch(text) or any(int(each) > _MAX_AS for each in re.split("[,_]", text)):
        raise ValueError(f"{text!r} is no AS number from 0 to {_MAX_AS}")
    return " or ".join("+".join(f"AS{int(one)}" for one in each.split(",")) for each in text.split("_"))


def _rows(
    addresses: Sequence[str],
    lengths: Whole,
    names: Sequence[str],
    origin: Whole,
    *,
    first: int,
    organizations: Mapping[str, str],
) -> _Rows:
    """The same, once every row is known to hold a prefix; `first` is the number of the first one.

    Raises:
        ValueError: one does not.
    """
    try:
        networks = Addresses.of_packed(b"".join(map(packed, addresses)))
    except (OSError, ValueError):
        row = next(row for row, text in enumerate(addresses) if not _is_address(text))
        raise _no_prefix(first, row, addresses, lengths) from None
    version = np.array([6 if ":" in text else 4 for text in addresses], dtype=np.int64)
    is_one = np.zeros(len(version), dtype=np.bool_)
    for shape in np.unique(version * 1024 + np.clip(lengths, 0, 1023)).tolist():
        ip_version, length = divmod(shape, 1024)
        if length <= WIDTHS[ip_version]:
            rows = np.flatnonzero((version == ip_version) & (lengths == length))
            own, masked = networks.at(rows), networks.at(rows).masked(length, WIDTHS[ip_version])
            is_one[rows] = (own.hi == masked.hi) & (own.lo == masked.lo)
    if not is_one.all():
        raise _no_prefix(first, int(np.argmin(is_one)), addresses, lengths)
    return _Rows(version, networks, lengths.astype(np.int64), names, origin.astype(np.int64), organizations)


def _is_address(text: str) -> bool:
    try:
        packed(text)
    except (OSError, ValueError):
        return False
    return True


def _no_prefix(first: int, row: int, addresses: Sequence[str], lengths: Whole) -> ValueError:
    return ValueError(f"row {first + row} has no prefix: {addresses[row]!r} and length {lengths[row]}")
