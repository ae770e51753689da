"""Fireflies as a sender of SciTags makes them, written from the published schema, and the receiver that gets them."""

import asyncio
import json
import queue
import socket
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from hntes.etl.announced.receiver import Receiver, receive
from hntes.settings.announced import Announced


@dataclass(frozen=True)
class Sent:
    """One flow that a host announces; times are epoch ms."""

    source: str
    destination: str
    source_port: int
    destination_port: int
    start_ms: int
    end_ms: int
    experiment: int
    activity: int
    sent_bytes: int
    received_bytes: int = 0

    def document(self, state: str, **lifecycle: Any) -> dict[str, Any]:
        """The JSON object of one message; at the end with usage."""
        family = "ipv6" if ":" in self.source else "ipv4"
        times = {"start-time": stamp(self.start_ms), "current-time": stamp(self.start_ms)}
        if state == "end":
            times |= {"end-time": stamp(self.end_ms), "current-time": stamp(self.end_ms)}
        found = {
            "version": 1,
            "flow-lifecycle": {"state": state, **times, **lifecycle},
            "flow-id": {
                "afi": family, "src-ip": self.source, "dst-ip": self.destination, "protocol": "tcp",
                "src-port": self.source_port, "dst-port": self.destination_port,
            },
            "context": {
                "experiment-id": self.experiment, "activity-id": self.activity, "application": "xrootd v5.7.1",
            },
        }  # fmt: skip
        if state == "end":
            found["usage"] = {"sent": self.sent_bytes, "received": self.received_bytes}
        return found

    def messages(self) -> list[bytes]:
        """Its start and its end, as datagrams with a syslog header (RFC 5424)."""
        return [datagram(self.document(state)) for state in ("start", "end")]


def stamp(moment_ms: int) -> str:
    return datetime.fromtimestamp(moment_ms / 1000, UTC).isoformat(timespec="microseconds")


HEADER = "<134>1 2026-11-24T12:00:00.000000+00:00 se1 xrootd - firefly-json - "


def datagram(document: object, header: str = HEADER) -> bytes:
    return header.encode() + json.dumps(document).encode()


def send(port: int, datagrams: Iterable[bytes], address: str = "127.0.0.1") -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as out:
        for each in datagrams:
            out.sendto(each, (address, port))


@contextmanager
def receiving(settings: Announced, now_s: float) -> Iterator[tuple[Receiver, int]]:
    """The receiver on a real UDP socket, at a set time; and its port. Leaving it stops it, which writes its files."""
    said: list[str] = []
    receiver = Receiver(settings, lambda: now_s, said.append)
    ports: queue.SimpleQueue[int] = queue.SimpleQueue()
    loop = asyncio.new_event_loop()
    stop = asyncio.Event()
    thread = threading.Thread(
        target=loop.run_until_complete, args=(receive(receiver, settings.listen, stop, ports.put),)
    )
    thread.start()
    try:
        yield receiver, ports.get(timeout=30)
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join(30)
        loop.close()


def send_all(receiver: Receiver, port: int, datagrams: Sequence[bytes]) -> None:
    """Sends so many at a time that no buffer of the kernel is full, and waits for them, half a minute at most."""
    for begin in range(0, len(datagrams), 20):
        some = datagrams[begin : begin + 20]
        wanted = receiver.counts.total() + len(some)
        send(port, some)
        end = time.monotonic() + 30
        while receiver.counts.total() < wanted:
            assert time.monotonic() < end, "datagrams were lost on the loopback interface"
            time.sleep(0.002)
