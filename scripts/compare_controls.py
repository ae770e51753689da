"""Writes what CUBIC gets beside BBR, by queue length, round trip and arrangement: `python -m scripts.compare_controls`.

Each run goes packet by packet through the recommended plan at 10 Gb/s, beside 10 % of beta load: CUBIC fills its
queue, BBR joins it for two minutes, and the second minute counts. The numbers go into docs/concepts/cubic-and-bbr.csv,
of which the page has a table and a figure; takes minutes of processor time. Runs are kept in var/simulations.
"""

import csv
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from hntes.gate import BetaPeak, JudgedPlan, Lab, PlannedPort, planned_ports
from hntes.gate.controls import BBR, CUBIC, run_of
from hntes.gate.criteria.throughput import left_bps
from hntes.gate.lab import PerformedRun
from hntes.gate.runs import WantedRun
from hntes.platforms.parse import parse_config
from hntes.settings.hosts import CUBIC_HOSTS
from hntes.settings.model import Gate
from hntes.settings.plans import TwoQueue
from hntes.simulator import RunFolder
from hntes.simulator.measures import Span, mean_goodput_bps
from hntes.simulator.scenario import Port, Rule, Scenario
from tests.support.gate_subjects import ROOT, SIMULATIONS, small_model, subject_of
from tests.support.qos_models import PLATFORMS

PAGE = ROOT / "docs" / "concepts" / "cubic-and-bbr.md"
NUMBERS = PAGE.with_suffix(".csv")
BEGIN, END = "<!-- numbers: begin -->\n", "<!-- numbers: end -->\n"
ROUND_TRIPS_MS, QUEUES_MS = (2.0, 10.0, 20.0, 80.0), (2.0, 5.0, 10.0, 20.0, 55.0, 110.0)
OF_STREAMS_MS = 55.0
TOGETHER_S = 120.0
# Room for the longest queue beside the others.
_PORT_BYTES = 250_000_000
_PORT_MS = 200.0


@dataclass(frozen=True)
class Compared:
    """One run. `streams` of CUBIC share a queue with BBR, or each control has `own_queue`, half of alpha's share."""

    round_trip_ms: float
    queue_ms: float
    streams: int = 1
    own_queue: bool = False


@dataclass(frozen=True)
class Found:
    """Per cent of what the load leaves that CUBIC's streams and BBR get, and of their segments that they send again."""

    cubic_pct: float
    bbr_pct: float
    cubic_resent_pct: float
    bbr_resent_pct: float

    @property
    def cubic_part_pct(self) -> float:
        """CUBIC's part of what both get."""
        return 100 * self.cubic_pct / (self.cubic_pct + self.bbr_pct)


def main() -> None:
    """Runs all, and writes the numbers and the page's table."""
    compared = [*_shared(), *(Compared(each, OF_STREAMS_MS, streams=16) for each in ROUND_TRIPS_MS), *_apart()]
    lab = Lab(RunFolder(SIMULATIONS), workers=1)
    ran = lab.perform({each: _wanted(each) for each in compared})
    found = {each: _found(each, run) for each, run in ran.items()}
    with NUMBERS.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([*vars(compared[0]), *vars(found[compared[0]])])
        for each, values in found.items():
            writer.writerow([*vars(each).values(), *(f"{value:.2f}" for value in vars(values).values())])
    PAGE.write_text(with_table(PAGE.read_text(encoding="utf-8"), read(NUMBERS)), encoding="utf-8")


def with_table(page: str, found: dict[Compared, Found]) -> str:
    """The page with the numbers between its markers."""
    before, _, rest = page.partition(BEGIN)
    return f"{before}{BEGIN}\n{table(found)}\n{END}{rest.partition(END)[2]}"


def read(numbers: Path) -> dict[Compared, Found]:
    """The numbers as they were written."""
    with numbers.open(newline="", encoding="utf-8") as file:
        return {
            _compared(row): Found(*(float(row[name]) for name in Found.__dataclass_fields__))
            for row in csv.DictReader(file)
        }


def _compared(row: dict[str, str]) -> Compared:
    return Compared(
        float(row["round_trip_ms"]), float(row["queue_ms"]), int(row["streams"]), row["own_queue"] == "True"
    )


def _shared() -> Iterator[Compared]:
    for round_trip_ms in ROUND_TRIPS_MS:
        yield from (Compared(round_trip_ms, queue_ms) for queue_ms in QUEUES_MS)


def _apart() -> Iterator[Compared]:
    for round_trip_ms in ROUND_TRIPS_MS:
        yield from (Compared(round_trip_ms, queue_ms, own_queue=True) for queue_ms in (20.0, 55.0))


def table(found: dict[Compared, Found]) -> str:
    """The numbers in Markdown: CUBIC's part of what both get, in per cent, a row per arrangement and queue length."""
    rows = [
        ("queue", "arrangement", *(f"{each:g} ms" for each in ROUND_TRIPS_MS)),
        ("---",) * (2 + len(ROUND_TRIPS_MS)),
    ]
    kinds = dict.fromkeys((each.queue_ms, each.streams, each.own_queue) for each in found)
    for queue_ms, streams, own_queue in kinds:
        cells = [found[Compared(each, queue_ms, streams, own_queue)] for each in ROUND_TRIPS_MS]
        parts = (f"{cell.cubic_part_pct:.0f}" for cell in cells)
        rows.append((f"{queue_ms:g} ms", _words(streams, own_queue), *parts))
    return "\n".join(f"| {' | '.join(row)} |" for row in rows) + "\n"


def _words(streams: int, own_queue: bool) -> str:
    if own_queue:
        return "a queue each, half of alpha's share"
    return "one queue" if streams == 1 else f"one queue, {streams} streams of CUBIC"


def _wanted(compared: Compared) -> WantedRun:
    plan = _plan(compared)
    joined_s = plan.start_up_s + 15
    end_s = joined_s + TOGETHER_S
    run = run_of(plan, {CUBIC: ("cubic", (0.0, end_s)), BBR: ("bbr", (joined_s, end_s))}, end_s)
    scenario = _with_streams(run.scenario, compared.streams)
    if compared.own_queue:
        scenario = replace(scenario, ports=tuple(map(_apart_at, scenario.ports)))
    return replace(run, scenario=scenario)


def _plan(compared: Compared) -> JudgedPlan:
    port = _port()
    queues = tuple(
        replace(queue, buffer_share_pct=100 * compared.queue_ms / _PORT_MS)
        if queue.name == port.plan.alpha_queue
        else queue
        for queue in port.plan.queues
    )
    longer = replace(port, plan=replace(port.plan, queues=queues, buffer_bytes=_PORT_BYTES))
    return JudgedPlan(longer, Gate(), BetaPeak(30.0, is_measured=True), CUBIC_HOSTS, compared.round_trip_ms)


def _port() -> PlannedPort:
    subject = subject_of(small_model(PLATFORMS[0], TwoQueue(kind="two_queue")))
    model = parse_config(subject.platform, subject.text, subject.interfaces)
    (port,) = planned_ports(model, subject.pairs, alpha_queue=subject.alpha_queue, port_buffer_ms=100)
    return port


def _with_streams(scenario: Scenario, count: int) -> Scenario:
    """CUBIC's flow as so many, each started a seventieth of a second after the one before."""
    (flow,) = (each for each in scenario.flows if each.name == CUBIC)
    start_s, end_s = flow.intervals_s[0]
    more = [
        replace(flow, name=f"{CUBIC}-{number}", intervals_s=((start_s + 0.0137 * number, end_s),))
        for number in range(1, count)
    ]
    ports = tuple(
        replace(port, classifier=(*port.classifier, *(Rule("alpha", flow=each.name) for each in more)))
        for port in scenario.ports
    )
    return replace(scenario, flows=(*scenario.flows, *more), ports=ports)


def _apart_at(port: Port) -> Port:
    """BBR in a queue of its own, of the same length as alpha's, with half of its share."""
    (alpha,) = (queue for queue in port.queues if queue.class_ == "alpha")
    half = replace(alpha, rate_share_pct=(alpha.rate_share_pct or 0) / 2)
    others = tuple(queue for queue in port.queues if queue.class_ != "alpha")
    rules = tuple(replace(rule, class_="bbr") if rule.flow == BBR else rule for rule in port.classifier)
    return replace(port, queues=(half, replace(half, class_="bbr"), *others), classifier=rules)


def _found(compared: Compared, run: PerformedRun) -> Found:
    end_s = run.result.duration_s
    span: Span = (end_s - TOGETHER_S / 2, end_s)
    streams = [CUBIC, *(f"{CUBIC}-{number}" for number in range(1, compared.streams))]
    return Found(
        *(_share_pct(run, each, span) for each in (streams, [BBR])),
        *(_resent_pct(run, each, span) for each in (streams, [BBR])),
    )


def _share_pct(run: PerformedRun, flows: list[str], span: Span) -> float:
    return 100 * sum(mean_goodput_bps(run.result, flow, span) for flow in flows) / left_bps(run.scenario)


def _resent_pct(run: PerformedRun, flows: list[str], span: Span) -> float:
    first = round(span[0] / run.result.interval_s)
    again = sum(float(run.result.of_flow(flow, "retransmitted_pkts")[first:].sum()) for flow in flows)
    arrived = sum(float(run.result.of_flow(flow, "goodput_bytes")[first:].sum()) for flow in flows)
    return 100 * again / (again + arrived / (run.scenario.tcp.segment_data_bytes or 1))


if __name__ == "__main__":
    main()
