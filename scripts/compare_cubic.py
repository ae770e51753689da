"""Asks criteria 2 to 6 of many plans with H-TCP and with CUBIC: `python -m scripts.compare_cubic`.

H-TCP by the engine that the gate takes, CUBIC packet by packet; hosts of today, beta peak 30 %, seed 1. Plans are one
queue for all traffic, and two queues spread over shares, buffers, ranks and round trips (a Latin square of these: not
all products). The numbers go into docs/reference/gate-cubic.csv; a run that was ended is continued. Takes an hour of
processor time; runs are kept in var/simulations.
"""

import csv
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path

from hntes.gate import JudgedPlan, Lab, Verdict
from hntes.gate.beta_peak import BetaPeak
from hntes.gate.criteria import BETA, DELAY, FAIRNESS, THROUGHPUT, SimulatedCriterion
from hntes.gate.hosts import Hosts
from hntes.gate.ports import PlannedPort
from hntes.gate.round_trips import over
from hntes.settings.hosts import CongestionControl
from hntes.settings.model import Gate
from hntes.simulator import PortPlan, QueuePlan, RunFolder
from tests.support.gate_subjects import ROOT, SIMULATIONS

NUMBERS = ROOT / "docs" / "reference" / "gate-cubic.csv"
PEAK_PCT = 30.0
ROUND_TRIPS_MS = (2.0, 20.0, 80.0)
SHARED_MS = (0.5, 1.0, 1.4, 1.6, 1.8, 2.0, 2.4, 20.0)
BETA_PCT, ALPHA_MS, BETA_MS = (25.0, 31.0, 65.0), (1.0, 5.0, 55.0), (0.1, 1.0, 40.0)
# Of alpha and beta; the lower is served first. Cisco's are equal.
RANKS = ((1, 2), (1, 1), (2, 1))
# Alpha's queue and the round trip in ms of those that are asked whether two flows share alike.
FAIR = ((1.0, 2.0), (5.0, 20.0), (55.0, 80.0))
SHARED: Sequence[SimulatedCriterion] = (DELAY, BETA)
APART: Sequence[SimulatedCriterion] = (DELAY, THROUGHPUT, BETA)


@dataclass(frozen=True)
class ComparedPlan:
    """Shares in per cent, lengths in ms, ranks; `beta_pct` 100: one queue for all of `alpha_ms`."""

    beta_pct: float
    alpha_ms: float
    beta_ms: float
    alpha_rank: int
    beta_rank: int
    round_trip_ms: float

    @property
    def plan(self) -> PortPlan:
        """The port's queues."""
        if self.beta_pct == 100:
            return PortPlan((QueuePlan("shared", 100, self.alpha_ms),), "shared", "shared")
        queues = (
            QueuePlan("alpha", 95 - self.beta_pct, self.alpha_ms, self.alpha_rank),
            QueuePlan("beta", self.beta_pct, self.beta_ms, self.beta_rank),
            QueuePlan("other", 5, 5, 0),
        )
        return PortPlan(queues, "alpha", "beta")


@dataclass(frozen=True)
class ComparedMeasure:
    """One measure of one plan with either control; `engine` is that of the run with H-TCP."""

    beta_pct: float
    alpha_ms: float
    beta_ms: float
    alpha_rank: int
    beta_rank: int
    round_trip_ms: float
    criterion: str
    measure: str
    limit: float
    engine: str
    htcp: float
    htcp_outcome: str
    cubic: float
    cubic_outcome: str


def main() -> None:
    """Asks what the file does not have yet, and adds it as it is found."""
    known = {(plan_of(row), row.criterion) for row in read(NUMBERS)} if NUMBERS.exists() else set()
    lab = Lab(RunFolder(SIMULATIONS), workers=1)
    for compared, criterion in compared_plans():
        if (compared, criterion.name) in known:
            continue
        with NUMBERS.open("a", newline="", encoding="utf-8") as file:
            writer = csv.writer(file, lineterminator="\n")
            if not file.tell():
                writer.writerow(field.name for field in fields(ComparedMeasure))
            writer.writerows([_told(each) for each in vars(row).values()] for row in ask(compared, criterion, lab))
        sys.stdout.write(f"{criterion.name} {compared}\n")
        sys.stdout.flush()


def read(numbers: Path) -> list[ComparedMeasure]:
    """The measures as they were written."""
    with numbers.open(newline="", encoding="utf-8") as file:
        return [
            ComparedMeasure(**{field.name: field.type(row[field.name]) for field in fields(ComparedMeasure)})  # type: ignore[operator]
            for row in csv.DictReader(file)
        ]


def compared_plans() -> Iterator[tuple[ComparedPlan, SimulatedCriterion]]:
    """All plans with the criteria that are asked of them."""
    for length_ms in SHARED_MS:
        for round_trip_ms in ROUND_TRIPS_MS:
            yield from ((ComparedPlan(100, length_ms, length_ms, 1, 1, round_trip_ms), each) for each in SHARED)
    for one, beta_pct in enumerate(BETA_PCT):
        for two, alpha_ms in enumerate(ALPHA_MS):
            for three, beta_ms in enumerate(BETA_MS):
                ranks = RANKS[(one + two + three) % len(RANKS)]
                round_trip_ms = ROUND_TRIPS_MS[(one + 2 * two + three) % len(ROUND_TRIPS_MS)]
                plan = ComparedPlan(beta_pct, alpha_ms, beta_ms, *ranks, round_trip_ms)
                yield from ((plan, each) for each in APART if each is not THROUGHPUT or _is_asked_for_goodput(plan))
    for alpha_ms, round_trip_ms in FAIR:
        yield ComparedPlan(65, alpha_ms, 40, 1, 2, round_trip_ms), FAIRNESS


def _is_asked_for_goodput(plan: ComparedPlan) -> bool:
    """Over longer round trips CUBIC has a verdict of its own, and runs take minutes: the tightest plans alone."""
    return plan.round_trip_ms == 2 or plan.beta_pct == min(BETA_PCT) or plan.alpha_ms == min(ALPHA_MS)


def ask(compared: ComparedPlan, criterion: SimulatedCriterion, lab: Lab) -> list[ComparedMeasure]:
    """The criterion's measures that have a limit, with either control."""
    htcp, cubic = (asked(compared, criterion, lab, control) for control in ("htcp", "cubic"))
    return [
        ComparedMeasure(
            **vars(compared), criterion=criterion.name, measure=one.measure, limit=one.limit, engine=one.engine,
            htcp=one.value or 0.0, htcp_outcome=one.outcome, cubic=other.value or 0.0, cubic_outcome=other.outcome,
        )
        for one, other in zip(htcp, cubic, strict=True)
        if one.limit is not None
    ]  # fmt: skip


def asked(
    compared: ComparedPlan, criterion: SimulatedCriterion, lab: Lab, congestion: CongestionControl
) -> list[Verdict]:
    """The criterion's verdicts on a plan with hosts of today that have this control."""
    words = tuple((each.name, each.name) for each in compared.plan.queues)
    port = PlannedPort(("port",), compared.plan, words, "", ())
    judged = JudgedPlan(port, Gate(), BetaPeak(PEAK_PCT, is_measured=True), "linux-6", compared.round_trip_ms)
    hosts = Hosts("linux-6", congestion=congestion)
    wanted = {name: over(hosts.running(run), judged) for name, run in criterion.wanted(judged).items()}
    ran = lab.perform({name: replace(run, is_fluid_only=False) for name, run in wanted.items() if name != "unequal"})
    return criterion.verdicts(judged, ran)


def plan_of(row: ComparedMeasure) -> ComparedPlan:
    """The plan that a measure is of."""
    return ComparedPlan(*(getattr(row, field.name) for field in fields(ComparedPlan)))


def _told(value: float | str) -> str:
    return value if isinstance(value, str) else f"{value:.4g}"


if __name__ == "__main__":
    main()
