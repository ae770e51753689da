"""Consumes a topic of JSON flows, as goflow2 and pmacct send them, into files of time slots.

A message has one row, or several lines of one each (pmacct, kafka_multi_values). A message belongs to the slot in which
it was sent, so that what is read after a pause comes into files of their time.

What is no JSON object stands in the file as a JSON text, which no source takes for a flow: it is a malformed row.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

import msgspec

from hntes.etl.fetch.errors import FetchError, OffsetGoneError
from hntes.etl.fetch.slot_files import SlotFiles
from hntes.etl.fetch.topic import Bounds, Message, Topic
from hntes.etl.sources.rows.lines import MOST_LINE_BYTES
from hntes.format import counted
from hntes.settings.fetch import Kafka

# Messages that are sent and taken within this time belong to the present slot, so that each slot is one file.
_PRESENT_MS = 60_000
# A commit comes no later than with so many bytes (before compression), or slots.
_MOST_BYTES, _MOST_SLOTS = 256 << 20, 64
_AT_ONCE, _WAIT_S = 1000, 0.5
_EXCERPT_BYTES = 80


class _AnyObject(msgspec.Struct):
    """Any JSON object; what is in it is checked when the file is read."""


@dataclass
class Consumer:
    """Reads a topic on from what `files` have. `clock` gives epoch ms; `say` takes sentences on progress and losses.

    Raises:
        FetchError: the topic cannot be read.
    """

    topic: Topic
    files: SlotFiles
    options: Kafka
    slot_s: int
    clock: Callable[[], int]
    say: Callable[[str], None]
    pause: Callable[[float], None] = time.sleep
    _offsets: dict[int, int] = field(init=False, default_factory=dict)
    _rows: int = field(init=False, default=0)
    _malformed: int = field(init=False, default=0)
    _due_s: int = field(init=False, default=0)
    _is_waiting: bool = field(init=False, default=False)

    def __post_init__(self) -> None:
        self._decoder = msgspec.json.Decoder(_AnyObject)
        if self.files.is_anew:
            self.say("the topic was made anew: it is read from its beginning")
        self._begin()

    def run(self, is_stopped: Callable[[], bool]) -> None:
        """Consumes until it is stopped; what was taken is then written.

        Raises:
            FetchError: the topic cannot be read, or files cannot be written.
        """
        while not is_stopped():
            self.step()
        self._commit()

    def step(self) -> None:
        """Takes some messages, and writes files if a slot has ended, or if there is much to write."""
        if self._is_waiting:
            self.pause(_WAIT_S)
        else:
            try:
                messages = self.topic.take(_AT_ONCE, _WAIT_S)
            except OffsetGoneError:
                self._commit()
                self._begin()
                return
            now_ms = self.clock()
            for message in messages:
                self._take(message, now_ms)
        if self.clock() >= self._due_s * 1000 or self.files.bytes >= _MOST_BYTES or self.files.slots >= _MOST_SLOTS:
            self._commit()
            self._begin_new_partitions()

    def _begin(self) -> None:
        """Reads on from the files, or where the settings say if they have nothing."""
        bounds = self.topic.bounds()
        known = self.files.offsets
        if known is None:
            self._offsets = {
                one: has.high if self.options.start == "latest" else has.low for one, has in bounds.items()
            }
        else:
            self._offsets = {one: self._first(one, has, known.get(one, has.low)) for one, has in bounds.items()}
        # with `latest`, what comes from now on is not passed over after a restart
        self._commit()
        self.topic.read_from(self._offsets)

    def _first(self, partition: int, has: Bounds, wanted: int) -> int:
        """The offset to read on from.

        Raises:
            FetchError: the partition ends before it.
        """
        if wanted > has.high:
            raise FetchError(
                f"partition {partition} ends at {has.high}, but was read up to {wanted}: if its brokers do not have it "
                f"back soon, the cluster has lost messages; then move {self.files.folder} away and begin anew"
            )
        if wanted < has.low:
            lost = counted(has.low - wanted, "message")
            self.say(f"partition {partition}: {lost} lost: deleted in the topic before they were read")
        return max(wanted, has.low)

    def _begin_new_partitions(self) -> None:
        try:
            has_new = bool(self.topic.partitions() - self._offsets.keys())
        except FetchError as problem:  # of a cluster that does not answer, and is waited for
            self.say(str(problem))
            return
        if has_new:
            self._begin()

    def _take(self, message: Message, now_ms: int) -> None:
        if message.offset < self._offsets[message.partition]:
            return  # of before it was read from here
        slot_s = self._slot_s(message.time_ms, now_ms)
        if message.value:
            for line in message.value.split(b"\n"):
                if line and not line.isspace():
                    self._add(slot_s, line.strip(), message)
        self._offsets[message.partition] = message.offset + 1

    def _slot_s(self, time_ms: int | None, now_ms: int) -> int:
        is_past = time_ms is not None and 0 < time_ms < now_ms - _PRESENT_MS
        at_ms = time_ms if time_ms is not None and is_past else now_ms
        return at_ms // 1000 // self.slot_s * self.slot_s

    def _add(self, slot_s: int, line: bytes, message: Message) -> None:
        self._rows += 1
        if problem := self._problem(line):
            self._malformed += 1
            excerpt = line[:_EXCERPT_BYTES].decode("utf-8", "backslashreplace")
            text = f"partition {message.partition}, offset {message.offset}: {problem}: {excerpt}"
            self.files.add(slot_s, msgspec.json.encode(text), is_odd=True)
        else:
            self.files.add(slot_s, line)

    def _problem(self, line: bytes) -> str:
        if len(line) > MOST_LINE_BYTES:
            return f"more than {MOST_LINE_BYTES} bytes"
        try:
            self._decoder.decode(line)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as cause:
            return f"no JSON object ({cause})"
        return ""

    def _commit(self) -> None:
        now_s = self.clock() // 1000
        self._due_s = (now_s // self.slot_s + 1) * self.slot_s
        if self._offsets != self.files.offsets:
            names = self.files.commit(self._offsets)
            if names:
                malformed = f", {self._malformed} malformed" if self._malformed else ""
                behind = counted(self.topic.behind(self._offsets), "message")
                self.say(f"{counted(self._rows, 'row')} in {counted(len(names), 'file')}{malformed}; {behind} behind")
            self._rows = self._malformed = 0
        self._wait_for_room()

    def _wait_for_room(self) -> None:
        """A full folder has the topic wait, which keeps messages for as long as its cluster does."""
        is_full = self.files.stored_bytes() >= self.options.max_folder_gib << 30
        if is_full and not self._is_waiting:
            self.say(
                f"{self.files.folder} has {self.options.max_folder_gib} GiB: waiting until files are deleted there"
            )
        self._is_waiting = is_full
