"""The gate: judgement of a configuration text. Pure except for the runs, which the lab makes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from hntes.format import at
from hntes.gate.beta_peak import BetaPeak, MeasuredPeak, peak_of
from hntes.gate.by_hosts import judged_with_hosts
from hntes.gate.controls import control_verdicts
from hntes.gate.criteria import SIMULATED
from hntes.gate.criteria.criterion import SimulatedCriterion
from hntes.gate.criteria.plan import JudgedPlan
from hntes.gate.criteria.reach import REACH, MeasuredTraffic
from hntes.gate.criteria.structure import ALONE, STRUCTURE
from hntes.gate.errors import NotJudgedError
from hntes.gate.lab import Lab
from hntes.gate.ports import Keeps, PlannedPort, planned_ports
from hntes.gate.premium import Promised, promised_in
from hntes.gate.redirect_target import RedirectTarget, target_verdict
from hntes.gate.round_trips import worst_round_trip
from hntes.gate.treatment import alpha_queue_of
from hntes.gate.verdict import Verdict
from hntes.platforms.adopted import kept_expected, read_kept
from hntes.platforms.hardware_fit import hardware_of, on_hardware
from hntes.platforms.merged import read_merged
from hntes.platforms.parse import EffectiveModel, ParseError, parse_config
from hntes.platforms.registry import platform_of
from hntes.platforms.split_reserved import ReservedSplit, split_reserved
from hntes.rules.pairs import PrefixPair
from hntes.rules.qos.model import InterfaceBinding
from hntes.settings.model import Gate
from hntes.simulator.engine import ShareCallback
from hntes.sql.entries import CRITERIA, CriterionName

# With more beta load than this no capacity is left to judge an alpha flow.
MOST_BETA_PCT = 90.0
# The criteria that ask the text alone, and their measures.
_OF_TEXT: tuple[tuple[CriterionName, str], ...] = (("structure", "findings"), ("reach", "address_space"))


@dataclass(frozen=True)
class Subject:
    """A text and the inputs of its judgement.

    `alpha_queue` is the queue number of alpha packets if there is no pair, `expected` the effective model that the
    text was rendered for, None for a text of unknown origin. `beta_peaks` holds measured peaks by port.
    `traffic` is what the pairs take of a measured day, None if that is not known. `running` is what the router is
    configured with: the candidate is then judged as a part of it. None: judged alone. `premium_queue` is the queue of
    reservations, None where the plan has none. `redirect_target` is where the pairs are sent, None without a redirect.
    `keeps` is what the candidate leaves of the operator's class of service. `hardware` is the
    router's family, None if it is not known.
    """

    platform: str
    text: str
    interfaces: tuple[InterfaceBinding, ...]
    pairs: tuple[PrefixPair, ...]
    alpha_queue: int
    is_redirected: bool
    port_buffer_ms: float
    expected: EffectiveModel | None = None
    beta_peaks: Mapping[str, MeasuredPeak] | None = None
    traffic: MeasuredTraffic | None = None
    running: str | None = None
    premium_queue: int | None = None
    redirect_target: RedirectTarget | None = None
    keeps: Keeps = "nothing"
    hardware: str | None = None


@dataclass(frozen=True)
class Judgement:
    """All verdicts on a text, in order of criteria, and the plans that were simulated."""

    verdicts: tuple[Verdict, ...]
    plans: tuple[JudgedPlan, ...]

    @property
    def is_passing(self) -> bool:
        """Whether there is a verdict of every criterion, and none failed or was not judged."""
        is_complete = {verdict.criterion for verdict in self.verdicts} == set(CRITERIA)
        return is_complete and all(verdict.is_passing for verdict in self.verdicts)


def judge(subject: Subject, gate: Gate, lab: Lab, progress: ShareCallback = lambda _: None) -> Judgement:
    """Parses the text and judges it by all criteria.

    Raises:
        ScenarioError, UnsoundRunError: of the simulator; nothing is judged then.
    """
    try:
        model, refusal = _read(subject)
    except ParseError as problem:
        unread = Verdict("structure", "findings", "failed", f"the configuration cannot be parsed: {problem}")
        unknown = Verdict("reach", "address_space", "not_judged", "the configuration cannot be parsed")
        return Judgement((unread, *_not_judged("the configuration cannot be parsed"), unknown), ())
    if subject.keeps == "queues" and subject.running is None:
        return _unread_beside(
            "the operator's queues, which the candidate keeps, are in the running configuration alone"
        )
    if subject.running is not None:
        try:
            model = read_merged(
                subject.platform, subject.text, subject.running, subject.interfaces,
                keeps_classes=subject.keeps != "nothing",
            )  # fmt: skip
            subject = _beside_kept(subject, subject.running)
        except ParseError as problem:
            way = "" if subject.keeps == "queues" else f"; {ALONE}"
            return _unread_beside(f"not with the router's running configuration: {problem}{way}")
    model = on_hardware(model, hardware_of(subject.platform, subject.hardware))
    of_text = _text_verdict(model, subject, refusal)
    apart = split_reserved(model, subject.premium_queue)
    reach = [*REACH.verdicts(apart.rest, subject.traffic, gate), *_target_verdicts(apart.rest, subject, gate)]
    try:
        plans = _judged_plans(apart.rest, _promised(model, apart, subject), subject, gate)
    except NotJudgedError as reason:
        return Judgement((of_text, *_not_judged(str(reason)), *reach), ())
    found = judge_plans(plans, lab, progress=progress)
    # Reservations have queues of their own.
    failed = {verdict.port for verdict in found if not verdict.is_passing and verdict.criterion != "premium"}
    found += control_verdicts([plan for plan in plans if plan.port.name not in failed], lab)
    in_order = sorted((of_text, *found, *reach), key=lambda verdict: CRITERIA.index(verdict.criterion))
    return Judgement(tuple(in_order), plans)


def judge_plans(
    plans: Sequence[JudgedPlan],
    lab: Lab,
    criteria: Sequence[SimulatedCriterion] = SIMULATED,
    progress: ShareCallback = lambda _: None,
) -> list[Verdict]:
    """Verdicts on plans of ports by simulated criteria, all their runs made at once; raises like `judge`.

    Each criterion is asked with each kind of hosts (gate/by_hosts.py) over each round trip of the settings, from the
    shortest on, until the plan fails; the worst verdict on a measure counts.
    """
    asked = [(criterion, plan) for criterion in criteria for plan in plans]
    found: list[dict[str, dict[float, Verdict]]] = [{} for _ in asked]
    round_trips_ms = sorted({each for plan in plans for each in plan.gate.round_trips_ms})
    for done, round_trip_ms in enumerate(round_trips_ms):
        failed = {
            plan.port.name for (_, plan), of_measures in zip(asked, found, strict=True) if _has_failed(of_measures)
        }
        numbers = [
            number
            for number, (criterion, plan) in enumerate(asked)
            if round_trip_ms == min(plan.gate.round_trips_ms)
            or (criterion.is_of_each_round_trip and plan.port.name not in failed)
        ]
        wanted = [(asked[number][0], replace(asked[number][1], round_trip_ms=round_trip_ms)) for number in numbers]
        part = _part_of(progress, done, len(round_trips_ms))
        for number, verdicts in zip(numbers, judged_with_hosts(wanted, lab, part), strict=True):
            for verdict in verdicts:
                found[number].setdefault(verdict.measure, {})[round_trip_ms] = verdict
    return [
        replace(worst_round_trip(of_round_trips), port=plan.port.name)
        for (_, plan), of_measures in zip(asked, found, strict=True)
        for of_round_trips in of_measures.values()
    ]


def _has_failed(of_measures: Mapping[str, Mapping[float, Verdict]]) -> bool:
    return any(not verdict.is_passing for found in of_measures.values() for verdict in found.values())


def _part_of(progress: ShareCallback, done: int, all_: int) -> ShareCallback:
    """The progress of one of several parts of a whole."""
    return lambda share: progress((done + share) / all_)


def _read(subject: Subject) -> tuple[EffectiveModel, ParseError | None]:
    """A candidate is read by its closed grammar. A text of unknown origin may be a whole configuration.

    Tabs and comments in the latter are no matter: nobody takes its words for what was rendered.

    Returns:
        What was read, and why a text that is to be loaded is no candidate.

    Raises:
        ParseError: it is neither.
    """
    is_by_hand = subject.expected is None
    text = platform_of(subject.platform).dialect.tidied(subject.text) if is_by_hand else subject.text
    try:
        return parse_config(subject.platform, text, subject.interfaces), None
    except ParseError as refusal:
        if not is_by_hand:
            raise
        model = parse_config(subject.platform, subject.text, subject.interfaces, is_whole=True)
        is_to_be_loaded = platform_of(subject.platform).dialect.is_to_be_loaded(subject.text)
        return model, refusal if is_to_be_loaded else None


def _beside_kept(subject: Subject, running: str) -> Subject:
    """The subject with the operator's queues in what is expected, where the candidate keeps them.

    Raises:
        ParseError: they cannot be parsed.
    """
    if subject.keeps != "queues" or subject.expected is None:
        return subject
    kept = read_kept(subject.platform, running, subject.interfaces)
    return replace(subject, expected=kept_expected(subject.expected, kept))


def _unread_beside(problem: str) -> Judgement:
    reason = f"the candidate can be parsed, but {problem}"
    of_text = (Verdict(name, measure, "not_judged", reason) for name, measure in _OF_TEXT)
    first, last = of_text
    return Judgement((first, *_not_judged(reason), last), ())


def _text_verdict(model: EffectiveModel, subject: Subject, refusal: ParseError | None) -> Verdict:
    rest = split_reserved(model, subject.premium_queue).rest
    return STRUCTURE.verdict(
        model,
        subject.pairs,
        alpha_queue=alpha_queue_of(rest, subject.pairs, subject.alpha_queue),
        premium_queue=subject.premium_queue,
        is_redirected=subject.is_redirected,
        port_buffer_ms=subject.port_buffer_ms,
        expected=subject.expected,
        refusal=refusal,
        is_adopted=subject.keeps == "queues",
        hardware=hardware_of(subject.platform, subject.hardware),
    )


def _promised(model: EffectiveModel, apart: ReservedSplit, subject: Subject) -> tuple[Promised, ...]:
    """The reservations that the text was rendered for, and their treatment; of an unknown text, its own."""
    if subject.expected is None:
        return promised_in(model, apart.reserved, model)
    return promised_in(subject.expected, split_reserved(subject.expected, subject.premium_queue).reserved, model)


def _judged_plans(
    model: EffectiveModel, promised: Sequence[Promised], subject: Subject, gate: Gate
) -> tuple[JudgedPlan, ...]:
    ports = planned_ports(
        model, subject.pairs, alpha_queue=subject.alpha_queue, port_buffer_ms=subject.port_buffer_ms, promised=promised,
        keeps=subject.keeps,
    )  # fmt: skip
    return tuple(_judged_plan(port, model, subject.beta_peaks or {}, gate) for port in ports)


def _judged_plan(
    port: PlannedPort, model: EffectiveModel, beta_peaks: Mapping[str, MeasuredPeak], gate: Gate
) -> JudgedPlan:
    """A plan with the highest beta peak among its ports."""
    peak = peak_of([each for each in model.ports if each.name in port.ports], beta_peaks, gate.beta_peak_pct)
    if peak.is_measured and peak.pct > MOST_BETA_PCT:
        at_ms = peak.measured.at_ms if peak.measured else None
        when = f" {at(at_ms)}" if at_ms else ""
        way = "; if the records are wrong, `hntes override minute` sets it aside" if at_ms else ""
        raise NotJudgedError(f"{port.name}: beta traffic alone reaches {peak.pct:g}% of the port{when}{way}")
    return JudgedPlan(port, gate, peak)


def _target_verdicts(model: EffectiveModel, subject: Subject, gate: Gate) -> list[Verdict]:
    """What the port carries to which a redirect sends the pairs; nothing without one."""
    target = subject.redirect_target
    if target is None:
        return []
    ports = [each for each in model.ports if each.name == target.port]
    if not ports:
        return [target_verdict(replace(target, port=None), None, BetaPeak(gate.beta_peak_pct, is_measured=False))]
    peak = peak_of(ports, subject.beta_peaks or {}, gate.beta_peak_pct)
    return [target_verdict(target, ports[0].rate_bps, peak)]


def _not_judged(reason: str) -> list[Verdict]:
    return [Verdict(criterion.name, "simulation", "not_judged", reason) for criterion in SIMULATED]
