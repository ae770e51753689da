"""A verdict of the gate: one measured value against one limit, with a sentence for the operator."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from hntes.gate.lab import PerformedRun
from hntes.settings.hosts import CONTROLS, CongestionControl
from hntes.sql.entries import CriterionName, GateVerdictEntry, VerdictEngine, VerdictOutcome

CONTROL_WORDS: Mapping[CongestionControl, str] = {"htcp": "H-TCP", "cubic": "CUBIC", "bbr": "BBR"}
# Numbers from here on are told without decimals.
WHOLE_FROM = 1000
# Smaller values than this are nothing beside a limit of ten times as much.
LEAST_WRITTEN = 0.0001


@dataclass(frozen=True)
class Verdict:
    """One measure of one criterion. `port` names the ports of the simulated plan, "" for the text itself.

    `limit` and `value` are in `unit`; both are None where nothing could be measured. `scenario_hash` and `seed` name
    the run that the value is from, None where none was needed. `round_trip_ms` is that of the alpha flows in it, None
    where it makes no difference. `congestion` is the control of its alpha flows, and `controls` are all that it was
    asked with, of which the worst counts; none where nothing was simulated.
    """

    criterion: CriterionName
    measure: str
    outcome: VerdictOutcome
    sentence: str
    limit: float | None = None
    value: float | None = None
    unit: str = ""
    engine: VerdictEngine = "text"
    seed: int | None = None
    scenario_hash: str | None = None
    port: str = ""
    round_trip_ms: float | None = None
    congestion: CongestionControl | None = None
    controls: tuple[CongestionControl, ...] = ()

    @property
    def is_passing(self) -> bool:
        return self.outcome in ("passed", "reported")

    def entry(self, router: str, candidate_hash: str) -> GateVerdictEntry:
        """Its stored row."""
        return GateVerdictEntry(
            router=router, candidate_hash=candidate_hash, criterion=self.criterion, measure=self.measure,
            port=self.port, outcome=self.outcome, sentence=self.sentence, limit_value=self.limit,
            found_value=self.value, unit=self.unit, engine=self.engine, seed=self.seed,
            scenario_hash=self.scenario_hash, round_trip_ms=self.round_trip_ms,
            congestion=self.congestion, controls=" ".join(self.controls),
        )  # fmt: skip


def measure_words(measure: str) -> str:
    """A measure's name as people read it.

    Example:
        >>> measure_words("alpha_goodput_beside_10_pct"), measure_words("delay_p99")
        ('alpha goodput beside 10%', 'delay p99')
    """
    return measure.replace("_", " ").replace(" pct", "%")


def value_words(value: float | None, unit: str, limit: float | None = None) -> str:
    """A number with its unit, told apart from its limit; nothing where nothing was measured.

    Example:
        >>> value_words(0.016, "%", 50.0), value_words(7.11e-13, "%", 0.001), value_words(None, "ms")
        ('0.016 %', '<0.0001 %', '')
    """
    if value is None:
        return ""
    is_lost = limit is not None and 0 < value < LEAST_WRITTEN and limit >= 10 * LEAST_WRITTEN
    return f"{f'<{LEAST_WRITTEN:g}' if is_lost else amount(value, limit)} {unit}".rstrip()


def amount(value: float, limit: float | None = None) -> str:
    """A number with three digits, or as many as tell it from its limit.

    Example:
        >>> amount(94.975), amount(94.975, 95.0), amount(95.0, 95.0), amount(1234.5)
        ('95', '94.97', '95', '1234')
    """
    if abs(value) >= WHOLE_FROM:
        return f"{value:.0f}"
    for digits in range(3, 16):
        told = f"{value:.{digits}g}"
        if limit is None or (float(told) < limit, float(told) > limit) == (value < limit, value > limit):
            return told
    return repr(value)


def joined_controls(found: Iterable[Verdict]) -> tuple[CongestionControl, ...]:
    """The controls that any of these verdicts was asked with, H-TCP first."""
    asked = {control for verdict in found for control in verdict.controls}
    return tuple(control for control in CONTROLS if control in asked)


def controls_words(controls: str) -> str:
    """The names of controls with spaces between them as they are written, each once.

    Example:
        >>> controls_words("cubic htcp htcp")
        'H-TCP, CUBIC'
    """
    return ", ".join(CONTROL_WORDS[each] for each in CONTROLS if each in controls.split())


def outcome_of(*, holds: bool) -> VerdictOutcome:
    """`passed` or `failed`."""
    return "passed" if holds else "failed"


@dataclass(frozen=True)
class Measured:
    """A value that a run gave for a criterion's measure, with its limit; `limit` None if there is none."""

    criterion: CriterionName
    measure: str
    value: float | None
    unit: str
    limit: float | None
    run: PerformedRun

    def verdict(self, outcome: VerdictOutcome, sentence: str) -> Verdict:
        """The verdict on it."""
        result = self.run.result
        return Verdict(
            self.criterion, self.measure, outcome, sentence, self.limit, self.value, self.unit,
            self.run.engine, result.seed, self.run.scenario_hash,
        )  # fmt: skip
