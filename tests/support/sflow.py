"""sFlow version 5 datagrams written byte by byte (sflow.org, sFlow Version 5, section 5), and a real sfcapd."""

import ipaddress
import shutil
import socket
import struct
import subprocess
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.support.replay import end_collector

# A frame's header is cut to what switches export by default.
_HEADER_BYTES = 128
_SAMPLES_A_DATAGRAM = 6
needs_sfcapd = pytest.mark.skipif(shutil.which("sfcapd") is None, reason="sfcapd is missing (package nfdump-sflow)")


@dataclass(frozen=True)
class Frame:
    """A sampled Ethernet frame with an IP packet of TCP; `frame_bytes` with its checksum of 4 bytes."""

    source: str = "198.18.0.1"
    destination: str = "203.0.113.9"
    source_port: int = 5000
    destination_port: int = 443
    frame_bytes: int = 1518
    rate: int = 1000
    into: int = 11
    out: int = 12

    @property
    def packet(self) -> bytes:
        """The IP packet's first bytes."""
        source, destination = (ipaddress.ip_address(each) for each in (self.source, self.destination))
        length = self.frame_bytes - 18
        if source.version == 4:
            head = struct.pack(">BBHHHBBH", 0x45, 0, length, 1, 0, 64, 6, 0)
        else:
            head = struct.pack(">IHBB", 6 << 28, length - 40, 6, 64)
        tcp = struct.pack(">HHIIBBHHH", self.source_port, self.destination_port, 1, 1, 0x50, 0x10, 65_535, 0, 0)
        return head + source.packed + destination.packed + tcp

    @property
    def header(self) -> bytes:
        """The frame's first bytes."""
        kind = 0x800 if "." in self.source else 0x86DD
        frame = bytes.fromhex("020000000001020000000002") + struct.pack(">H", kind) + self.packet
        return frame.ljust(_HEADER_BYTES, b"\0")


def datagrams(frames: Iterable[Frame], agent: str) -> Iterator[bytes]:
    """Flow samples of these frames, some in each datagram."""
    listed = list(frames)
    for number in range(0, len(listed), _SAMPLES_A_DATAGRAM):
        some = listed[number : number + _SAMPLES_A_DATAGRAM]
        head = struct.pack(">II4sIIII", 5, 1, ipaddress.ip_address(agent).packed, 0, number, 1000 + number, len(some))
        yield head + b"".join(_sample(frame, number + place) for place, frame in enumerate(some))


def _sample(frame: Frame, number: int) -> bytes:
    header = frame.header
    raw = struct.pack(">IIII", 1, frame.frame_bytes, 4, len(header)) + header
    record = struct.pack(">II", 1, len(raw)) + raw
    body = struct.pack(">IIIIIIII", number, frame.into, frame.rate, number * frame.rate, 0, frame.into, frame.out, 1)
    return struct.pack(">II", 1, len(body + record)) + body + record


@contextmanager
def sfcapd(folder: Path) -> Iterator[int]:
    """A collector that writes into a folder; gives its port. At the end of the block it closes its file."""
    port = free_port(socket.SOCK_DGRAM)
    folder.mkdir(parents=True, exist_ok=True)
    command = ["sfcapd", "-b", "127.0.0.1", "-p", str(port), "-w", str(folder), "-B", "2000000"]
    with (folder.parent / "sfcapd.log").open("wb") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log, env={"TZ": "UTC", "PATH": "/usr/bin:/bin"})
        try:
            wait_for(port)
            yield port
        finally:
            end_collector(process)


def free_port(kind: socket.SocketKind) -> int:
    """A port of UDP or TCP that nobody has."""
    with socket.socket(socket.AF_INET, kind) as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
    return port


def wait_for(port: int) -> None:
    """Until somebody listens: /proc/net/udp has the port."""
    until = time.monotonic() + 20
    while f":{port:04X} " not in Path("/proc/net/udp").read_text():
        if time.monotonic() > until:
            raise TimeoutError("the collector does not listen")
        time.sleep(0.05)


def send(port: int, made: Iterable[bytes]) -> None:
    """Sends datagrams, slowly enough for the collector's buffer."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as out:
        for datagram in made:
            out.sendto(datagram, ("127.0.0.1", port))
            time.sleep(0.001)
    time.sleep(1)
