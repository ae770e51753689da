"""Alpha flows of one router and day: SQL finds the few flows that may be, the exact window decides."""

from collections import Counter as Tally
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from datetime import date
from functools import partial
from pathlib import Path
from secrets import randbits

import pyarrow as pa

from hntes.etl.counters.judge import CounterJudge
from hntes.etl.days import day_bounds_ms
from hntes.etl.detect.claims import Doubts, Readings, believed_parts
from hntes.etl.detect.flood import Hosts, listed, without_flood
from hntes.etl.detect.flow_records import FlowRecords
from hntes.etl.detect.metering import metered_rows
from hntes.etl.detect.packet_counters import PacketCounters
from hntes.etl.detect.port_capacity import NO_RATES, PortTimes, implausible_flows
from hntes.etl.detect.reading import BORDERLINE_SD, DetectionRule, Reader, Reading, Rows
from hntes.etl.detect.suspects import suspect_rows
from hntes.etl.detect.window import MAX_EXACT_RECORDS
from hntes.etl.engines.base import Engine
from hntes.format import counted
from hntes.sql.entries import Doubt, ObservationEntry
from hntes.sql.queries import query_text

__all__ = ["BORDERLINE_SD", "AlphaFlows", "DetectionRule", "alpha_flows", "detect_day"]

# Of the query's first step.
_CELLS, _SEED_BITS = 1 << 20, 62

_NO_RULE = "implausible, no new rule follows from them"
_REASONS: Mapping[Doubt, str] = {
    "port_rate": f"would have filled a port beyond its rate, alone or together: {_NO_RULE}",
    "above_counters": f"at times when flow records report more than the interface counted: {_NO_RULE}",
    "no_counters": f"at interfaces that have no counters and are not in the settings: {_NO_RULE}",
    "no_packets": f"in no packets, of exporters that count packets: {_NO_RULE}",
}


@dataclass(frozen=True)
class AlphaFlows:
    """The alpha flows of one router and day, by flow id, with notes on their detection.

    `repeated_records` of these flows were metered or collected twice and count once; `coarse_flows` have so many
    records that their windows were tried once a second only; `longest_record_ms` is how long one record of them lasts.
    `unlisted_flows` more were part of an implausible flood: counted, not listed. `reduced_flows` are read without some
    of their records, with which they could not be true.
    """

    observations: tuple[ObservationEntry, ...]
    repeated_records: int
    coarse_flows: int
    longest_record_ms: int
    unlisted: Mapping[Doubt, int] = field(default_factory=dict)
    reduced_flows: int = 0

    @property
    def unlisted_flows(self) -> int:
        return sum(self.unlisted.values())

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes, one sentence each."""
        found = []
        if self.repeated_records:
            found.append(
                f"{counted(self.repeated_records, 'record')} of alpha flows repeat others and count once: traffic is "
                "metered or collected twice"
            )
        found += [f"{flows} {reason}" for doubt, reason in _REASONS.items() if (flows := self._doubted(doubt))]
        if self.reduced_flows:
            found.append(
                f"{counted(self.reduced_flows, 'alpha flow')} counted without some of the records, or of the moves of "
                "starts, with which it could not be true"
            )
        if self.coarse_flows:
            found.append(
                f"{counted(self.coarse_flows, 'alpha flow')} of more than {MAX_EXACT_RECORDS} records: windows tried "
                "once per second, peaks may be low by one second's bytes"
            )
        return tuple(found)

    def _doubted(self, doubt: Doubt) -> str:
        """The number of flows, in words; empty if there are none."""
        unlisted = self.unlisted.get(doubt, 0)
        flows = unlisted + sum(flow.doubt == doubt for flow in self.observations)
        of_these = f" ({unlisted} of them counted, not listed)" if unlisted else ""
        return f"{counted(flows, 'alpha flow')}{of_these}" if flows else ""


def detect_day(
    engine: Engine, lake: Path, parts: Sequence[str], router: str, day: date, rule: DetectionRule
) -> list[ObservationEntry]:
    """The observations of `alpha_flows`."""
    return list(alpha_flows(engine, lake, parts, router, day, rule).observations)


def alpha_flows(
    engine: Engine,
    lake: Path,
    parts: Sequence[str],
    router: str,
    day: date,
    rule: DetectionRule,
    rates_bps: Mapping[int, int] = NO_RATES,
    known_hosts: Callable[[], Set[Hosts]] = frozenset,
    judge: CounterJudge | None = None,
    whole_bps: int = 0,
) -> AlphaFlows:
    """The alpha flows of one router and day.

    `parts` must hold the day's flows and those of one active timeout before and after it: a record lies in the file of
    the minute in which it ended, and a window may begin the day before. A window belongs to the day in which it ends.
    The same flow metered twice (at ingress and at egress, by two interfaces or two exporters) counts once: its largest
    reading. `rates_bps` of the ports, by SNMP index, say which flows cannot be true together; where these are very
    many, `known_hosts` says between which hosts all are listed nevertheless. `whole_bps` is the rate of all ports of
    the settings together, which bounds flows that name another port; 0 where it is not known. `judge` has the interface
    counters.
    """
    from_ms, to_ms = day_bounds_ms(day)
    name = "alpha_candidates" if rule.rule == "window" else "alpha_reports"
    query = query_text(
        name,
        from_ms=from_ms - rule.window_ms if rule.rule == "window" else from_ms,
        to_ms=to_ms,
        window_ms=rule.window_ms,
        threshold_bytes=rule.threshold_bytes,
        with_ports=1 if rule.flow_key == "five_tuple" else 0,
        with_exporters=0 if rule.sum_exporters else 1,
        cell_mask=_CELLS - 1,
        hash_seed=randbits(_SEED_BITS),
    )
    # a part that is named twice (a copy promoted by a run that was killed) still holds its rows once
    table = _rows(engine, query, lake, list(dict.fromkeys(parts)), rule)
    window_ms = rule.window_ms if rule.rule == "window" else None
    thinned = without_flood(table, rule.threshold_bytes, window_ms, (from_ms, to_ms), rates_bps, known_hosts)
    reader, counters = Reader(router, day, rule), PacketCounters()
    best: dict[str, Reading] = {}
    rows: defaultdict[str, list[Rows]] = defaultdict(list)
    for reading, table_rows in reader.readings(counters.seeing(metered_rows(thinned.rows))):
        flow_id = reading.flow_id
        rows[flow_id].append(table_rows)
        if flow_id not in best or reading.observation.peak_bytes > best[flow_id].observation.peak_bytes:
            best[flow_id] = reading
    records = FlowRecords(thinned.rows)
    doubting = _Doubting(rule.threshold_bytes, rates_bps, thinned.sent, whole_bps, counters, judge, records, rows)
    doubts = dict(doubting(best))
    believed = believed_parts(reader, thinned.rows, best, rows, doubts, doubting)
    best |= believed
    for flow_id in believed:
        del doubts[flow_id]
    flows = [
        replace(best[name].observation, implausible=name in doubts, doubt=doubts.get(name, "none"))
        for name in sorted(best)
    ]
    kept = listed(flows, known_hosts)
    return AlphaFlows(
        tuple(kept),
        sum(reading.repeated_records for reading in best.values()),
        sum(reading.is_coarse for reading in best.values()),
        max((reading.longest_record_ms for reading in best.values()), default=0),
        _unlisted(flows, kept, thinned.unlisted_flows),
        len(believed),
    )


def _unlisted(
    flows: Sequence[ObservationEntry], listed_flows: Sequence[ObservationEntry], flood_flows: int
) -> Mapping[Doubt, int]:
    """By doubt; a flood is what fills a port."""
    found = Tally(flow.doubt for flow in flows) - Tally(flow.doubt for flow in listed_flows)
    found["port_rate"] += flood_flows
    return dict(+found)


@dataclass(frozen=True)
class _Doubting:
    """Which of some readings are not believed together, and why."""

    threshold_bytes: int
    rates_bps: Mapping[int, int]
    more_sent: PortTimes
    whole_bps: int
    counters: PacketCounters
    judge: CounterJudge | None
    records: FlowRecords
    rows: Mapping[str, Sequence[Rows]]

    def __call__(self, readings: Readings) -> Doubts:
        doubts: dict[str, Doubt] = {
            name: "no_packets" for name, reading in readings.items() if self.counters.contradict(reading.uncounted)
        }
        peaks = (reading.peak for name, reading in readings.items() if name not in doubts)
        implausible = implausible_flows(peaks, self.threshold_bytes, self.rates_bps, self.more_sent, self.whole_bps)
        if self.judge is not None:
            doubts |= self.judge.doubts(
                (each.place, partial(self.records.at, self.rows[each.flow_id][0].first)) for each in readings.values()
            )
        return doubts | dict.fromkeys(implausible, "port_rate")


def _rows(engine: Engine, query: str, lake: Path, parts: Sequence[str], rule: DetectionRule) -> pa.Table:
    """Of the query over those records that may count, where they can be told apart before it; else over all."""
    if rule.rule == "window":
        paths = [lake / part for part in parts]
        suspects = suspect_rows(paths, rule.threshold_bytes, with_ports=rule.flow_key == "five_tuple")
        if suspects is not None:
            return engine.run(query, lake, [], {"flows": suspects})
    return engine.run(query, lake, parts)
