"""A month of one router's flow records whose load in every minute is known because it was made so.

Every record lasts whole minutes and carries a whole number of bytes in each, so the truth needs no arithmetic of
shares: `Month.bytes` and `Month.packets` are added up while records are written.
"""

import math
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from functools import cache
from ipaddress import ip_address
from pathlib import Path

import numpy as np
import pyarrow as pa
from sqlalchemy import Engine

from hntes.etl.lake.parts import write_table
from hntes.etl.schema import LAKE_SCHEMA
from hntes.sql.entries import FilePart
from hntes.sql.ledger import replace_file
from hntes.sql.session import transaction
from tests.support.entries import flow_file

FIRST = date(2026, 10, 1)
DAYS = 30
MISSING = date(2026, 10, 11)
ROUTER, FOLDER = "r1", "/flows/r1"
CORE, OTHER, UNKNOWN = 7, 8, 0
MINUTE_MS = 60_000
PEAK_DAY, PEAK_MINUTE = date(2026, 10, 18), 14 * 60 + 32
PEAK_FLOWS, PEAK_FLOW_BYTES = 3, 700_000_000
ALPHA_MINUTE, ALPHA_BYTES = 10 * 60 + 5, 3_000_000_000
PACKET_BYTES = 1000
ALPHA_HOSTS = ("198.18.10.5", "203.0.113.10")
BETA_HOSTS = (
    ("198.18.20.1", "192.0.2.9"), ("198.18.21.1", "192.0.2.10"), ("2001:db8:1::5", "2001:db8:2::9"),
)  # fmt: skip


@dataclass
class Month:
    """(interface, epoch minute) -> beta bytes and packets; alpha bytes by interface; rows by the day of their end."""

    bytes: dict[tuple[int, int], int] = field(default_factory=dict)
    packets: dict[tuple[int, int], int] = field(default_factory=dict)
    rows: dict[date, list[dict[str, int]]] = field(default_factory=dict)

    def wire_bytes(self, interface: int, day: date) -> list[int]:
        """Beta bytes on an Ethernet link, minute by minute: 38 bytes a packet beside its own."""
        keys = [(interface, _minute(day) + minute) for minute in range(24 * 60)]
        return [self.bytes.get(key, 0) + 38 * self.packets.get(key, 0) for key in keys]


def synthetic_month(seed: int = 1) -> Month:
    """Beta traffic with a daily course on two egress interfaces, IPv4 and IPv6, in records of two minutes, some of
    them across midnight; one known fullest minute; an alpha flow a day; some records that name no interface; interface
    8 metered at ingress and at egress. The files of one day are missing.
    """
    month, random = Month(), np.random.default_rng(seed)
    for minute in range(_minute(FIRST), _minute(FIRST + timedelta(days=DAYS)), 2):
        course = 1 + 0.6 * math.sin(2 * math.pi * ((minute % 1440) / 1440 - 0.3))
        for number, hosts in enumerate(BETA_HOSTS):
            for interface, scale in ((CORE, 80_000), (OTHER, 20_000)):
                packets = int(scale * course * random.uniform(0.7, 1.3))
                # one flow in three is exported at odd minutes: its records cross midnight
                _add(month, minute + (number == 1), 2, packets, hosts, 1000 + interface, interface)
        if random.random() < 0.05:
            _add(month, minute, 2, 500, BETA_HOSTS[0], 5000, UNKNOWN)
    for number in range(PEAK_FLOWS):
        _add(
            month,
            _minute(PEAK_DAY) + PEAK_MINUTE,
            1,
            PEAK_FLOW_BYTES // PACKET_BYTES,
            BETA_HOSTS[0],
            6000 + number,
            CORE,
        )
    for back in range(DAYS):
        minute = _minute(FIRST + timedelta(days=back)) + ALPHA_MINUTE
        row = _row(minute, 1, ALPHA_BYTES // PACKET_BYTES, ALPHA_HOSTS, 2811, CORE)
        month.rows.setdefault(_day(row["last_ms"]), []).append(row)
    month.rows.pop(MISSING)
    return month


def install(month: Month, database: Engine, lake: Path) -> None:
    """The month's rows in a lake, one part a day, and in the ledger as files that were read."""
    with transaction(database) as session:
        for day, rows in month.rows.items():
            part = f"flows/router={ROUTER}/day={day}/made-{day}.parquet"
            write_table(lake / part, pa.Table.from_pylist(rows, LAKE_SCHEMA))
            entry = flow_file(
                folder=FOLDER,
                path=f"nfcapd.{day:%Y%m%d}0000",
                file_start_ms=_minute(day) * MINUTE_MS,
                promised_records=None,
                read_records=len(rows),
            )
            total = sum(row["bytes"] for row in rows)
            replace_file(session, entry, parts=[FilePart(ROUTER, day, part, len(rows), total)])


def _add(
    month: Month, minute: int, minutes: int, packets: int, hosts: tuple[str, str], port: int, interface: int
) -> None:
    row = _row(minute, minutes, packets, hosts, port, interface)
    day = _day(row["last_ms"])
    month.rows.setdefault(day, []).append(row)
    if day == MISSING:
        return
    for each in range(minute, minute + minutes):
        month.bytes[interface, each] = month.bytes.get((interface, each), 0) + packets * PACKET_BYTES
        month.packets[interface, each] = month.packets.get((interface, each), 0) + packets
    if interface == OTHER:
        month.rows[day].append({**row, "direction": 1})


def _row(minute: int, minutes: int, packets: int, hosts: tuple[str, str], port: int, interface: int) -> dict[str, int]:
    return {
        **_between(hosts),
        "first_ms": minute * MINUTE_MS,
        "last_ms": (minute + minutes) * MINUTE_MS,
        "src_port": port, "dst_port": 443, "protocol": 6,
        "input_interface": 1, "output_interface": interface,
        "bytes": packets * minutes * PACKET_BYTES, "packets": packets * minutes,
        "sampling_factor": 1, "exporter_lo": 1,
    }  # fmt: skip


@cache
def _between(hosts: tuple[str, str]) -> dict[str, int]:
    """A row of zeros but for its addresses."""
    ends = [ip_address(host) for host in hosts]
    halves = [divmod(int(end), 2**64) for end in ends]
    signed = [[half - 2**64 if half >= 2**63 else half for half in pair] for pair in halves]
    (src_hi, src_lo), (dst_hi, dst_lo) = signed
    addresses = {"src_hi": src_hi, "src_lo": src_lo, "dst_hi": dst_hi, "dst_lo": dst_lo}
    return {**dict.fromkeys(LAKE_SCHEMA.names, 0), "ip_version": ends[0].version, **addresses}


def _minute(day: date) -> int:
    return int(datetime(day.year, day.month, day.day, tzinfo=UTC).timestamp()) // 60


def _day(moment_ms: int) -> date:
    return datetime.fromtimestamp(moment_ms // 1000, UTC).date()
