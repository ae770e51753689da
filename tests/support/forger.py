"""Export datagrams written byte by byte, true ones and forged ones, and a real nfcapd that hears them.

Layouts: NetFlow v5 (Cisco, "NetFlow Export Datagram Format", table B-3 and B-4), v9 (RFC 3954), IPFIX (RFC 7011).
Nothing here uses the program under test.
"""

import socket
import struct
import subprocess
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from ipaddress import IPv4Address
from pathlib import Path

from tests.support.replay import end_collector, wait_until_read


def _minute_within_one_day() -> int:
    now_s = int(time.time())
    if now_s % 86_400 < 600:
        now_s -= 900
    return now_s // 60 * 60


# When all exporters say that they export: a whole minute, with the ten minutes before it on the same day (UTC).
EXPORTED_S = _minute_within_one_day()
UPTIME_MS = 100_000_000
INPUT, OUTPUT = 501, 502
RECORDS_PER_DATAGRAM = 30
# What an exporter may send after a pause of so many seconds without a socket's buffer overflowing.
_PAUSE_S = 0.0004
_TEMPLATE, _OPTIONS = 256, 257
_USER_NAME = 64  # bytes


@dataclass(frozen=True)
class Sent:
    """One flow as an exporter counts it; `age_ms` is how long ago it ended."""

    source: str
    destination: str
    byte_count: int
    packets: int
    duration_ms: int = 60_000
    age_ms: int = 2_000
    source_port: int = 40_000
    destination_port: int = 443
    output: int = OUTPUT
    input: int = INPUT

    @property
    def flow_id(self) -> str:
        return f"{self.source} {self.source_port} > {self.destination} {self.destination_port} / 6"


def alpha_flow(number: int, byte_count: int = 1_500_000_000) -> Sent:
    """A true alpha flow of a minute, told from others by its number."""
    ends = f"198.18.{number // 250}.{number % 250 + 1}", f"203.0.113.{number % 250 + 1}"
    return Sent(*ends, byte_count, byte_count // 1500, source_port=20_000 + number)


def v5(flows: Iterable[Sent], engine: int = 0, sampling_header: int = 0) -> Iterator[bytes]:
    """NetFlow v5: up to 30 records per datagram; `sampling_header` is the mode and the interval (1 in so many)."""
    batch = list(flows)
    for begin in range(0, len(batch), RECORDS_PER_DATAGRAM):
        records = [_v5_record(flow) for flow in batch[begin : begin + RECORDS_PER_DATAGRAM]]
        yield struct.pack(
            ">HHIIIIBBH", 5, len(records), UPTIME_MS, EXPORTED_S, 0, begin, 0, engine, sampling_header
        ) + b"".join(records)


def _v5_record(flow: Sent) -> bytes:
    last = UPTIME_MS - flow.age_ms
    return struct.pack(
        ">4s4s4sHHIIIIHHBBBBHHBBH", _packed(flow.source), _packed(flow.destination), bytes(4), flow.input, flow.output,
        flow.packets, flow.byte_count, last - flow.duration_ms, last, flow.source_port, flow.destination_port,
        0, 0x18, 6, 0, 0, 0, 0, 0, 0,
    )  # fmt: skip


# element and length: addresses, ports, protocol, bytes, packets, interfaces; both forms number them alike
_FIELDS = ((8, 4), (12, 4), (7, 2), (11, 2), (4, 1), (1, 8), (2, 8), (10, 4), (14, 4))


def v9(flows: Iterable[Sent], domain: int = 0, user_name: bytes = b"") -> Iterator[bytes]:
    """NetFlow v9: the template, then the records; a `user_name` (Cisco NSEL, field 40000) is that of each flow."""
    fields = (*_FIELDS, (22, 4), (21, 4), *([(40_000, _USER_NAME)] if user_name else []))
    template = struct.pack(">HH", _TEMPLATE, len(fields)) + b"".join(struct.pack(">HH", *field) for field in fields)
    yield _v9_datagram(_set(0, template), 1, domain)
    for batch in _batches(flows):
        data = b""
        for flow in batch:
            last = UPTIME_MS - flow.age_ms
            data += _record(flow) + struct.pack(">II", last - flow.duration_ms, last)
            data += user_name.ljust(_USER_NAME, b"\0") if user_name else b""
        yield _v9_datagram(_set(_TEMPLATE, data), len(batch), domain)


def v9_sampling_option(interval: int, domain: int = 0) -> Iterator[bytes]:
    """What announces that an exporter samples 1 packet in `interval`: field 34 for the whole system."""
    template = struct.pack(">HHHHHHH", _OPTIONS, 4, 4, 1, 4, 34, 4)
    yield _v9_datagram(_set(1, template), 1, domain)
    yield _v9_datagram(_set(_OPTIONS, struct.pack(">II", 0, interval)), 1, domain)


def ipfix(flows: Iterable[Sent], domain: int = 0) -> Iterator[bytes]:
    """IPFIX: the template, then the records, with times in milliseconds since 1970."""
    fields = (*_FIELDS, (152, 8), (153, 8))
    template = struct.pack(">HH", _TEMPLATE, len(fields)) + b"".join(struct.pack(">HH", *field) for field in fields)
    yield _ipfix_datagram(_set(2, template), domain)
    for batch in _batches(flows):
        data = b""
        for flow in batch:
            last = EXPORTED_S * 1000 - flow.age_ms
            data += _record(flow) + struct.pack(">QQ", last - flow.duration_ms, last)
        yield _ipfix_datagram(_set(_TEMPLATE, data), domain)


def ipfix_sampling_option(interval: int, domain: int = 0) -> Iterator[bytes]:
    """As of v9; the scope is the observation domain (element 149)."""
    template = struct.pack(">HHHHHHH", _OPTIONS, 2, 1, 149, 4, 34, 4)
    yield _ipfix_datagram(_set(3, template), domain)
    yield _ipfix_datagram(_set(_OPTIONS, struct.pack(">II", domain, interval)), domain)


def _record(flow: Sent) -> bytes:
    return struct.pack(
        ">4s4sHHBQQII", _packed(flow.source), _packed(flow.destination), flow.source_port, flow.destination_port, 6,
        flow.byte_count, flow.packets, flow.input, flow.output,
    )  # fmt: skip


def _packed(address: str) -> bytes:
    return IPv4Address(address).packed


def _batches(flows: Iterable[Sent]) -> Iterator[list[Sent]]:
    batch = list(flows)
    for begin in range(0, len(batch), 20):
        yield batch[begin : begin + 20]


def _set(number: int, content: bytes) -> bytes:
    content += bytes(-len(content) % 4)
    return struct.pack(">HH", number, 4 + len(content)) + content


def _v9_datagram(content: bytes, count: int, domain: int) -> bytes:
    return struct.pack(">HHIIII", 9, count, UPTIME_MS, EXPORTED_S, 0, domain) + content


def _ipfix_datagram(content: bytes, domain: int) -> bytes:
    return struct.pack(">HHIII", 10, 16 + len(content), EXPORTED_S, 0, domain) + content


class Collector:
    """A real nfcapd on a port of the loopback interface."""

    def __init__(self, port: int) -> None:
        self.port = port

    def send(self, datagrams: Iterable[bytes], exporter: str = "127.0.0.1") -> int:
        """Sends them as that exporter: nothing in NetFlow tells who sent a datagram but its address."""
        sent = 0
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as out:
            out.bind((exporter, 0))
            for datagram in datagrams:
                out.sendto(datagram, ("127.0.0.1", self.port))
                sent += 1
                time.sleep(_PAUSE_S)
        return sent


@contextmanager
def collecting(into: Path) -> Iterator[Collector]:
    """What is sent in the block becomes the flow file `into`; its time is the one in its name."""
    folder = into.parent / f".{into.name}.collected"
    folder.mkdir(parents=True)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
    # another file begins at each multiple of this interval since 1970: not before 2033, on whatever hour a test falls
    command = ["nfcapd", "-t", "2000000000", "-b", "127.0.0.1", "-p", str(port), "-w", str(folder), "-B", "4000000"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as process:
        wait_until_it_listens(port)
        yield Collector(port)
        wait_until_read(port)
        end_collector(process)
        said, _ = process.communicate()
    files = sorted(folder.glob("nfcapd.[0-9]*"))
    assert len(files) == 1, f"nfcapd left {[file.name for file in files]}: {said.decode(errors='replace')}"
    files[0].replace(into)


def wait_until_it_listens(port: int) -> None:
    """Waits for a collector on that port of the loopback interface."""
    wanted = f"0100007F:{port:04X}"
    deadline = time.monotonic() + 30
    while wanted not in Path("/proc/net/udp").read_text(encoding="ascii"):
        assert time.monotonic() < deadline, "nfcapd does not listen"
        time.sleep(0.05)


def spread_out(flow: Sent, count: int) -> list[Sent]:
    """So many flows of other sources and destinations, each a prefix pair of its own, otherwise alike."""
    made = []
    for number in range(count):
        high, low = divmod(number, 250)
        ends = f"10.{high}.{low}.9", f"172.{16 + high % 16}.{low}.9"
        made.append(replace(flow, source=ends[0], destination=ends[1], source_port=1024 + number % 60_000))
    return made
