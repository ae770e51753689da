"""Conversion of a policer and drop curves to the simulator: one bucket, one action, drops by occupancy."""

from hntes.gate.errors import NotJudgedError
from hntes.platforms.effective import Buffer, DropCurve, Policer, Queue, Treatment
from hntes.simulator import PolicerPlan

# Two full packets, the minimum burst.
LEAST_BURST_BYTES = 3_000
# exponential-weighting-constant 1: each sample has weight one half.
NEARLY_MOMENTARY = 1
MOMENTARY_NOTE = "early drops follow the queue's averaged length on this platform; simulated on its momentary length"


def policer_plan(policer: Policer, queue: int, queue_name: dict[int, str], factor: float) -> PolicerPlan:
    """The policer at the simulated rate.

    Args:
        policer: What was read back; of two colours (`gate.colours` has those of three).
        queue: The queue of packets within the rate.
        queue_name: The plan's name of the queue that serves a queue number.
        factor: Simulated rate of the port over its real one; rate and burst shrink alike, so that times stay.

    Raises:
        NotJudgedError: the simulator lacks its meter or action.
    """
    what = metered_alone(policer, queue)
    burst_bytes = round(policer.committed_burst_bytes * factor)
    if burst_bytes < LEAST_BURST_BYTES:
        raise NotJudgedError(f"{what}: its burst is below two packets at the simulated rate ({burst_bytes} bytes)")
    rate_bps, per_flow = policer.committed_rate_bps * factor, policer.scope == "term"
    exceed = policer.exceed
    if exceed.discard:
        return PolicerPlan(rate_bps, burst_bytes, per_flow, "drop")
    if exceed.queue is not None and exceed.queue != queue:
        if exceed.loss_priority not in (None, "low"):
            raise NotJudgedError(f"{what} moves packets above its rate and raises their loss priority")
        if exceed.queue not in queue_name:
            raise NotJudgedError(f"{what} puts packets into queue {exceed.queue}, which has no scheduler")
        return PolicerPlan(rate_bps, burst_bytes, per_flow, "reclass", queue_name[exceed.queue])
    return PolicerPlan(rate_bps, burst_bytes, per_flow, "mark")


def metered_alone(policer: Policer, queue: int) -> str:
    """What to call a policer that takes packets as they come, and leaves those within its rate as they are.

    Raises:
        NotJudgedError: it does not.
    """
    what = f"policer {policer.name}" if policer.name else "the policer"
    if policer.color_aware:
        raise NotJudgedError(f"{what} is colour-aware; the simulator's packets have no colour")
    conform = policer.conform
    if conform.discard or conform.loss_priority not in (None, "low") or conform.queue not in (None, queue):
        raise NotJudgedError(f"{what} changes packets within its rate, too")
    return what


def marked(policer: Policer | None) -> Treatment | None:
    """The marking of packets above a policer's rate, if any."""
    if policer is None or policer.exceed.loss_priority in (None, "low"):
        return None
    return policer.exceed


def drops_marked(queue: Queue, marks: str | None, where: str) -> tuple[bool, tuple[str, ...]]:
    """Whether a queue drops marked packets by its occupancy, with notes.

    Raises:
        NotJudgedError: it has any other curve of early drops.
    """
    found = False
    notes: tuple[str, ...] = ()
    for curve in queue.drops:
        if curve.loss_priority == "low" and is_tail_drop(curve):
            continue
        if curve.loss_priority != marks or not _is_occupancy(curve, queue.buffer):
            raise NotJudgedError(f"{where}: its early drops of loss priority {curve.loss_priority} are not simulated")
        found = True
        notes = averaging_note(curve, queue, where) or notes
    return found, notes


def averaging_note(curve: DropCurve, queue: Queue, where: str) -> tuple[str, ...]:
    """Notes on a curve over an averaged length.

    Raises:
        NotJudgedError: the weight of the average is unknown.
    """
    if curve.unit == "pct":
        return ()
    if queue.average_weight != NEARLY_MOMENTARY:
        raise NotJudgedError(f"{where}: its early drops follow an average of unknown weight")
    return (MOMENTARY_NOTE,)


def is_tail_drop(curve: DropCurve) -> bool:
    """No drop until the last per cent of the queue."""
    first, last = curve.points[0], curve.points[-1]
    return first[1] == 0 and all(drop == 0 for _, drop in curve.points[:-1]) and curve.points[-2][0] >= last[0] * 0.99


def _is_occupancy(curve: DropCurve, buffer: Buffer | None) -> bool:
    """Whether the drop probability is the share of the queue that is full, to 1%."""
    if len(curve.points) != 2 or buffer is None:
        return False
    (low, none), (high, all_) = curve.points
    full = 100 if curve.unit == "pct" else buffer.amount if curve.unit == buffer.unit else 0
    return (none, all_) == (0, 100) and low * 100 <= max(full, 100) and full * 99 <= high * 100 <= full * 101
