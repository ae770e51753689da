"""What programs are told of routers."""

from dataclasses import dataclass
from datetime import date

from hntes.sql.change import InForceEntry
from hntes.sql.entries import DayEntry, ExclusionEntry, PinEntry
from hntes.workflow.delivery.drift_known import KnownDrift
from hntes.workflow.reports.metrics import DaySums
from hntes.workflow.reports.router_traffic import RouterTraffic
from hntes.workflow.reports.rule_use import UnusedRule
from hntes.workflow.review.status import RouterProgress


@dataclass(frozen=True)
class OverviewDocument:
    """A router at a glance.

    Attributes:
        router: Its name.
        platform: Its platform.
        plan: The name of its queue plan.
        is_reached: Whether HNTES delivers to it.
        term_budget: The most pairs that it may have.
        pairs_in_force: Pairs of the approved configuration, null before the first approval.
        newest: Its newest processed day, null before its first night.
        waiting: The id of its change that waits for a decision, null if there is none.
        progress: What was approved, delivered and verified.
        drift: How it was last seen, null if HNTES does not reach it.
        alpha_bytes_by_day: Bytes of believed alpha flows, yesterday on the right.
    """

    router: str
    platform: str
    plan: str
    is_reached: bool
    term_budget: int
    pairs_in_force: int | None
    newest: DayEntry | None
    waiting: str | None
    progress: RouterProgress
    drift: KnownDrift | None
    alpha_bytes_by_day: tuple[int, ...]


@dataclass(frozen=True)
class RouterList:
    """Routers. `next_offset` is null on the last page."""

    routers: tuple[OverviewDocument, ...]
    total: int
    next_offset: int | None


@dataclass(frozen=True)
class RouterNow:
    """The present state of a router; null where it is not known, or where nothing is so.

    Attributes:
        alpha: The alpha flows of its newest day.
        in_force: The candidate last approved.
        held_until: Day until which its pending change is deferred.
        never_matched: Number of counters of rules that no packet was seen to match.
        late_reservations: Reservations that are due on it and not there.
        scheduled_waiting: Scheduled changes on approved rules that wait for approval.
    """

    alpha: DaySums
    in_force: InForceEntry | None
    held_until: date | None
    never_matched: int | None
    late_reservations: int | None
    scheduled_waiting: int | None


@dataclass(frozen=True)
class RouterDetail:
    """One router. `traffic` is null before its first night; `shares` says per port whether the split fits the load.

    `unused_rules` are the first of `unused_total` rules that no packet has matched.
    """

    overview: OverviewDocument
    now: RouterNow
    traffic: RouterTraffic | None
    shares: tuple[str, ...]
    unused_rules: tuple[UnusedRule, ...]
    unused_total: int
    pins: tuple[PinEntry, ...]
    exclusions: tuple[ExclusionEntry, ...]
