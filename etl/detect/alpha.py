"""Alpha flows of one router and day: SQL finds the few flows that may be, the exact window decides."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from datetime import date
from fractions import Fraction
from functools import partial
from itertools import groupby
from pathlib import Path
from secrets import randbits
from typing import Literal

import pyarrow as pa

from hntes.etl import schema
from hntes.etl.addresses import address_of, exporter_address
from hntes.etl.counters.judge import CounterJudge, FlowPlace
from hntes.etl.days import day_bounds_ms
from hntes.etl.detect.flood import Hosts, listed, without_flood
from hntes.etl.detect.metering import Metered, at_one_interface, metered_rows, without_repeats
from hntes.etl.detect.packet_counters import Counter as PacketCounter
from hntes.etl.detect.packet_counters import PacketCounters, uncounted
from hntes.etl.detect.peak_window import PeakWindow
from hntes.etl.detect.port_capacity import NO_RATES, implausible_flows
from hntes.etl.detect.suspects import suspect_rows
from hntes.etl.detect.window import MAX_EXACT_RECORDS, Flow, OneRecord, Peak, flow_of
from hntes.etl.engines.base import Engine
from hntes.format import counted
from hntes.sql.entries import Doubt, ObservationEntry
from hntes.sql.queries import query_text

# A flow this close to the threshold, in standard deviations of its estimate, is called borderline.
BORDERLINE_SD = 3.0
# Of the query's first step.
_CELLS, _SEED_BITS = 1 << 20, 62


@dataclass(frozen=True)
class DetectionRule:
    """The definition of an alpha flow: more than `threshold_bytes` in some window (`window`) or in one report
    (`report`).

    `sum_exporters`: the router's exporters see different traffic, so that what they saw of a flow is added.
    `sampling_error_pct`: error of sampled counters that is known beside chance, of the peak (0..100).
    """

    threshold_bytes: int = 1_000_000_000
    window_ms: int = 60_000
    rule: Literal["window", "report"] = "window"
    flow_key: Literal["five_tuple", "host_pair"] = "five_tuple"
    sum_exporters: bool = False
    sampling_error_pct: int = 0


@dataclass(frozen=True)
class AlphaFlows:
    """The alpha flows of one router and day, by flow id, with notes on their detection.

    `repeated_records` of these flows were metered or collected twice and count once; `coarse_flows` have so many
    records that their windows were tried once a second only; `longest_record_ms` is how long one record of them lasts.
    `unlisted_flows` more were part of an implausible flood: counted, not listed.
    """

    observations: tuple[ObservationEntry, ...]
    repeated_records: int
    coarse_flows: int
    longest_record_ms: int
    unlisted_flows: int = 0

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes, one sentence each."""
        found = []
        if self.repeated_records:
            found.append(
                f"{counted(self.repeated_records, 'record')} of alpha flows repeat others and count once: traffic is "
                "metered or collected twice"
            )
        if implausible := self._doubted("port_rate") + self.unlisted_flows:
            unlisted = f" ({self.unlisted_flows} of them counted, not listed)" if self.unlisted_flows else ""
            found.append(
                f"{counted(implausible, 'alpha flow')}{unlisted} would have filled a port beyond its "
                "rate, alone or together: implausible, no new rule follows from them"
            )
        if above := self._doubted("above_counters"):
            found.append(
                f"{counted(above, 'alpha flow')} at times when flow records report more than the interface counted: "
                "implausible, no new rule follows from them"
            )
        if elsewhere := self._doubted("no_counters"):
            found.append(
                f"{counted(elsewhere, 'alpha flow')} at interfaces that have no counters and are not in the settings: "
                "implausible, no new rule follows from them"
            )
        if uncounted_flows := self._doubted("no_packets"):
            found.append(
                f"{counted(uncounted_flows, 'alpha flow')} in no packets, of exporters that count packets: "
                "implausible, no new rule follows from them"
            )
        if self.coarse_flows:
            found.append(
                f"{counted(self.coarse_flows, 'alpha flow')} of more than {MAX_EXACT_RECORDS} records: windows tried "
                "once per second, peaks may be low by one second's bytes"
            )
        return tuple(found)

    def _doubted(self, doubt: Doubt) -> int:
        return sum(flow.doubt == doubt for flow in self.observations)


@dataclass(frozen=True)
class _Reading:
    """One alpha flow at one metering point; `peak` is its fullest window at the port that most of it left by."""

    observation: ObservationEntry
    peak: PeakWindow
    place: FlowPlace
    repeated_records: int
    is_coarse: bool
    longest_record_ms: int
    uncounted: frozenset[PacketCounter]


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
    counters = PacketCounters()
    rows = counters.seeing(metered_rows(thinned.rows))
    best: dict[str, _Reading] = {}
    for reading in _readings(rows, router, day, rule):
        flow_id = reading.observation.flow_id
        if flow_id not in best or reading.observation.peak_bytes > best[flow_id].observation.peak_bytes:
            best[flow_id] = reading
    doubts: dict[str, Doubt] = {
        name: "no_packets" for name, reading in best.items() if counters.contradict(reading.uncounted)
    }
    peaks = (reading.peak for name, reading in best.items() if name not in doubts)
    implausible = implausible_flows(peaks, rule.threshold_bytes, rates_bps, thinned.sent, whole_bps)
    if judge is not None:
        doubts |= judge.doubts(reading.place for reading in best.values())
    doubts |= dict.fromkeys(implausible, "port_rate")
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
        thinned.unlisted_flows + len(flows) - len(kept),
    )


def _rows(engine: Engine, query: str, lake: Path, parts: Sequence[str], rule: DetectionRule) -> pa.Table:
    """Of the query over those records that may count, where they can be told apart before it; else over all."""
    if rule.rule == "window":
        paths = [lake / part for part in parts]
        suspects = suspect_rows(paths, rule.threshold_bytes, with_ports=rule.flow_key == "five_tuple")
        if suspects is not None:
            return engine.run(query, lake, [], {"flows": suspects})
    return engine.run(query, lake, parts)


def _readings(rows: Iterable[Metered], router: str, day: date, rule: DetectionRule) -> Iterator[_Reading]:
    """One reading a flow and metering point, in the order of the query."""
    bounds = day_bounds_ms(day)
    for _, group in groupby(rows, key=lambda record: record.key):
        records = list(group)
        once = without_repeats(records)
        # A report is taken whole, as the heuristic does: its own duration is the window.
        longest = max(record.last_ms - record.start_ms for record in once)
        window_ms = rule.window_ms if rule.rule == "window" else max(longest, 1)
        once = at_one_interface(once, partial(_peak_bytes, window_ms, bounds))
        flow = flow_of((record.span for record in once), window_ms, *bounds)
        peak = flow.peak_window(window_ms, *bounds)
        if peak is not None and peak.bytes > rule.threshold_bytes:
            found = _observation(flow, once, peak, router, day, rule)
            repeated = _count_inside(records, bounds) - found.records
            inside = _inside_peak(once, peak, window_ms)
            window = _peak_window(found, inside, peak, window_ms)
            longest_ms = max(span.last_ms - span.start_ms for span in flow.spans)
            place = _place(found, inside)
            yield _Reading(found, window, place, repeated, flow.is_coarse, longest_ms, uncounted(inside))


def _peak_bytes(window_ms: int, bounds: tuple[int, int], records: Sequence[Metered]) -> Fraction:
    peak = flow_of((record.span for record in records), window_ms, *bounds).peak_window(window_ms, *bounds)
    return Fraction(-1) if peak is None else peak.bytes


def _is_inside(record: Metered, bounds: tuple[int, int]) -> bool:
    return record.last_ms > bounds[0] and record.start_ms <= bounds[1]


def _count_inside(records: Iterable[Metered], bounds: tuple[int, int]) -> int:
    return sum(_is_inside(record, bounds) for record in records)


def _observation(
    flow: Flow | OneRecord, records: Sequence[Metered], peak: Peak, router: str, day: date, rule: DetectionRule
) -> ObservationEntry:
    from_ms, to_ms = bounds = day_bounds_ms(day)
    one = records[0]
    inside = [record for record in records if _is_inside(record, bounds)]
    source = str(address_of(one.ip_version, one.src_hi, one.src_lo))
    destination = str(address_of(one.ip_version, one.dst_hi, one.dst_lo))
    ports: dict[str, int | None] = {
        "source_port": one.key_src_port, "destination_port": one.key_dst_port, "protocol": one.key_protocol,
    }  # fmt: skip
    if rule.flow_key == "host_pair":
        ports = dict.fromkeys(ports)
    factors = {record.sampling_factor for record in inside}
    sd_bytes = None if peak.sd_bytes is None else round(peak.sd_bytes)
    return ObservationEntry(
        router=router, day=day, flow_id=_flow_id(source, destination, ports), flow_key=rule.flow_key, rule=rule.rule,
        threshold_bytes=rule.threshold_bytes, window_s=rule.window_ms // 1000,
        exporter=exporter_address(*_main_exporter(inside)), direction=one.direction,
        ip_version=one.ip_version, source=source, destination=destination, source_port=ports["source_port"],
        destination_port=ports["destination_port"], protocol=ports["protocol"],
        first_ms=max(min(record.start_ms for record in inside), from_ms),
        last_ms=min(max(record.last_ms for record in inside), to_ms),
        flow_bytes=flow.flow_bytes(from_ms, to_ms),
        burst_bytes=flow.burst_bytes(rule.window_ms, rule.threshold_bytes, from_ms, to_ms),
        peak_start_ms=peak.end_ms - rule.window_ms, peak_bytes=int(peak.bytes), peak_sd_bytes=sd_bytes,
        sampling_factor=factors.pop() if len(factors) == 1 and 0 not in factors else None,
        records=len(inside), repaired_records=sum(_was_repaired(record) for record in inside),
        borderline=_is_borderline(peak.bytes, sd_bytes, rule) or any(map(_has_assumed_times, inside)),
        implausible=False, ecn_records=_ecn_records(inside),
    )  # fmt: skip


def _inside_peak(records: Sequence[Metered], peak: Peak, window_ms: int) -> list[Metered]:
    """The records of the fullest window."""
    begin_ms = peak.end_ms - window_ms
    return [record for record in records if record.last_ms >= begin_ms and record.start_ms <= peak.end_ms]


def _peak_window(found: ObservationEntry, inside: Sequence[Metered], peak: Peak, window_ms: int) -> PeakWindow:
    """From the first to the last moment of the fullest window in which the flow sent."""
    first = max(peak.end_ms - window_ms, min(record.start_ms for record in inside))
    port = _main_port(inside, lambda record: record.output_interface)
    return PeakWindow(found.flow_id, port, first, peak.end_ms, found.peak_bytes, found.peak_sd_bytes or 0)


def _place(found: ObservationEntry, inside: Sequence[Metered]) -> FlowPlace:
    return FlowPlace(
        found.flow_id,
        _main_port(inside, lambda record: record.input_interface),
        _main_port(inside, lambda record: record.output_interface),
        min(record.start_ms for record in inside),
        max(record.last_ms for record in inside),
    )


def _main_port(records: Iterable[Metered], port_of: Callable[[Metered], int]) -> int:
    """The interface of most bytes; the lowest index of equals."""
    sent: Counter[int] = Counter()
    for record in records:
        sent[port_of(record)] += record.bytes
    return max(sent, key=lambda index: (sent[index], -index))


def _is_borderline(peak_bytes: Fraction, sd_bytes: int | None, rule: DetectionRule) -> bool:
    """Whether the flow may be below the threshold: by sampling error, and by known systematic error.

    Where the factor is not known (None) there is no error by chance; `sampling_error_pct` applies all the same.
    """
    is_sampled = sd_bytes is None or sd_bytes > 0
    known_error = peak_bytes * rule.sampling_error_pct / 100 if is_sampled else Fraction(0)
    if sd_bytes is None and not known_error:
        return False
    return peak_bytes - rule.threshold_bytes <= BORDERLINE_SD * (sd_bytes or 0) + known_error


def _main_exporter(records: Iterable[Metered]) -> tuple[int, int]:
    """The exporter that saw most of it; the lowest address of equals."""
    seen: Counter[tuple[int, int]] = Counter()
    for record in records:
        seen[record.exporter_hi, record.exporter_lo] += record.bytes
    return min(seen, key=lambda exporter: (-seen[exporter], exporter))


def _was_repaired(record: Metered) -> bool:
    return bool(record.start_moved or record.record_flags & schema.TIME_REPAIRED)


def _has_assumed_times(record: Metered) -> bool:
    """Whether nobody reported when the record's packets were sent: its bytes may be those of a longer time."""
    return bool(record.record_flags & schema.TIME_ASSUMED)


def _ecn_records(records: Sequence[Metered]) -> int | None:
    """How many of the records show an ECN codepoint other than Not-ECT; None where that is not known of all."""
    if any(record.tos < 0 for record in records):
        return None
    return sum(record.tos & schema.ECN_BITS != 0 for record in records)


def _flow_id(source: str, destination: str, ports: dict[str, int | None]) -> str:
    if ports["protocol"] is None:
        return f"{source} > {destination}"
    return f"{source} {ports['source_port']} > {destination} {ports['destination_port']} / {ports['protocol']}"
