"""Random exporters, and the flow files that a real nfcapd makes of their packets.

Layouts: NetFlow v5 (Cisco, "NetFlow Export Datagram Format"), v9 (RFC 3954), IPFIX (RFC 7011); elements by IANA's list
of them. Nothing here uses the program under test.
"""

import socket
import struct
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random

from tests.support.replay import end_collector, wait_until_read

_PAUSE_S = 0.0004
_UPTIME_MS = 100_000_000
_DAY_S = 86_400
_SET_TEMPLATE = {9: 0, 10: 2}
_SET_OPTIONS = {9: 1, 10: 3}
# element -> lengths in which it is exported; of those that nfcapd keeps, and some that nobody here looks at
_OPTIONAL = {
    5: (1,), 6: (1,), 7: (2,), 11: (2,), 10: (2, 4), 14: (2, 4), 61: (1,), 23: (4, 8), 24: (4, 8), 32: (2,), 15: (4,),
    62: (16,), 16: (2, 4), 17: (2, 4), 9: (1,), 13: (1,), 58: (2,), 59: (2,), 56: (6,), 80: (6,), 70: (3,), 89: (1,),
    48: (1, 2), 34: (4,), 18: (4,), 128: (4,), 129: (4,), 57: (6,), 81: (6,), 136: (1,), 225: (4,), 233: (1,),
    323: (8,), 234: (4,), 12_000: (3,),
}  # fmt: skip
_COUNTERS = {1: (4, 8), 2: (4, 8), 23: (4, 8), 24: (4, 8)}
_ADDRESSES = {4: ((8, 4), (12, 4)), 6: ((27, 16), (28, 16))}
COMPRESSIONS = ((), ("-z",), ("-y",), ("-j",))


@dataclass(frozen=True)
class Template:
    """The fields of a record, each with its length."""

    number: int
    fields: tuple[tuple[int, int], ...]

    def announced(self, version: int) -> bytes:
        fields = b"".join(struct.pack(">HH", *field) for field in self.fields)
        return _set(_SET_TEMPLATE[version], struct.pack(">HH", self.number, len(self.fields)) + fields)


@dataclass
class Exporter:
    """A random exporter: its version, domain, clock, templates and way to announce sampling."""

    chance: Random

    def __post_init__(self) -> None:
        chance, now_s = self.chance, int(time.time())
        self.version = chance.choice((5, 9, 9, 10, 10))
        self.domain = chance.choice((0, 1, 7, 255))
        midnight_s = now_s // _DAY_S * _DAY_S
        # now, at midnight, or with a clock that is wrong by hours or days
        self.exported_s = chance.choice((now_s, now_s, midnight_s, midnight_s + 30, now_s - 5 * 3600, now_s + 400,
                                         now_s - 3 * _DAY_S))  # fmt: skip
        self.whole_seconds = chance.random() < 0.2
        self.sampling = chance.choice(("", "", "system", "sampler", "interval and space", "in records"))
        self.announces_late = chance.random() < 0.3
        self.rate = chance.choice((1, 2, 100, 512, 1000, 4096))
        self.templates = [self._template(256 + number) for number in range(chance.choice((1, 1, 2, 3)))]

    def datagrams(self) -> Iterator[bytes]:
        """All that it sends."""
        if self.version == 5:
            yield from self._v5()
            return
        announcement = list(self._announcement())
        if not self.announces_late:
            yield from announcement
        for template in self.templates:
            yield self._datagram(template.announced(self.version), 1)
        for number in range(self.chance.choice((1, 2, 5, 12))):
            template = self.chance.choice(self.templates)
            count = self.chance.randint(1, 12)
            yield self._datagram(_set(template.number, b"".join(self._record(template) for _ in range(count))), count)
            if number == 0 and self.announces_late:
                yield from announcement

    def _template(self, number: int) -> Template:
        chance = self.chance
        # never of both versions: of these nfdump 1.7.1 lists the later one, and the native reader what counts
        addresses = () if chance.randrange(12) == 0 else _ADDRESSES[chance.choice((4, 4, 6))]
        times = ((22, 4), (21, 4))
        if self.version == 10:
            times = chance.choice((((152, 8), (153, 8)), ((150, 4), (151, 4)), ((152, 8), (153, 8))))
        chosen = {1, 2, *chance.sample(sorted(_OPTIONAL), chance.randrange(len(_OPTIONAL)))}
        if self.sampling == "sampler":
            chosen.add(48)
        if self.sampling == "in records":
            chosen.add(34)
        if chance.random() < 0.8:
            chosen -= {233, 323}  # a firewall's events are no flows
        fields = [(element, chance.choice((_OPTIONAL | _COUNTERS)[element])) for element in sorted(chosen)]
        if chance.random() < 0.95:
            fields.append((4, 1))
        fields += [*addresses, *(times if chance.random() < 0.95 else ())]
        chance.shuffle(fields)
        return Template(number, tuple(fields))

    def _announcement(self) -> Iterator[bytes]:
        """Options that say how packets were sampled."""
        scope = {9: (1, 4), 10: (149, 4)}[self.version]
        fields, values = {
            "system": (((34, 4), (35, 1)), struct.pack(">IB", self.rate, self.chance.choice((1, 2)))),
            "sampler": (((48, 2), (49, 1), (50, 4)), struct.pack(">HBI", 1, 2, self.rate)),
            "interval and space": (((302, 2), (304, 2), (305, 4), (306, 4)),
                                   struct.pack(">HHII", 1, 1, 1, self.rate - 1)),
        }.get(self.sampling, ((), b""))  # fmt: skip
        if not fields:
            return
        described = b"".join(struct.pack(">HH", *field) for field in (scope, *fields))
        if self.version == 9:
            head = struct.pack(">HHH", 512, 4, 4 * len(fields))
        else:
            head = struct.pack(">HHH", 512, 1 + len(fields), 1)
        yield self._datagram(_set(_SET_OPTIONS[self.version], head + described), 1)
        yield self._datagram(_set(512, struct.pack(">I", self.domain) + values), 1)

    def _datagram(self, content: bytes, count: int) -> bytes:
        if self.version == 9:
            return struct.pack(">HHIIII", 9, count, _UPTIME_MS, self.exported_s, 0, self.domain) + content
        return struct.pack(">HHIII", 10, 16 + len(content), self.exported_s, 0, self.domain) + content

    def _times_ms(self) -> tuple[int, int]:
        """How long before the export the first and the last packet came."""
        last = self.chance.choice((0, self.chance.randrange(60_000), self.chance.randrange(3_600_000)))
        first = last + self.chance.choice((0, self.chance.randrange(300_000), self.chance.randrange(7_200_000)))
        if self.chance.random() < 0.1:
            first, last = last, first  # the wrong way round
        unit = 1000 if self.whole_seconds else 1
        return first // unit * unit, last // unit * unit

    def _counter(self, limit: int) -> int:
        most = self.chance.choice((1, 100, 100_000, 10**9, 10**13, 2**63, 2**64))
        return self.chance.randrange(min(most, limit))

    def _record(self, template: Template) -> bytes:
        first, last = self._times_ms()
        exported_ms = self.exported_s * 1000
        known = {
            22: _UPTIME_MS - first, 21: _UPTIME_MS - last, 152: exported_ms - first, 153: exported_ms - last,
            150: (exported_ms - first) // 1000, 151: (exported_ms - last) // 1000, 34: self.rate, 48: 1,
            4: self.chance.choice((1, 6, 6, 6, 17, 17, 47, 58)), 61: self.chance.choice((0, 0, 0, 1, 255)),
            323: exported_ms,
        }  # fmt: skip
        return b"".join(self._value(element, length, known) for element, length in template.fields)

    def _value(self, element: int, length: int, known: dict[int, int]) -> bytes:
        chance, limit = self.chance, 1 << 8 * length
        if element in known:
            value = known[element]
        elif element in _COUNTERS:
            value = self._counter(limit)
        elif element in (8, 12) and chance.random() < 0.95:
            value = (10 << 24) + chance.randrange(1 << 12)
        elif element in (27, 28) and chance.random() < 0.95:
            value = (0x2001_0DB8 << 96) + chance.randrange(1 << 12)
        else:
            value = chance.choice((0, 1, chance.randrange(limit)))
        return (value % limit).to_bytes(length, "big")

    def _v5(self) -> Iterator[bytes]:
        chance = self.chance
        sampling = chance.choice((0, 0, 1 << 14 | self.rate, self.rate))
        for number in range(chance.choice((1, 2, 5))):
            records = b"".join(self._v5_record() for _ in range(chance.randint(1, 30)))
            count = len(records) // 48
            head = (
                5,
                count,
                _UPTIME_MS,
                self.exported_s,
                chance.randrange(10**9),
                number * 30,
                0,
                self.domain,
                sampling,
            )
            yield struct.pack(">HHIIIIBBH", *head) + records

    def _v5_record(self) -> bytes:
        chance = self.chance
        first, last = self._times_ms()
        source, destination = ((10 << 24) + chance.randrange(1 << 12) for _ in range(2))
        return struct.pack(
            ">IIIHHIIIIHHBBBBHHBBH", source, destination, 0, chance.randrange(9), chance.randrange(9),
            self._counter(1 << 32), self._counter(1 << 32), _UPTIME_MS - first, _UPTIME_MS - last,
            chance.randrange(1 << 16), chance.randrange(1 << 16), 0, 0, chance.choice((1, 6, 17, 58)),
            chance.randrange(256), 0, 0, 0, 0, 0,
        )  # fmt: skip


def written_files(folder: Path, chance: Random, count: int) -> list[Path]:
    """Files that one nfcapd writes of so many random sources; most have one exporter, some have several."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as free:
        free.bind(("127.0.0.1", 0))
        port = int(free.getsockname()[1])
    addresses = [f"127.1.{number // 250}.{number % 250 + 1}" for number in range(count)]
    command = [
        "nfcapd",
        "-t",
        "3600",
        "-b",
        "127.0.0.1",
        "-p",
        str(port),
        "-B",
        "8000000",
        *chance.choice(COMPRESSIONS),
    ]
    if chance.random() < 0.3:
        command += ["-s", str(chance.choice((100, -100)))]  # where nobody announces a rate, or whatever they announce
    for number, address in enumerate(addresses):
        (folder / str(number)).mkdir(parents=True)
        command += ["-n", f"source{number},{address},{folder / str(number)}"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        _wait_until_it_listens(port)
        for address in addresses:
            _send(address, port, [Exporter(chance) for _ in range(chance.choice((1, 1, 1, 2, 3)))])
        wait_until_read(port)
        end_collector(process)
    return sorted(folder.glob("*/nfcapd.2*"))


def _send(address: str, port: int, exporters: list[Exporter]) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as out:
        out.bind((address, 0))
        for exporter in exporters:
            for datagram in exporter.datagrams():
                out.sendto(datagram, ("127.0.0.1", port))
                time.sleep(_PAUSE_S)


def changed_copy(path: Path, other: Path, chance: Random) -> tuple[str, Path]:
    """How a copy of the file was made, and the copy: anonymous, together with another file, or compressed anew."""
    how = chance.choice(("nfanon", "together", "nfdump -J"))
    copy = path.with_name(f"copy.{path.name}")
    if how == "nfanon":
        command = ["nfanon", "-q", "-K", "0123456789abcdefghijklmnopqrstuv", "-r", str(path), "-w", str(copy)]
    elif how == "together":
        both = path.parent / "both"
        both.mkdir()
        for number, each in enumerate((path, other)):
            (both / f"nfcapd.20261120{number:02d}00").write_bytes(each.read_bytes())
        command = ["nfdump", "-q", "-R", str(both), *chance.choice(COMPRESSIONS), "-w", str(copy)]
    else:
        copy.write_bytes(path.read_bytes())
        command = ["nfdump", "-J", str(chance.randrange(4)), "-r", str(copy)]
    subprocess.run(command, check=True, capture_output=True, timeout=60)
    return how, copy


def _set(number: int, content: bytes) -> bytes:
    content += bytes(-len(content) % 4)
    return struct.pack(">HH", number, 4 + len(content)) + content


def _wait_until_it_listens(port: int) -> None:
    wanted = f"0100007F:{port:04X}"
    deadline = time.monotonic() + 30
    while wanted not in Path("/proc/net/udp").read_text(encoding="ascii"):
        if time.monotonic() > deadline:
            raise TimeoutError("nfcapd does not listen")
        time.sleep(0.05)
