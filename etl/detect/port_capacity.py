"""Alpha flows that cannot all be true: together they exceed what their port carries.

Each forged record of 1.1 GB in ten seconds can be true of a port of 10 Gb/s, two thousand of them within a minute
cannot. Which of them are true nobody can tell, so all of them are marked, and the life of rules takes none for new.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from etl.measure.plausible import SAMPLING_SD, TOLERANCE_PCT

NO_RATES: Mapping[int, int] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class PeakWindow:
    """A flow's fullest window: `bytes` within [start_ms, end_ms], sent out of the port of that SNMP index.

    `sd_bytes` is one standard deviation due to sampling; 0 where none is known.
    """

    flow_id: str
    port_index: int
    start_ms: int
    end_ms: int
    bytes: int
    sd_bytes: int


def implausible_flows(
    windows: Iterable[PeakWindow], window_ms: int, rates_bps: Mapping[int, int] = NO_RATES
) -> frozenset[str]:
    """The flows of each double window in which a port's flows exceed its rate, by flow id.

    Args:
        windows: Of one router; each lasts `window_ms` at most.
        window_ms: Double windows begin at its multiples, so that each window lies within one.
        rates_bps: By SNMP index. Flows of other ports are not judged.

    Sums are of fullest windows alone, and so below what the port would have sent. Rates have a tolerance, and the
    error of sampling is granted, as for the minutes of the load.
    """
    together: defaultdict[tuple[int, int], list[PeakWindow]] = defaultdict(list)
    for window in windows:
        if window.port_index in rates_bps:
            last = window.start_ms // window_ms
            for number in (last - 1, last):
                if number * window_ms <= window.start_ms and window.end_ms <= (number + 2) * window_ms:
                    together[window.port_index, number].append(window)
    found: set[str] = set()
    for (index, _), within in together.items():
        most_bytes = rates_bps[index] * 2 * window_ms // 8000 * (100 + TOLERANCE_PCT) // 100
        error = SAMPLING_SD * sum(window.sd_bytes**2 for window in within) ** 0.5
        if sum(window.bytes for window in within) - error > most_bytes:
            found.update(window.flow_id for window in within)
    return frozenset(found)
