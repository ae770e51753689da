"""A simulated site: what its interfaces carried, their counters, and the flow files that its exporter should write.

Nothing here uses the program under test but its command line.
"""

import csv
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import numpy as np
from click.testing import CliRunner

from hntes.cli.cli import main
from tests.support.written_flow_files import ExporterRecord, FlowRecord, flow_file

EXPORTER = 0x7F00_000B
DAY = date(2026, 11, 24)
DAY_MS, MINUTE_MS = 86_400_000, 60_000
EDGE, CORE, QUIET_EDGE, QUIET_CORE = 1, 2, 3, 4
FRAMING = 18
SETTINGS = """
[database]
url = "sqlite:///hntes.db"
[paths]
lake = "lake"
output = "out"
[ingest]
rotation_s = 86400
[ageing]
days = 3
[replay]
latest_day = "2026-12-31"
COUNTERS
[plans.recommended]
kind = "two_queue"
[[routers]]
name = "r1"
platform = "junos"
flow_folder = "flows"
exporters = ["127.0.0.11"]
MORE
[[routers.interfaces]]
name = "xe-0/0/1"
role = "edge"
rate_bps = 10_000_000_000
snmp_index = 1
[[routers.interfaces]]
name = "xe-0/0/2"
role = "core"
rate_bps = 10_000_000_000
snmp_index = 2
"""
FILE_SOURCE = """
[counters]
source = "file"
[counters.file]
path = "counters.{day}.csv"
"""
Records = list[FlowRecord]


def midnight_ms(day: date) -> int:
    return int(datetime(day.year, day.month, day.day, tzinfo=UTC).timestamp()) * 1000


def host(pair: int, side: int) -> int:
    """Hosts of different pairs are in different /24."""
    return ((10 if side else 172) << 24) + (pair << 8) + 9


def alpha(day: date, pair: int, at_s: float, size: int = 1_500_000_000, duration_s: float = 30.0) -> FlowRecord:
    """A flow above the threshold between the hosts of that pair."""
    first = midnight_ms(day) + int(at_s * 1000)
    last = first + int(duration_s * 1000)
    return FlowRecord(
        first, last, last + 1000, size // 1500, size, source=host(pair, 0), destination=host(pair, 1),
        input_interface=EDGE, output_interface=CORE, exporter=EXPORTER, source_port=20_000 + pair,
    )  # fmt: skip


def prefix_pair(pair: int) -> str:
    return f"172.{pair >> 8}.{pair & 255}.0/24 > 10.{pair >> 8}.{pair & 255}.0/24"


def background(day: date, mean_bps: float, chance: np.random.Generator, per_minute: int = 40) -> Records:
    """Flows below the threshold, of up to a minute, from many hosts: a load that changes over the day."""
    count = 1440 * per_minute
    starts = np.sort(chance.uniform(0, DAY_MS - MINUTE_MS, count)).astype(int)
    lasts = starts + chance.exponential(15_000, count).clip(2_000, 59_000).astype(int)
    wave = 1 + 0.5 * np.sin(2 * np.pi * starts / DAY_MS)
    sizes = (chance.lognormal(0, 1, count) * wave * mean_bps / 8 * 60 / per_minute / 1.65).astype(int).clip(1500, 5e8)
    base = midnight_ms(day)
    return [
        FlowRecord(
            base + int(start), base + int(last), base + int(last) + 500, max(int(size) // 1000, 1), int(size),
            source=(192 << 24) + number, destination=(193 << 24) + number % 999, input_interface=EDGE,
            output_interface=CORE, exporter=EXPORTER, source_port=number % 50_000,
        )
        for number, (start, last, size) in enumerate(zip(starts, lasts, sizes, strict=True))
    ]  # fmt: skip


def sampled(records: Sequence[FlowRecord], factor: int, chance: np.random.Generator) -> Records:
    """Records of an exporter that counts one packet in `factor`, without multiplying."""
    found = []
    for record in records:
        packets = int(chance.binomial(record.packets, 1 / factor))
        if packets:
            size = record.byte_count // record.packets * packets
            found.append(replace(record, packets=packets, byte_count=size))
    return found


def counters(
    day: date, carried: Sequence[FlowRecord], poll_ms: int, lag_ms: int = 0, start: int = 2**64 - 10**12
) -> list[tuple[object, ...]]:
    """Rows of a counter file: what the records carried until each poll, from an arbitrary counter on."""
    base = midnight_ms(day)
    moments = np.arange(base - 7_200_000, base + DAY_MS + 7_200_000, poll_ms) + 7_000
    first = np.array([record.first_ms for record in carried], float)
    length = np.maximum([record.last_ms - record.first_ms for record in carried], 1)
    octets = np.array([record.byte_count + FRAMING * record.packets for record in carried], float)
    inward = np.array([record.input_interface for record in carried])
    outward = np.array([record.output_interface for record in carried])
    rows = []
    for moment in moments:
        sent = octets * np.clip((moment - lag_ms - first) / length, 0, 1)
        stamp = datetime.fromtimestamp(moment / 1000, UTC).isoformat()
        for index in (EDGE, CORE, QUIET_EDGE, QUIET_CORE):
            values = ((start + int(sent[side == index].sum())) % 2**64 for side in (inward, outward))
            rows.append((stamp, "r1", str(index), *values))
    return rows


@dataclass(frozen=True)
class CountedSite:
    """An installation with one file of flows and one of counters per day."""

    folder: Path

    def set_up(self, counters_section: str = FILE_SOURCE, more: str = "") -> None:
        (self.folder / "flows").mkdir(exist_ok=True)
        text = SETTINGS.replace("COUNTERS", counters_section).replace("MORE", more)
        (self.folder / "hntes.toml").write_text(text)

    def put(
        self, day: date, carried: Sequence[FlowRecord], exported: Sequence[FlowRecord], poll_ms: int = MINUTE_MS,
        spoil: Callable[[list[Any]], list[Any]] = list,
    ) -> None:  # fmt: skip
        """What was carried goes to the counters, what was exported to the flow file."""
        blocks = [exported[begin : begin + 2000] for begin in range(0, len(exported), 2000)]
        content = flow_file([[ExporterRecord(1, EXPORTER)], *blocks], has_sums=True)
        (self.folder / "flows" / f"nfcapd.{day:%Y%m%d}0000").write_bytes(content)
        with (self.folder / f"counters.{day}.csv").open("w", newline="") as file:
            out = csv.writer(file)
            out.writerow(("time", "router", "interface", "in_octets", "out_octets"))
            out.writerows(spoil(counters(day, carried, poll_ms)))

    def run(self, *arguments: str) -> str:
        done = CliRunner().invoke(main, ["--settings", str(self.folder / "hntes.toml"), *arguments])
        assert done.exit_code in (0, 3), done.output
        return done.stdout

    def day(self, day: date) -> dict[str, Any]:
        """Reads and detects a day; its status."""
        self.run("stage", "ingest", "--day", str(day))
        self.run("stage", "detect", "--day", str(day))
        return json.loads(self.run("data", "days", "--day", str(day), "--json"))[-1]

    def pairs(self, day: date) -> set[str]:
        found = json.loads(self.run("rules", "--day", str(day), "--json"))
        return {f"{rule['pair']['source']} > {rule['pair']['destination']}" for rule in found["r1"]["rules"]}

    def doubts(self, day: date) -> dict[str, str]:
        """Why each alpha flow is implausible, by its source."""
        return {flow["source"]: flow["doubt"] for flow in json.loads(self.run("flows", "--day", str(day), "--json"))}
