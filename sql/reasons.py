"""Reasons of a change's pairs, its effect on traffic, notes: rows free of SQLAlchemy."""

from dataclasses import dataclass
from datetime import date
from typing import Literal

Sign = Literal["+", "-"]
# Of pairs that come: seen, pinned, or in a text that is proposed again. Of those that go: why they have no rule.
ReasonCause = Literal[
    "seen", "pinned", "proposed_again", "aged_out", "pin_ended", "excluded", "waiting", "weak_evidence", "over_budget",
    "unknown",
]  # fmt: skip


@dataclass(frozen=True)
class PairReason:
    """A pair that comes ("+") or goes ("-"), and why; what was seen of it is None where that has no part in it.

    `words` quotes pins and exclusions as they were when the change was proposed; nothing depends on it.
    """

    sign: Sign
    source: str
    destination: str
    cause: ReasonCause
    first_seen: date | None
    last_seen: date | None
    days_seen: int | None
    flows: int | None
    alpha_bytes: int | None
    peak_bytes: int | None
    age_days: int | None
    words: str


@dataclass(frozen=True)
class ChangeEffect:
    """The effect of a change on the traffic of days before it; see hntes.rules.backtest.effect.Effect.

    `problem` says why that is not known, None if it is; the rest is 0 then.
    """

    problem: str | None = None
    days: int = 0
    incomplete_days: int = 0
    beta_day: date | None = None
    is_first: bool = False
    alpha_bytes: int = 0
    queued_bytes_before: int = 0
    queued_bytes_after: int = 0
    flows_gained: int = 0
    flows_lost: int = 0
    beta_bytes_before: int | None = None
    beta_bytes_after: int | None = None


@dataclass(frozen=True)
class ChangeNote:
    """A note on a change, `position` from 0 on."""

    position: int
    words: str


@dataclass(frozen=True)
class ReservedRate:
    """The policer of a reservation in a scheduled change; `name` is that in the text."""

    name: str
    rate_bps: int


@dataclass(frozen=True)
class ChangeFacts:
    """All facts of one change; `effect` is None if not computed."""

    pairs: tuple[PairReason, ...] = ()
    notes: tuple[str, ...] = ()
    effect: ChangeEffect | None = None
    reserved: tuple[ReservedRate, ...] = ()
