"""Recorded transfers with their truth: who sent how much when, and which router's exporter could see it.

A run is a folder of ../shared/data/transfers: nfcapd files by collector, what was really sent (truth.json), and the
exporters' command lines. Expectations come from these alone, never from the program under test.
"""

import csv
import json
import os
import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
# Which folder the collector at each port wrote; the third has nfcapd multiply by the rate in its name, the second does
# not multiply.
COLLECTORS = {9995: "full", 9996: "sampled", 9997: "sampled_s{rate}", 9998: "one_dir"}
_COLLECTOR_FOLDER = re.compile(r"full|sampled|sampled_s\d+|one_dir")
PROTOCOLS = {"tcp": 6, "udp": 17}
WINDOW_S = 60
# IP and TCP headers with time stamps, IPv6; what NetFlow counts and iperf3 does not
HEADER_BYTES = 72
TSO_PACKET_BYTES = 65_536
SMALL_STREAM_BYTES = 100_000_000
# softflowd's sampled v5 exports count too much while IPv6 is on the link: the slot of a packet that v5 cannot carry
# goes to the next IPv4 packet (the data's README; up to a factor of 2 was measured)
SAMPLED_V5_EXCESS = 2.2


@dataclass(frozen=True)
class Transfer:
    """One iperf3 transfer. Five-tuples are (source, source port, destination, destination port, protocol)."""

    name: str
    source: str
    destination: str
    ports: tuple[tuple[int, int], ...]
    protocol: int
    payload_bytes: int
    stream_peak_bytes: int
    start_s: int
    bytes_by_second: tuple[int, ...]
    seen_by: frozenset[str]

    @property
    def five_tuples(self) -> set[tuple[str, int, str, int, int]]:
        return {(self.source, a, self.destination, b, self.protocol) for a, b in self.ports}


@dataclass(frozen=True)
class Meter:
    """One exporter of one router, as one collector heard it."""

    collector: str
    router: str
    address: str
    version: int
    rate: int
    wire_bytes: int  # of a full packet, as the router saw it

    @property
    def overcounts(self) -> bool:
        return self.version == 5 and self.rate > 1

    @property
    def multiplied_by_collector(self) -> bool:
        """nfcapd reads the rate of v5 headers and obeys -s; it does not understand softflowd's own options."""
        return self.rate > 1 and (self.version == 5 or self.collector.startswith("sampled_s"))

    def sees(self, transfer: Transfer) -> bool:
        return self.router in transfer.seen_by and not (self.version == 5 and ":" in transfer.source)

    def bounds(self, payload_bytes: int) -> tuple[float, float]:
        """What the estimate of this many payload bytes may be: headers, and three standard deviations of sampling."""
        headers = 1 + HEADER_BYTES / (self.wire_bytes - HEADER_BYTES)
        if self.rate == 1:
            # small UDP streams have small packets, whose headers weigh more
            weight = 1.05 if payload_bytes < SMALL_STREAM_BYTES else max(headers, 1.01)
            return payload_bytes * 0.99, payload_bytes * weight
        sampled_packets = max(payload_bytes / self.wire_bytes / self.rate, 1)
        error = 3 * (1 - 1 / self.rate) ** 0.5 / sampled_packets**0.5
        excess = SAMPLED_V5_EXCESS if self.overcounts else 1
        return payload_bytes * (1 - error), payload_bytes * headers * (1 + error) * excess


@dataclass(frozen=True)
class Run:
    """One recorded run."""

    folder: Path
    transfers: tuple[Transfer, ...]
    meters: tuple[Meter, ...]

    def of_collector(self, collector: str) -> list[Meter]:
        return [meter for meter in self.meters if meter.collector == collector]

    def counted_elsewhere(self, meter: Meter) -> dict[str, tuple[int, int]]:
        """Transfer -> records and bytes as stored in the files, counted by other means than this program."""
        with (self.folder / "check.csv").open(newline="") as stream:
            return {
                row["id"]: (int(row["records"]), int(row["netflow_bytes"]))
                for row in csv.DictReader(stream)
                if row["dir"].partition("/")[0] == meter.collector and row["router"] == meter.address
            }


def data_folder() -> Path:
    """Where the shared_data fixture looks; needed before fixtures are, to know which runs there are."""
    named = os.environ.get("HNTES_SHARED_DATA")
    return Path(named) if named else ROOT.parent / "shared" / "data"


def recorded() -> list[tuple[str, str]]:
    """Runs and the collectors whose files they have."""
    runs = sorted(path.parent for path in data_folder().glob("transfers/*/truth.json"))
    return [(run.name, collector) for run in runs for collector in collector_folders(run)]


def collector_folders(run: Path) -> list[str]:
    """The folders of a run that hold flow files, by name: one that nobody knows is an error, never left out."""
    found = sorted({path.relative_to(run).parts[0] for path in run.rglob("nfcapd.*")})
    unknown = [name for name in found if not _COLLECTOR_FOLDER.fullmatch(name)]
    if unknown:
        raise ValueError(f"{run}: no collector is known to write {', '.join(unknown)}; see COLLECTORS")
    return found


def load_run(folder: Path) -> Run:
    truth = json.loads((folder / "truth.json").read_text())
    commands = json.loads((folder / "softflowd_commands.json").read_text())
    wire_bytes = TSO_PACKET_BYTES if truth["tso"] else truth["mtu"]
    return Run(
        folder,
        tuple(_transfer(one) for one in truth["transfers"]),
        tuple(_meter(command, wire_bytes) for command in commands),
    )


def _transfer(one: dict[str, Any]) -> Transfer:
    return Transfer(
        name=one["id"],
        source=one["src"],
        destination=one["dst"],
        ports=tuple((a, b) for a, b in one["ports_src_dst"]),
        protocol=PROTOCOLS[one["proto"]],
        payload_bytes=one["payload_bytes_sent"],
        stream_peak_bytes=one["largest_stream_share_max_60s"],
        start_s=int(one["start_epoch"]),
        bytes_by_second=tuple(one["per_second_bytes"]),
        seen_by=frozenset(one["seen_by"]),
    )


def _meter(command: str, wire_bytes: int) -> Meter:
    network, port = re.search(r"-n 198\.19\.25(\d)\.2:(\d+)", command).groups()  # type: ignore[union-attr]
    sampled = re.search(r" -s (\d+)", command)
    version = re.search(r" -v (\d+)", command)
    assert version is not None
    rate = int(sampled[1]) if sampled else 1
    return Meter(
        collector=COLLECTORS[int(port)].format(rate=rate),
        router=f"r{network}",
        address=f"198.19.25{network}.1",
        version=int(version[1]),
        rate=rate,
        wire_bytes=wire_bytes,
    )


def pair_peaks(transfers: list[Transfer]) -> dict[tuple[str, str], int]:
    """Host pair -> the most payload bytes in any window, all transfers between the two together."""
    seconds: dict[tuple[str, str], Counter[int]] = {}
    for transfer in transfers:
        counter = seconds.setdefault((transfer.source, transfer.destination), Counter())
        for number, byte_count in enumerate(transfer.bytes_by_second):
            counter[transfer.start_s + number] += byte_count
    return {
        pair: max(sum(counter[begin + n] for n in range(WINDOW_S)) for begin in counter)
        for pair, counter in seconds.items()
    }
