"""A router's traffic minute by minute, by egress interface and queue."""

import math
from dataclasses import dataclass, field

# Ethernet overhead of a packet in addition to its IP bytes: header 14, check sequence 4, preamble 8, gap 12
# (IEEE 802.3, clauses 3.1.1 and 4.4.2). NetFlow counts IP bytes.
ETHERNET_BYTES_PER_PACKET = 38


@dataclass
class MinuteLoad:
    """One queue's traffic on one interface in one minute. `variance` (bytes squared) is None at an unknown rate."""

    bytes: int = 0
    packets: int = 0
    variance: int | None = 0

    @property
    def wire_bytes(self) -> int:
        return self.bytes + ETHERNET_BYTES_PER_PACKET * self.packets

    @property
    def sd_wire_bytes(self) -> int | None:
        """One standard deviation of `wire_bytes` due to sampling; the packets vary with the bytes."""
        if self.variance is None:
            return None
        return round(math.sqrt(self.variance) * self.wire_bytes / self.bytes) if self.bytes else 0


@dataclass
class InterfaceMinutes:
    """One interface's minutes with traffic, by epoch minute; and the records that named it.

    `in_force_bytes` are of the pairs in force on the day, in whichever queue the rules put them; `new_bytes` those in
    `alpha` of other pairs. `implausible` are minutes with more than the port can send; they are in no load.
    """

    beta: dict[int, MinuteLoad] = field(default_factory=dict)
    alpha: dict[int, MinuteLoad] = field(default_factory=dict)
    in_force_bytes: dict[int, int] = field(default_factory=dict)
    new_bytes: dict[int, int] = field(default_factory=dict)
    records: int = 0
    implausible: set[int] = field(default_factory=set)

    def leave_out(self, minute: int) -> None:
        """Takes a minute out of the load, and notes it."""
        self.implausible.add(minute)
        self.beta.pop(minute, None)
        self.alpha.pop(minute, None)
        self.in_force_bytes.pop(minute, None)
        self.new_bytes.pop(minute, None)


@dataclass
class RouterMinutes:
    """A router's day: its interfaces by SNMP index (0: unknown), and what a second metering point counted again."""

    interfaces: dict[int, InterfaceMinutes] = field(default_factory=dict)
    minutes: set[int] = field(default_factory=set)
    repeated_records: int = 0
    repeated_bytes: int = 0
