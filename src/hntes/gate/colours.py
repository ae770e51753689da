"""Conversion of a three-colour policer and drop curves by loss priority to a marker and early drops by colour."""

from collections.abc import Mapping

from hntes.gate.errors import NotJudgedError
from hntes.gate.policing import LEAST_BURST_BYTES, averaging_note, is_tail_drop, metered_alone
from hntes.platforms.effective import Buffer, DropCurve, Policer, Queue, Treatment
from hntes.rules.qos.model import LossPriority
from hntes.simulator import EarlyDrops, MarkerPlan
from hntes.simulator.testbed.marker_plan import Colour, MarkedAction

# Thresholds are given to a tenth of a per cent, as buffers are: what a platform says in packets is then one plan.
THRESHOLD_DIGITS = 1


def is_marker(policer: Policer) -> bool:
    """Whether a policer tells yellow from red packets."""
    return policer.peak_rate_bps is not None or policer.violate not in (None, policer.exceed)


def marker_plan(policer: Policer, queue: int, factor: float) -> MarkerPlan:
    """The marker at the simulated rate.

    Args:
        policer: What was read back.
        queue: The queue of packets within the committed rate.
        factor: Simulated rate of the port over its real one; rates and bursts shrink alike, so that times stay.

    Raises:
        NotJudgedError: it meters or does what the simulator does not have.
    """
    what = metered_alone(policer, queue)
    if policer.excess_burst_bytes is None or policer.violate is None:
        raise NotJudgedError(f"{what} distinguishes three colours without a second burst")
    bursts = [round(each * factor) for each in (policer.committed_burst_bytes, policer.excess_burst_bytes)]
    if min(bursts) < LEAST_BURST_BYTES:
        raise NotJudgedError(f"{what}: a burst is below two packets at the simulated rate ({min(bursts)} bytes)")
    peak_rate_bps = None if policer.peak_rate_bps is None else policer.peak_rate_bps * factor
    return MarkerPlan(
        policer.committed_rate_bps * factor, bursts[0], bursts[1], policer.scope == "term", peak_rate_bps,
        _action(policer.exceed, queue, what), _action(policer.violate, queue, what),
    )  # fmt: skip


def loss_priorities(policer: Policer) -> dict[Colour, LossPriority]:
    """The loss priority of each colour that gets to the queue."""
    treatments: dict[Colour, Treatment | None] = {
        "green": policer.conform, "yellow": policer.exceed, "red": policer.violate,
    }  # fmt: skip
    return {colour: _priority(each) for colour, each in treatments.items() if each is not None and not each.discard}


def early_drops(
    queue: Queue, priorities: Mapping[Colour, LossPriority], where: str
) -> tuple[tuple[EarlyDrops, ...], tuple[str, ...]]:
    """The early drops of a queue by colour, with notes.

    Args:
        queue: The queue. A curve of a loss priority that no colour has is idle.
        priorities: The loss priority of each colour that gets into it.
        where: What the queue is called in sentences.

    Raises:
        NotJudgedError: a colour meets a curve that is no straight line from nothing to all, or one that is not stated.
    """
    curves = {curve.loss_priority: curve for curve in queue.drops}
    notes = {note for curve in queue.drops for note in averaging_note(curve, queue, where)}
    found: list[EarlyDrops] = []
    for colour, priority in priorities.items():
        curve = curves.get(priority)
        if curve is None and notes:
            # IOS-XE: once a queue drops early, a discard class without a line has the platform's own thresholds.
            raise NotJudgedError(f"{where}: loss priority {priority} has thresholds that the text does not state")
        if curve is None or (priority == "low" and is_tail_drop(curve)):
            continue
        line = _line(curve, queue.buffer)
        if line is None:
            raise NotJudgedError(f"{where}: its early drops of loss priority {priority} are not simulated")
        found.append(EarlyDrops(colour, *line))
    return tuple(found), tuple(notes) if found else ()


def _priority(treatment: Treatment) -> LossPriority:
    return treatment.loss_priority or "low"


def _action(treatment: Treatment, queue: int, what: str) -> MarkedAction:
    if treatment.discard:
        return "drop"
    if treatment.queue not in (None, queue):
        raise NotJudgedError(f"{what} moves packets of a colour to another queue, which is not simulated")
    return "mark"


def _line(curve: DropCurve, buffer: Buffer | None) -> tuple[float, float] | None:
    """From where to where, in per cent of the queue's length, the probability rises straight from nothing to all."""
    none = [fill for fill, drop in curve.points if drop == 0]
    all_ = [fill for fill, drop in curve.points if drop == 100]
    if buffer is None or len(none) + len(all_) != len(curve.points) or not none or not all_:
        return None
    full = 100 if curve.unit == "pct" else buffer.amount if curve.unit == buffer.unit else 0
    if not full:
        return None
    low, high = (round(100 * fill / full, THRESHOLD_DIGITS) for fill in (none[-1], all_[0]))
    return (low, high) if low < high <= 100 else None
