"""What one metering point saw of a flow: its fullest window, and the numbers that are stored of it."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from functools import partial
from itertools import groupby
from typing import Literal

from hntes.etl import schema
from hntes.etl.addresses import address_of, exporter_address
from hntes.etl.counters.judge import FlowPlace
from hntes.etl.counters.port_day import GRANTED_SD
from hntes.etl.days import day_bounds_ms
from hntes.etl.detect.metering import Metered, at_one_interface, without_repeats
from hntes.etl.detect.packet_counters import Counter as PacketCounter
from hntes.etl.detect.packet_counters import uncounted
from hntes.etl.detect.peak_window import PeakWindow
from hntes.etl.detect.window import Flow, OneRecord, Peak, flow_of
from hntes.sql.entries import ObservationEntry

# A flow this close to the threshold, in standard deviations of its estimate, is called borderline.
BORDERLINE_SD = 3.0


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
class Reading:
    """One alpha flow at one metering point; `peak` is its fullest window at the port that most of it left by."""

    observation: ObservationEntry
    peak: PeakWindow
    place: FlowPlace
    repeated_records: int
    is_coarse: bool
    longest_record_ms: int
    uncounted: frozenset[PacketCounter]

    @property
    def flow_id(self) -> str:
        return self.observation.flow_id


@dataclass(frozen=True)
class Rows:
    """The rows [first, past) of a detection query that a reading was made of."""

    first: int
    past: int

    def __len__(self) -> int:
        return self.past - self.first


@dataclass(frozen=True)
class Reader:
    """Reads the flows of one router and day by a rule."""

    router: str
    day: date
    rule: DetectionRule

    def readings(self, rows: Iterable[Metered]) -> Iterator[tuple[Reading, Rows]]:
        """One reading a flow and metering point, in the order of the query."""
        past = 0
        for _, group in groupby(rows, key=lambda record: record.key):
            records = list(group)
            first, past = past, past + len(records)
            reading = self.reading(records)
            if reading is not None:
                yield reading, Rows(first, past)

    def reading(self, records: Sequence[Metered]) -> Reading | None:
        """Of a flow's records at one metering point; None if they do not exceed the threshold."""
        bounds, rule = day_bounds_ms(self.day), self.rule
        once = without_repeats(records)
        # A report is taken whole, as the heuristic does: its own duration is the window.
        longest = max(record.last_ms - record.start_ms for record in once)
        window_ms = rule.window_ms if rule.rule == "window" else max(longest, 1)
        once = at_one_interface(once, partial(_peak_bytes, window_ms, bounds))
        flow = flow_of((record.span for record in once), window_ms, *bounds)
        peak = flow.peak_window(window_ms, *bounds)
        if peak is None or peak.bytes <= rule.threshold_bytes:
            return None
        found = _observation(flow, once, peak, self.router, self.day, rule)
        repeated = _count_inside(records, bounds) - found.records
        inside = _inside_peak(once, peak, window_ms)
        window = _peak_window(found, inside, peak, window_ms)
        longest_ms = max(span.last_ms - span.start_ms for span in flow.spans)
        place = _place(window, inside)
        return Reading(found, window, place, repeated, flow.is_coarse, longest_ms, uncounted(inside))


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


def _place(peak: PeakWindow, inside: Sequence[Metered]) -> FlowPlace:
    one = inside[0]
    return FlowPlace(
        peak.flow_id,
        (one.key_exporter_hi, one.key_exporter_lo, one.direction),
        _main_port(inside, lambda record: record.input_interface),
        _main_port(inside, lambda record: record.output_interface),
        (peak.start_ms, peak.end_ms),
        _time_of_most(peak, inside),
        max(peak.bytes - GRANTED_SD * peak.sd_bytes, 0.0),
    )


def _time_of_most(peak: PeakWindow, inside: Sequence[Metered]) -> tuple[int, int]:
    """From the first to the last moment of the shortest records with more than half of the peak's bytes."""
    by_length = sorted(inside, key=lambda record: record.last_ms - record.start_ms)
    sent_bytes = 0
    for number, record in enumerate(by_length):
        part, whole = record.span.share(peak.start_ms, peak.end_ms)
        sent_bytes += record.bytes * part // whole
        if 2 * sent_bytes > peak.bytes:
            del by_length[number + 1 :]
            break
    return min(record.start_ms for record in by_length), max(record.last_ms for record in by_length)


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
