"""The effect of a change on past traffic as numbers and as a sentence."""

from dataclasses import dataclass
from datetime import date

from hntes.format import counted, gigabytes


@dataclass(frozen=True)
class Seen:
    """The days of the traffic, those with incomplete data, and the day of the beta traffic.

    `beta_day` is None where beta traffic between hosts of the pairs is not known.
    """

    days: int
    incomplete_days: int = 0
    beta_day: date | None = None


@dataclass(frozen=True)
class Effect:
    """The effect of a change on past traffic. `_before` is with the approved rules, `_after` with the proposed ones.

    `flows_` are alpha flows of the days, each counted once. `beta_bytes_` is other traffic in the alpha queue on
    `seen.beta_day`; None if it is not known.
    """

    seen: Seen
    is_first: bool
    alpha_bytes: int
    queued_bytes_before: int
    queued_bytes_after: int
    flows_gained: int
    flows_lost: int
    beta_bytes_before: int | None
    beta_bytes_after: int | None


def effect_sentence(found: Effect, before: str = "the approved rules", after: str = "these") -> str:
    """The effect in one sentence for the operator; `before` and `after` name the two sets of rules."""
    seen = found.seen
    span = "one day" if seen.days == 1 else f"the last {seen.days} days"
    if seen.incomplete_days:
        span += f" ({seen.incomplete_days} without complete data)"
    if not found.alpha_bytes:
        return f"no alpha traffic in {span}{_beta(found)}"
    parts = [f"of {gigabytes(found.alpha_bytes)} of alpha traffic in {span} {_rules(found, before, after)}"]
    parts.append(_flows(found))
    return "; ".join(filter(None, parts)) + _beta(found)


def share_text(part: int, whole: int) -> str:
    """A share in per cent; 0% and 100% are exact."""
    if part in (0, whole):
        return "100%" if part else "0%"
    return f"{min(max(100 * part / whole, 0.1), 99.9):.3g}%"


def _rules(found: Effect, before: str, after: str) -> str:
    will_be = f"{gigabytes(found.queued_bytes_after)} ({share_text(found.queued_bytes_after, found.alpha_bytes)})"
    if found.is_first:
        return f"these rules would have queued {will_be}, and none are approved yet"
    was = f"{gigabytes(found.queued_bytes_before)} ({share_text(found.queued_bytes_before, found.alpha_bytes)})"
    same = found.queued_bytes_before == found.queued_bytes_after and not (found.flows_lost or found.flows_gained)
    return f"{before} would have queued {was}, {after} {'as much' if same else will_be}"


def _flows(found: Effect) -> str:
    lost = f"{counted(found.flows_lost, 'flow')} {'loses its' if found.flows_lost == 1 else 'lose their'} queue"
    if found.is_first:
        return ""
    if not found.flows_gained:
        return lost if found.flows_lost else "no flow loses its queue"
    gained = f"{found.flows_gained} {'gains' if found.flows_gained == 1 else 'gain'} it"
    return f"{lost}, {gained}" if found.flows_lost else f"no flow loses its queue, {gained}"


def _beta(found: Effect) -> str:
    before, after = found.beta_bytes_before, found.beta_bytes_after
    if after is None:
        return ""
    dragged = f"; {gigabytes(after)} of the beta traffic of {found.seen.beta_day} is dragged along"
    if found.is_first or before is None or before == after:
        return dragged
    return f"{dragged}, {gigabytes(before)} before"
