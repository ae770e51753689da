"""Implausible minutes: a load above the port's rate means wrong records and is discarded."""

from collections.abc import Iterable, Mapping

from hntes.etl.days import MINUTE_MS
from hntes.etl.measure.minutes import InterfaceMinutes, MinuteLoad

# Records of many minutes are spread evenly, so a full port can seem to be somewhat more than full; exporters' clocks
# and rates are a few per cent off.
TOLERANCE_PCT = 10
# A minute's estimate exceeds the truth by more than so many standard deviations in one of a thousand million.
SAMPLING_SD = 6


def leave_out_implausible(interfaces: Mapping[int, InterfaceMinutes], rates_bps: Mapping[int, int]) -> None:
    """Takes the minutes that exceed the rate of their port out of its load, in place, and notes them.

    `rates_bps` by SNMP index; the load of other interfaces is not judged.
    """
    for index, rate_bps in rates_bps.items():
        if (interface := interfaces.get(index)) is None:
            continue
        most_bytes = rate_bps * MINUTE_MS // 8000 * (100 + TOLERANCE_PCT) // 100
        for minute in sorted({*interface.beta, *interface.alpha}):
            queues = [queue[minute] for queue in (interface.beta, interface.alpha) if minute in queue]
            if _at_least(queues) > most_bytes:
                interface.leave_out(minute)


def leave_out(interfaces: Mapping[int, InterfaceMinutes], minutes: Iterable[tuple[int, int]]) -> None:
    """Takes minutes, by SNMP index and epoch minute, out of the load of their interfaces, in place, and notes them."""
    for index, minute in minutes:
        if (interface := interfaces.get(index)) is not None:
            interface.leave_out(minute)


def _at_least(queues: list[MinuteLoad]) -> int:
    """The wire bytes that were there even if sampling was at its worst; an unknown rate is taken as exact."""
    error = sum(load.sd_wire_bytes or 0 for load in queues)
    return sum(load.wire_bytes for load in queues) - SAMPLING_SD * error
