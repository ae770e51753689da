"""The receiver of fireflies: UDP datagrams, judged and limited one by one, written as files by day.

Anybody who reaches the port can send, and under any address. So a message is parsed before it is kept, senders and all
of them together have a rate, a day has a size, and memory holds one file at most. What is dropped is counted.
"""

import asyncio
import json
import secrets
from collections import Counter, OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from ipaddress import ip_address
from pathlib import Path
from typing import Any, Literal

from hntes.addresses import plain
from hntes.etl.announced.document import MAX_MESSAGE_BYTES, message_of, parsed
from hntes.etl.announced.endpoints import Endpoints
from hntes.etl.announced.experiments import Experiments
from hntes.etl.announced.firefly import SOURCE
from hntes.etl.announced.source import AnnouncedError, MalformedError, Names
from hntes.files import make_folder, write_bytes
from hntes.settings.announced import Announced, Listen

Outcome = Literal["kept", "not_allowed", "sender_rate", "rate", "malformed", "day_full", "not_written"]
# Senders that were heard last; a flood from forged addresses displaces them, and meets the common rate.
_MAX_SENDERS = 10_000
# For datagrams that the kernel has when the receiver is stopped; one is read per turn of the loop.
_LAST_S = 0.1
_NO_NAMES = Names(Experiments(), Endpoints())


class Bucket:
    """A token bucket that holds the tokens of one second."""

    def __init__(self, per_s: int, now_s: float) -> None:
        self._per_s, self._tokens, self._then_s = per_s, float(per_s), now_s

    def takes(self, now_s: float) -> bool:
        """Whether there is a token, which is taken."""
        passed_s = max(now_s - self._then_s, 0.0)  # the wall clock may be set back
        self._tokens = min(self._tokens + passed_s * self._per_s, self._per_s)
        self._then_s = now_s
        if self._tokens < 1:
            return False
        self._tokens -= 1
        return True


class Admission:
    """Decides on datagrams before they are parsed."""

    def __init__(self, settings: Listen, now_s: float) -> None:
        self._settings = settings
        self._all = Bucket(settings.per_s, now_s)
        self._senders: OrderedDict[str, Bucket] = OrderedDict()

    def refusal(self, sender: str, now_s: float) -> Outcome | None:
        """Why a datagram is dropped; None if it is not. A sender above its rate takes nothing from the others."""
        allowed = self._settings.senders
        if allowed and not any(plain(ip_address(sender.partition("%")[0])) in prefix for prefix in allowed):
            return "not_allowed"
        own = self._senders.pop(sender, None) or Bucket(self._settings.per_sender_per_s, now_s)
        self._senders[sender] = own
        if len(self._senders) > _MAX_SENDERS:
            self._senders.popitem(last=False)
        if not own.takes(now_s):
            return "sender_rate"
        return None if self._all.takes(now_s) else "rate"


def line_of(datagram: bytes, sender: str, received_s: float) -> bytes:
    """The line of a firefly in a file: when it came, from where, and its JSON on one line.

    Raises:
        MalformedError: it is none.
    """
    fields = message_of(datagram)
    list(SOURCE.announcements(fields, _NO_NAMES))
    content = parsed(datagram[datagram.index(b"{") :], MAX_MESSAGE_BYTES)
    when = datetime.fromtimestamp(received_s, UTC).isoformat(timespec="milliseconds")
    return f"{when} {sender} {json.dumps(content, separators=(',', ':'))}\n".encode()


@dataclass
class _File:
    """Lines of one day that wait to be written."""

    day: str
    begun_s: float
    lines: list[bytes]


class Receiver(asyncio.DatagramProtocol):
    """Keeps fireflies and writes them to FOLDER/firefly/DAY; `clock` gives epoch seconds, `say` reports."""

    def __init__(self, settings: Announced, clock: Callable[[], float], say: Callable[[str], object]) -> None:
        self._listen, self._folder = settings.listen, settings.folder / SOURCE.name
        self._clock, self._say = clock, say
        self._admission = Admission(settings.listen, clock())
        self._file: _File | None = None
        self._day, self._day_bytes = "", 0
        self.counts: Counter[Outcome] = Counter()
        self._said: Counter[Outcome] = Counter()

    def datagram_received(self, data: bytes, addr: tuple[Any, ...]) -> None:
        """One datagram; an error of writing is counted, and the next file tried."""
        now_s, sender = self._clock(), str(addr[0])
        outcome = self._admission.refusal(sender, now_s) or self._kept(data, sender, now_s)
        self.counts[outcome] += 1

    def error_received(self, exc: Exception) -> None:
        """An error of the socket, such as an ICMP message; the socket goes on."""
        self._say(f"the socket reports: {exc}")

    def flush(self) -> None:
        """Writes the waiting lines as one file, and reports what was dropped since the last report."""
        file, self._file = self._file, None
        if file is not None and file.lines:
            begun = datetime.fromtimestamp(file.begun_s, UTC)
            name = f"{begun:%H%M%S}.{secrets.token_hex(8)}.log"  # nobody's file is replaced
            try:
                write_bytes(self._folder / file.day / name, b"".join(file.lines))
            except OSError as problem:
                self.counts["kept"] -= len(file.lines)
                self.counts["not_written"] += len(file.lines)
                self._say(f"{problem.filename}: {problem.strerror}; {len(file.lines)} fireflies are lost")
        if dropped := {name: count for name, count in (self.counts - self._said).items() if name != "kept"}:
            self._say("dropped " + ", ".join(f"{count} {name}" for name, count in sorted(dropped.items())))
        self._said = self.counts.copy()

    def _kept(self, data: bytes, sender: str, now_s: float) -> Outcome:
        try:
            line = line_of(data, sender, now_s)
        except MalformedError:
            return "malformed"
        day = datetime.fromtimestamp(now_s, UTC).date().isoformat()
        if self._file is not None and self._file.day != day:
            self.flush()
        if day != self._day:
            self._day, self._day_bytes = day, _stored_bytes(self._folder / day)
        if self._day_bytes + len(line) > self._listen.max_day_mib << 20:
            return "day_full"
        self._file = self._file or _File(day, now_s, [])
        self._file.lines.append(line)
        self._day_bytes += len(line)
        return "kept"


async def receive(receiver: Receiver, settings: Listen, stop: asyncio.Event, ready: Callable[[int], object]) -> None:
    """Receives until `stop` is set, and writes what waits every `file_s`; `ready` gets the port.

    Raises:
        AnnouncedError: the address cannot be bound.
    """
    loop = asyncio.get_running_loop()
    where = (str(settings.address), settings.port)
    try:
        transport, _ = await loop.create_datagram_endpoint(lambda: receiver, local_addr=where)
    except OSError as cause:
        raise AnnouncedError(
            f"announced.listen: {where[0]} port {where[1]} cannot be bound: {cause.strerror}"
        ) from cause
    try:
        ready(transport.get_extra_info("sockname")[1])
        while not stop.is_set():
            try:
                await asyncio.wait_for(stop.wait(), settings.file_s)
            except TimeoutError:
                receiver.flush()
        await asyncio.sleep(_LAST_S)
    finally:
        transport.close()
        receiver.flush()


def _stored_bytes(folder: Path) -> int:
    """Of a day's files, those of an earlier process included."""
    make_folder(folder)
    return sum(path.stat().st_size for path in folder.iterdir() if path.is_file())
