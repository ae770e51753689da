"""Alpha flows of one router and day: SQL finds the few flows that may be, the exact window decides."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from itertools import groupby
from typing import Any, Literal

import pyarrow as pa

from etl import schema
from etl.addresses import address_of, exporter_address
from etl.days import day_bounds_ms
from etl.detect.window import Flow, Peak, Span
from etl.engines.base import Engine
from etl.lake.url import Lake
from sql.entries import ObservationEntry
from sql.queries import query_text

# A flow this close to the threshold, in standard deviations of its estimate, is called borderline.
BORDERLINE_SD = 3.0


@dataclass(frozen=True)
class DetectionRule:
    """What is an alpha flow: more than `threshold_bytes` in some window (`window`) or in one report (`report`)."""

    threshold_bytes: int = 1_000_000_000
    window_ms: int = 60_000
    rule: Literal["window", "report"] = "window"
    flow_key: Literal["five_tuple", "host_pair"] = "five_tuple"


def detect_day(
    engine: Engine, lake: Lake, parts: Sequence[str], router: str, day: date, rule: DetectionRule
) -> list[ObservationEntry]:
    """The alpha flows of one router and day, by flow id.

    `parts` must hold the day's flows and those of one active timeout before and after it: a record lies in the file of
    the minute in which it ended, and a window may begin the day before. A window belongs to the day in which it ends.
    The same flow metered twice (at ingress and at egress, or by two exporters) counts once: its largest reading.
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
    )
    # a part that is named twice (a copy promoted by a run that was killed) still holds its rows once
    rows = _rows(engine.run(query, lake, list(dict.fromkeys(parts))))
    best: dict[str, ObservationEntry] = {}
    for reading in _readings(rows, router, day, rule, from_ms, to_ms):
        known = best.get(reading.flow_id)
        if known is None or reading.peak_bytes > known.peak_bytes:
            best[reading.flow_id] = reading
    return [best[flow_id] for flow_id in sorted(best)]


def _rows(table: pa.Table) -> Iterator[dict[str, Any]]:
    """Row by row: as Python's objects all of them would take some ten times the table's memory."""
    for batch in table.to_batches(max_chunksize=10_000):
        yield from batch.to_pylist()


def _readings(
    rows: Iterable[dict[str, Any]], router: str, day: date, rule: DetectionRule, from_ms: int, to_ms: int
) -> Iterator[ObservationEntry]:
    """One observation a flow and metering point, in the order of the query."""
    for _, group in groupby(rows, key=_metering_point):
        records = list(group)
        flow = Flow(map(_span, records))
        # A report is taken whole, as the heuristic does: its own duration is the window.
        longest = max(span.last_ms - span.start_ms for span in flow.spans)
        window_ms = rule.window_ms if rule.rule == "window" else max(longest, 1)
        peak = flow.peak_window(window_ms, from_ms, to_ms)
        if peak is not None and peak.bytes > rule.threshold_bytes:
            yield _observation(flow, records, peak, router, day, rule, from_ms, to_ms)


def _observation(
    flow: Flow, records: list[dict[str, Any]], peak: Peak, router: str, day: date, rule: DetectionRule,
    from_ms: int, to_ms: int,
) -> ObservationEntry:  # fmt: skip
    one = records[0]
    inside = [record for record in records if record["last_ms"] > from_ms and record["start_ms"] <= to_ms]
    source, destination = (
        str(address_of(one["ip_version"], one[f"{end}_hi"], one[f"{end}_lo"])) for end in ("src", "dst")
    )
    ports: dict[str, int | None] = {
        "source_port": one["key_src_port"], "destination_port": one["key_dst_port"], "protocol": one["key_protocol"],
    }  # fmt: skip
    if rule.flow_key == "host_pair":
        ports = dict.fromkeys(ports)
    factors = {record["sampling_factor"] for record in inside}
    sd_bytes = None if peak.sd_bytes is None else round(peak.sd_bytes)
    distance = abs(peak.bytes - rule.threshold_bytes)
    return ObservationEntry(
        router=router, day=day, flow_id=_flow_id(source, destination, ports), flow_key=rule.flow_key, rule=rule.rule,
        threshold_bytes=rule.threshold_bytes, window_s=rule.window_ms // 1000,
        exporter=exporter_address(one["exporter_hi"], one["exporter_lo"]), direction=one["direction"],
        ip_version=one["ip_version"], source=source, destination=destination, **ports,
        first_ms=max(min(record["start_ms"] for record in inside), from_ms),
        last_ms=min(max(record["last_ms"] for record in inside), to_ms),
        flow_bytes=flow.flow_bytes(from_ms, to_ms),
        burst_bytes=flow.burst_bytes(rule.window_ms, rule.threshold_bytes, from_ms, to_ms),
        peak_start_ms=peak.end_ms - rule.window_ms, peak_bytes=int(peak.bytes), peak_sd_bytes=sd_bytes,
        sampling_factor=factors.pop() if len(factors) == 1 and 0 not in factors else None,
        records=len(inside), repaired_records=sum(_was_repaired(record) for record in inside),
        borderline=sd_bytes is not None and distance <= BORDERLINE_SD * sd_bytes,
    )  # fmt: skip


def _metering_point(row: dict[str, Any]) -> tuple[int, ...]:
    return tuple(
        row[name]
        for name in (
            "ip_version", "src_hi", "src_lo", "dst_hi", "dst_lo", "key_src_port", "key_dst_port", "key_protocol",
            "exporter_hi", "exporter_lo", "direction",
        )
    )  # fmt: skip


def _span(row: dict[str, Any]) -> Span:
    factor = row["sampling_factor"]
    sampled = Fraction(row["packets"], factor) if factor else None
    return Span(row["start_ms"], row["last_ms"], row["bytes"], sampled, factor)


def _was_repaired(row: dict[str, Any]) -> bool:
    return bool(row["start_moved"] or row["record_flags"] & schema.TIME_REPAIRED)


def _flow_id(source: str, destination: str, ports: dict[str, int | None]) -> str:
    if ports["protocol"] is None:
        return f"{source} > {destination}"
    return f"{source} {ports['source_port']} > {destination} {ports['destination_port']} / {ports['protocol']}"
