"""The traffic of a day by experiment and activity: NetFlow's bytes of alpha flows, and what senders announced."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from hntes.etl.announced.experiments import Experiments
from hntes.rules.lifetime.announced_use import AnnouncedUse
from hntes.settings.model import Router
from hntes.sql import announced as stored
from hntes.sql import observations
from hntes.sql.announced import AnnouncedCount, AnnouncedSum
from hntes.sql.host_totals import believed_bytes_by_day
from hntes.sql.session import reading
from hntes.workflow.context import Context
from hntes.workflow.stages.announced_pairs import uses_of
from hntes.workflow.stages.announced_transfers import experiments_of


@dataclass(frozen=True)
class RouterUse:
    """A router's believed alpha flows of a day by what they were announced as; the rest is unannounced."""

    router: str
    uses: tuple[AnnouncedUse, ...]
    unannounced_flows: int
    unannounced_bytes: int


@dataclass(frozen=True)
class AnnouncedTotal:
    """The transfers that ended on a day, at whatever router, alpha flows or not; announced bytes of both directions."""

    source: str
    experiment: str
    activity: str
    transfers: int
    announced_bytes: int


@dataclass(frozen=True)
class AnnouncedReport:
    """The day of some routers, what was announced in all, and what became of the messages."""

    day: date
    routers: tuple[RouterUse, ...]
    totals: tuple[AnnouncedTotal, ...]
    counts: tuple[AnnouncedCount, ...]


def announced_report(context: Context, routers: Sequence[Router], day: date) -> AnnouncedReport:
    """The report of a day whose night has run.

    Raises:
        AnnouncedError: the registry of experiments cannot be read.
        CommandError: the day is in the future.
    """
    context.require_come(day)
    experiments = experiments_of(context)
    with reading(context.database) as session:
        totals = tuple(_total(one, experiments) for one in stored.sums_of_day(session, day))
        counts = stored.counts_of_day(session, day)
    found = tuple(_router_use(context, router, day, experiments) for router in routers)
    return AnnouncedReport(day, found, totals, counts)


def _router_use(context: Context, router: Router, day: date, experiments: Experiments) -> RouterUse:
    with reading(context.database) as session:
        shares = [share for share in stored.shares(session, router.name, day, day) if not share.implausible]
        sums = observations.day_sums(session, router.name, day)
        believed_bytes = believed_bytes_by_day(session, router.name, day, day).get(day, 0)
    return RouterUse(
        router.name, uses_of(shares, experiments), sums.flows - sums.implausible_flows - len(shares),
        believed_bytes - sum(share.flow_bytes for share in shares),
    )  # fmt: skip


def _total(one: AnnouncedSum, experiments: Experiments) -> AnnouncedTotal:
    activity = experiments.activity_name(one.experiment, one.activity)
    return AnnouncedTotal(one.source, experiments.name(one.experiment), activity, one.transfers, one.announced_bytes)
