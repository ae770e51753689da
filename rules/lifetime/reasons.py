"""Sentences on why a pair has a rule or none."""

from collections.abc import Sequence
from datetime import date

from hntes.format import counted, long_gigabytes
from hntes.rules.lifetime.rule import PairLife
from hntes.sql.entries import ExclusionEntry, PinEntry, WeakEvidence

UNKNOWN_PAIR = "in force, but neither the history nor a pin knows this pair"


def rule_reason(life: PairLife, holding: Sequence[PinEntry], ageing_days: int) -> str:
    """Why a pair has a rule; `holding` are its active pins."""
    parts = [
        f"pinned by {pin.owner}{f' until {pin.expires_day}' if pin.expires_day else ''}: {pin.reason}"
        for pin in holding
    ]
    if life.last_seen is None:
        return "; ".join([*parts, "no alpha flow was ever seen of this pair"])
    seen = f"seen on {life.last_seen}"
    if life.days_seen > 1:
        seen = f"seen on {counted(life.days_seen, 'day')}, {life.first_seen} to {life.last_seen}"
    flows = f"{counted(life.flows, 'alpha flow')}"
    carried, peak = long_gigabytes(life.alpha_bytes, 2), long_gigabytes(life.peak_bytes, 2)
    parts.append(f"{seen}: {flows}, {carried}, at most {peak} per window")
    if life.weak_days:
        parts.append(f"weak evidence on {counted(life.weak_days, 'day')} of these")
    if life.since != life.first_seen:
        parts.append(f"current life since {life.since}")
    left = ageing_days + 1 - life.age_days
    if not holding and left > 0 and life.age_days:
        parts.append(f"{counted(life.age_days, 'complete day')} ago, ages out after {left} more without being seen")
    elif not holding and left > 0:
        parts.append(f"ages out after {counted(left, 'complete day')} without being seen")
    if life.frozen_days:
        parts.append(f"ageing was frozen on {counted(life.frozen_days, 'day')} without complete data")
    return "; ".join(parts)


def kept_reason(reason: str, day: date) -> str:
    """Why a pair has a rule although `reason` would remove it on a day with complete data."""
    return f"{reason}; kept because it is in force and the flow data of {day} is incomplete"


def gone_reason(life: PairLife, pins: Sequence[PinEntry], until: date) -> str:
    """Why a pair whose life ended on a day has no rule."""
    ended = "; ".join(f"pin by {pin.owner} ended on {until}" for pin in pins if pin.active_on(until))
    if life.last_seen is None:
        return f"{ended}; no alpha flow was ever seen of this pair"
    reason = f"aged out: last seen {life.last_seen}, {counted(life.age_days, 'complete day')} ago"
    if life.frozen_days:
        reason += f" ({counted(life.frozen_days, 'day')} without complete data not counted)"
    return f"{reason}; {ended}" if ended else reason


def excluded_reason(hits: Sequence[ExclusionEntry], *, is_pinned: bool) -> str:
    """Why an excluded pair has no rule."""
    reason = "; ".join(
        f"excluded by {hit.owner} {_until(hit)} ({hit.side} {hit.prefix}, "
        f"{'all routers' if hit.scope_router == '*' else hit.scope_router}): {hit.reason}"
        for hit in hits
    )
    return f"{reason}; it is pinned, too, but an exclusion wins over a pin" if is_pinned else reason


def _until(exclusion: ExclusionEntry) -> str:
    return "for good" if exclusion.expires_day == date.max else f"until {exclusion.expires_day}"


def weak_evidence_reason(last: date, peak_bytes: int, weak_evidence: WeakEvidence, *, is_waiting: bool) -> str:
    """Why a pair seen on weak evidence has no rule; `last` is the latest such day."""
    weak = f"weak evidence on {last} ({long_gigabytes(peak_bytes, 2)}, its error bar reaches the threshold)"
    if is_waiting:
        return f"{weak}: waits for a second sighting on another day"
    why = "which the settings ignore" if weak_evidence == "ignore" else "and not seen again in time"
    return f"{weak}, {why}"
