"""The judge of a router's day, from the octets of both sides."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Set
from datetime import date

import numpy as np
import numpy.typing as npt

from hntes.etl.counters.judge import CounterJudge
from hntes.etl.counters.polled import Polled
from hntes.etl.counters.port_day import PortDay
from hntes.etl.counters.port_octets import Port, PortOctets
from hntes.etl.counters.source import IntervalOctets
from hntes.etl.days import DAY_MS, MINUTE_MS, day_bounds_ms
from hntes.sql.counter_hours import CounterHourEntry

_DAY_MINUTES = DAY_MS // MINUTE_MS
# A meter that exports in fewer minutes of a day is not taken for one: a forger can name any interface.
_MIN_METERED_SHARE = 0.04


def day_judge(
    day: date,
    intervals: Iterable[IntervalOctets],
    indexes: Mapping[str, int],
    flows: Mapping[Port, PortOctets],
    slots_s: Mapping[int, int],
    tolerance: float,
    *,
    formerly_metered: Set[Port] = frozenset(),
) -> CounterJudge:
    """The judge of a router's day.

    Args:
        day: The UTC day.
        intervals: Counter octets of the day, and some of before and after it.
        indexes: SNMP indexes of the interfaces that the settings name, by name.
        flows: Octets by flow records, of the same time.
        slots_s: The time of the day that flow files cover, in seconds from the start of each (epoch ms).
        tolerance: The share by which flows may differ from counters.
        formerly_metered: Interfaces whose own meter usually exports.
    """
    settings_ports = frozenset(indexes.values())
    by_port: defaultdict[Port, list[IntervalOctets]] = defaultdict(list)
    for interval in intervals:
        index = int(interval.interface) if interval.interface.isdecimal() else indexes.get(interval.interface)
        if index is not None:
            by_port[index, interval.direction].append(interval)
    from_ms, _ = day_bounds_ms(day)
    has_files = _minutes(slots_s, from_ms)
    ports = {}
    for port, of_port in by_port.items():
        if port in flows or port[0] in settings_ports or port in formerly_metered:
            read = flows.get(port, PortOctets.none())
            exports = _exports(read, from_ms, has_files)
            ports[port] = PortDay(
                Polled(of_port), read, from_ms, has_files, tolerance, exports, exports or port in formerly_metered
            )  # fmt: skip
    return CounterJudge(ports, flows, settings_ports)


def hour_rows(router: str, day: date, judge: CounterJudge) -> Iterator[CounterHourEntry]:
    """The hours of all interfaces with counters, for the database."""
    for (index, direction), port in sorted(judge.ports.items()):
        for hour in port.hours:
            yield CounterHourEntry(
                router, day, index, direction, hour.hour, round(hour.counter_octets), round(hour.flow_octets),
                hour.minutes, port.exports,
            )  # fmt: skip


def _minutes(slots_s: Mapping[int, int], from_ms: int) -> npt.NDArray[np.bool_]:
    found = np.zeros(_DAY_MINUTES, np.bool_)
    for start_ms, seconds in slots_s.items():
        first = (start_ms - from_ms) // MINUTE_MS
        past = -(-(start_ms + seconds * 1000 - from_ms) // MINUTE_MS)
        found[max(first, 0) : max(past, 0)] = True
    return found


def _exports(read: PortOctets, from_ms: int, has_files: npt.NDArray[np.bool_]) -> bool:
    if not read.is_own_meter:
        return False
    exported = (read.by_minute(from_ms, _DAY_MINUTES) > 1).sum()
    return bool(exported >= max(_MIN_METERED_SHARE * has_files.sum(), 1))
