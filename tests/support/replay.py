"""Sends recorded export datagrams to a collector, as the router sent them; reads classic pcap files."""

import socket
import struct
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

_FILE_HEADER_BYTES = 24
_PACKET_HEADER = struct.Struct("<IIII")  # seconds, microseconds, captured, original length
_NETFLOW_HEADER = struct.Struct(">HHII")  # version, count, uptime in ms, seconds since 1970
_ETHERNET_BYTES = 14
_UDP_BYTES = 8


def datagrams(capture: Path, port: int) -> Iterator[bytes]:
    """The payloads of the IPv4 UDP packets to a port, in order."""
    content = capture.read_bytes()
    assert content[:4] == bytes.fromhex("d4c3b2a1"), f"{capture} is no little-endian pcap file with microseconds"
    offset = _FILE_HEADER_BYTES
    while offset < len(content):
        _, _, captured, original = _PACKET_HEADER.unpack_from(content, offset)
        assert captured == original, f"{capture} holds packets cut short"
        offset += _PACKET_HEADER.size
        packet = content[offset + _ETHERNET_BYTES : offset + captured]
        offset += captured
        udp = (packet[0] & 15) * 4
        if int.from_bytes(packet[udp + 2 : udp + 4]) == port:
            yield packet[udp + _UDP_BYTES : udp + int.from_bytes(packet[udp + 4 : udp + 6])]


def exported_s(payload: bytes) -> int:
    """When a datagram of NetFlow version 5 or 9 says that it was sent, in seconds since 1970."""
    version, _, _, seconds = _NETFLOW_HEADER.unpack_from(payload)
    assert version in (5, 9), f"no NetFlow of version 5 or 9: {version}"
    found: int = seconds
    return found


def moved(payload: bytes, by_s: int) -> bytes:
    """The datagram as if it, and all flows in it, had happened later: their times count from its header's."""
    head = _NETFLOW_HEADER.unpack_from(payload)
    return _NETFLOW_HEADER.pack(*head[:3], exported_s(payload) + by_s) + payload[_NETFLOW_HEADER.size :]


def replay(capture: Path, recorded_port: int, port: int, by_s: int = 0) -> int:
    """Sends them to 127.0.0.1:port, slowly enough for a socket's buffer, `by_s` later than recorded; gives how many."""
    sent = 0
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as out:
        for payload in datagrams(capture, recorded_port):
            out.sendto(moved(payload, by_s) if by_s else payload, ("127.0.0.1", port))
            sent += 1
            time.sleep(0.002)
    return sent


def wait_until_read(port: int, limit_s: float = 30.0) -> None:
    """Waits until no datagram lies unread at a local UDP port: a collector that is told to end reads no more."""
    deadline = time.monotonic() + limit_s
    while _unread_bytes(port) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert _unread_bytes(port) == 0, f"port {port} still holds datagrams that nobody reads"


def end_collector(process: "subprocess.Popen[bytes]", limit_s: float = 60.0) -> None:
    """Has a collector close its file and end; fails if it does not within the limit.

    It is told again after a while: nfcapd misses a signal that comes between its look at it and its wait for a
    datagram. On a busy machine it has ended at a second one without its file, so it gets time to close it.
    """
    deadline = time.monotonic() + limit_s
    while process.poll() is None:
        process.terminate()
        try:
            process.wait(15)
        except subprocess.TimeoutExpired:
            if time.monotonic() >= deadline:
                process.kill()
                raise


def _unread_bytes(port: int) -> int:
    """By /proc/net/udp (proc(5)): local address and port, and `tx_queue:rx_queue` in bytes, in hexadecimal."""
    lines = [line.split() for name in ("udp", "udp6") for line in Path("/proc/net", name).read_text().splitlines()[1:]]
    return sum(int(line[4].split(":")[1], 16) for line in lines if int(line[1].split(":")[1], 16) == port)
