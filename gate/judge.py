"""The gate: from a text to verdicts. Pure but for the runs, which the lab does."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from types import ModuleType

from gate.criteria import beta, delay, fairness, order, structure, surprise, throughput
from gate.criteria.case import Case
from gate.errors import NotJudgedError
from gate.lab import Lab, Progress, Ran
from gate.ports import PlannedPort, planned_ports
from gate.runs import Run
from gate.treatment import alpha_queue_of
from gate.verdict import CRITERIA, Criterion, Verdict
from rules.pairs import PrefixPair
from rules.qos.model import InterfaceBinding
from rules.readback import EffectiveModel, ReadBackError, read_back
from settings.model import Gate
from settings.terms import Platform

SIMULATED: tuple[tuple[Criterion, ModuleType], ...] = (
    ("delay", delay),
    ("throughput", throughput),
    ("order", order),
    ("beta", beta),
    ("fairness", fairness),
    ("surprise", surprise),
)
# With more beta load than this there is nothing left for an alpha flow to be judged by.
MOST_BETA_PCT = 90.0


@dataclass(frozen=True)
class Subject:
    """A text and what it is to be judged by.

    `alpha_queue` is the queue number of alpha packets where no pair tells, `expected` the effective model that the
    text was rendered for, None for a text of unknown origin. `beta_peak_bps` holds measured peaks by port, IP bits/s.
    """

    platform: Platform
    text: str
    interfaces: tuple[InterfaceBinding, ...]
    pairs: tuple[PrefixPair, ...]
    alpha_queue: int
    is_redirected: bool
    port_buffer_ms: int
    expected: EffectiveModel | None = None
    beta_peak_bps: Mapping[str, float] | None = None


@dataclass(frozen=True)
class Judgement:
    """All verdicts on a text, in order of criteria, and the plans that were simulated."""

    verdicts: tuple[Verdict, ...]
    cases: tuple[Case, ...]

    @property
    def is_passing(self) -> bool:
        """Whether every criterion passed; one that was not judged did not."""
        return passes(self.verdicts)


def passes(verdicts: Iterable[Verdict]) -> bool:
    """Whether these are the verdicts of a text that passed: of all criteria, none failed, none not judged."""
    listed = list(verdicts)
    return {verdict.criterion for verdict in listed} == set(CRITERIA) and all(each.is_passing for each in listed)


def judge(subject: Subject, gate: Gate, lab: Lab, progress: Progress = lambda _: None) -> Judgement:
    """Reads the text back and judges it by all criteria.

    Raises:
        ScenarioError, EngineMissingError, UnsoundRunError: of the simulator; nothing is judged then.
    """
    try:
        model = read_back(subject.platform, subject.text, subject.interfaces)
    except ReadBackError as problem:
        unread = Verdict("structure", "findings", "failed", f"the text cannot be read back: {problem}")
        return Judgement((unread, *_not_judged("the text cannot be read back")), ())
    first = structure.verdict(
        model,
        subject.pairs,
        alpha_queue=alpha_queue_of(model, subject.pairs, subject.alpha_queue),
        is_redirected=subject.is_redirected,
        port_buffer_ms=subject.port_buffer_ms,
        expected=subject.expected,
    )
    try:
        ports = planned_ports(
            model, subject.pairs, alpha_queue=subject.alpha_queue, port_buffer_ms=subject.port_buffer_ms
        )
        cases = tuple(_case(port, model, subject, gate) for port in ports)
    except NotJudgedError as reason:
        return Judgement((first, *_not_judged(str(reason))), ())
    return Judgement((first, *_simulated(cases, lab, progress)), cases)


def judge_beta(case: Case, lab: Lab) -> list[Verdict]:
    """Criterion 5 alone: whether the beta peak gets through a plan beside an alpha flow."""
    return beta.verdicts(case, lab.perform(beta.wanted(case)))


def _simulated(cases: tuple[Case, ...], lab: Lab, progress: Progress) -> list[Verdict]:
    wanted: list[Run] = []
    asked: list[tuple[Case, ModuleType, slice]] = []
    for _, criterion in SIMULATED:
        for case in cases:
            runs: list[Run] = criterion.wanted(case)
            asked.append((case, criterion, slice(len(wanted), len(wanted) + len(runs))))
            wanted += runs
    ran = lab.perform(wanted, progress)
    return [
        replace(verdict, port=case.port.name)
        for case, criterion, span in asked
        for verdict in _verdicts(criterion, case, ran[span])
    ]


def _verdicts(criterion: ModuleType, case: Case, ran: list[Ran]) -> list[Verdict]:
    found: list[Verdict] = criterion.verdicts(case, ran)
    return found


def _case(port: PlannedPort, model: EffectiveModel, subject: Subject, gate: Gate) -> Case:
    rates = {each.name: each.rate_bps for each in model.ports}
    measured = subject.beta_peak_bps or {}
    peaks = [100 * measured[name] / rates[name] for name in port.ports if name in measured]
    if not peaks:
        return Case(port, gate, gate.beta_peak_pct, is_measured=False)
    peak_pct = round(max(peaks), 1)
    if peak_pct > MOST_BETA_PCT:
        raise NotJudgedError(f"{port.name}: beta traffic alone reaches {peak_pct:g}% of the port")
    return Case(port, gate, peak_pct, is_measured=True)


def _not_judged(reason: str) -> list[Verdict]:
    return [Verdict(criterion, "simulation", "not_judged", reason) for criterion, _ in SIMULATED]
