"""The measured load of a router's ports, and whether the split in force fits it: what night and command both read."""

from datetime import date, timedelta

from nightly.context import Context
from rules.load_days import RouterLoad, router_load
from rules.qos import RouterModel
from rules.qos_build import ALPHA, BETA, NETWORK_CONTROL
from rules.shares import Split, demand, fit
from rules.store import Candidate
from settings.model import Router
from settings.plans import SingleQueue
from settings.shares import Shares
from sql import days, loads
from sql.session import reading


def read_load(context: Context, router: Router, until_day: date, shares: Shares | None = None) -> RouterLoad:
    """What was measured of the router over the days that end with `until_day`; `shares` in place of the settings'."""
    chosen = shares or context.settings.shares
    from_day = until_day - timedelta(days=chosen.days - 1)
    with reading(context.database) as session:
        return router_load(
            router,
            loads.load_days(session, router.name, from_day, until_day),
            loads.interface_loads(session, router.name, from_day, until_day),
            days.day_statuses(session, router.name, until_day, from_day),
            until_day,
            chosen,
        )


def present_split(context: Context, router: Router, base: Candidate | None) -> Split | None:
    """The split in force, or where nothing is in force that of the settings; None for a plan without two queues."""
    if base is not None:
        return _split_of(base.model)
    plan = context.settings.plans[router.plan]
    if isinstance(plan, SingleQueue):
        return None
    shares = plan.shares_pct()
    return Split(shares[ALPHA], shares[BETA], shares[NETWORK_CONTROL])


def share_notes(context: Context, router: Router, load: RouterLoad, base: Candidate | None) -> tuple[str, ...]:
    """What an operator must know of the shares: a line for each port that the split in force no longer fits.

    A port whose load is not known has no line: a router without any snmp_index would have it every night.
    """
    shares = context.settings.shares
    split = present_split(context, router, base)
    notes = []
    for port in load.ports:
        found = fit(demand(port, shares), split, shares)
        if found.is_warning:
            notes.append(f"{found.sentence}; `hntes shares --router {router.name}` advises")
        elif found.state == "generous":
            notes.append(f"remark: {found.sentence}")
    return tuple(notes)


def measured_peaks_bps(load: RouterLoad, shares: Shares) -> dict[str, int]:
    """Port -> its measured beta peak, bit/s on the wire; ports whose load is not known are left out."""
    found = {port.name: demand(port, shares) for port in load.ports}
    return {name: needed.measured_bps for name, needed in found.items() if needed.is_known}


def _split_of(model: RouterModel) -> Split | None:
    shares = {each.forwarding_class: each.transmit_share_pct for each in model.schedulers}
    if ALPHA not in shares or BETA not in shares:
        return None
    return Split(shares[ALPHA], shares[BETA], shares.get(NETWORK_CONTROL, 0), "in force")
