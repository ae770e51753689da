"""Conversion of a queue with ECN marking (RFC 3168) to the simulator: a line, on the momentary queue."""

from hntes.gate.errors import NotJudgedError
from hntes.gate.policing import MOMENTARY_NOTE, NEARLY_MOMENTARY
from hntes.platforms.effective import DropCurve, Queue
from hntes.simulator import EcnPlan

# Thresholds are given to a tenth of a per cent of the queue, as buffers are.
DIGITS = 1
HOSTS_NOTE = (
    "the alpha queue marks packets of hosts with ECN and drops those of hosts without; judged with each, the worse "
    "verdict counts"
)


def ecn_plan(
    queue: Queue, where: str, *, is_alpha_alone: bool, is_policed: bool
) -> tuple[EcnPlan | None, tuple[str, ...]]:
    """The start and end of a queue's marking, with notes; None if it does not mark.

    Args:
        queue: What was read back.
        where: The port and the queue, for sentences.
        is_alpha_alone: Whether the pairs' packets use it, and no others.
        is_policed: Whether a policer meters the pairs' packets.

    Raises:
        NotJudgedError: it marks packets that are not alpha's, or by a curve that the simulator does not have.
    """
    if not queue.ecn:
        return None, ()
    if not is_alpha_alone:
        raise NotJudgedError(f"{where}: it marks packets of other traffic, which is not simulated")
    if is_policed:
        raise NotJudgedError(f"{where}: it marks packets behind a policer, which is not simulated")
    if len(queue.drops) != 1 or queue.drops[0].loss_priority != "low":
        raise NotJudgedError(f"{where}: it marks by curves of other loss priorities than low, which is not simulated")
    (curve,) = queue.drops
    from_pct, to_pct = _line(curve, queue, where)
    if curve.unit == "pct":
        return EcnPlan(from_pct, to_pct), (HOSTS_NOTE,)
    if queue.average_weight != NEARLY_MOMENTARY:
        raise NotJudgedError(f"{where}: its marks follow an average of unknown weight")
    return EcnPlan(from_pct, to_pct), (HOSTS_NOTE, MOMENTARY_NOTE)


def _line(curve: DropCurve, queue: Queue, where: str) -> tuple[float, float]:
    """Per cent of the queue where marking begins, and where all is dropped."""
    points = list(curve.points)
    while len(points) > 2 and points[0][1] == points[1][1] == 0:
        del points[0]
    if len(points) != 2 or (points[0][1], points[1][1]) != (0, 100):
        raise NotJudgedError(f"{where}: its marks follow a bent curve, which is not simulated")
    if curve.unit != "pct" and (queue.buffer is None or queue.buffer.unit != curve.unit):
        raise NotJudgedError(f"{where}: its marks start at lengths in {curve.unit}, but its length in these is unknown")
    full = 100 if curve.unit == "pct" or queue.buffer is None else queue.buffer.amount
    first, last = (round(100 * length / full, DIGITS) for length, _ in points)
    if first >= last or last > 100:
        raise NotJudgedError(f"{where}: its marks start at {first:g}% and end at {last:g}% of its length")
    return first, last
