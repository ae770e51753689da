"""The measured load of a router's ports and the fit of the split in force, for the night, the gate and the commands."""

from collections.abc import Mapping
from datetime import date, timedelta

from hntes.format import counted, gbps
from hntes.gate.beta_peak import MeasuredPeak
from hntes.gate.redirect_target import RedirectTarget
from hntes.gate.shares.demand import Split, demand, fit, lone_minute, lone_sentence
from hntes.gate.shares.port_load import PortLoad, RouterLoad, router_load
from hntes.gate.shares.sweep import as_udp_ip_bps
from hntes.platforms.hardware_fit import model_of
from hntes.platforms.registry import platform_of
from hntes.rules.changeset.candidate import Candidate
from hntes.rules.qos.model import Scheduler, scheduler_name
from hntes.settings.model import Router
from hntes.settings.shares import Shares
from hntes.settings.terms import ALPHA, BETA, NETWORK_CONTROL
from hntes.sql import day_status, interface_loads
from hntes.sql.session import reading
from hntes.workflow.context import Context


def read_load(context: Context, router: Router, until_day: date, shares: Shares | None = None) -> RouterLoad:
    """The measured load of the router over the days that end with `until_day`; `shares` override the settings."""
    chosen = shares or context.settings.shares
    from_day = until_day - timedelta(days=chosen.days - 1)
    with reading(context.database) as session:
        return router_load(
            router,
            interface_loads.load_days(session, router.name, from_day, until_day),
            interface_loads.interface_loads(session, router.name, from_day, until_day),
            day_status.day_statuses(session, router.name, until_day, from_day),
            until_day,
            chosen,
        )


def present_split(context: Context, router: Router, base: Candidate | None) -> Split | None:
    """The split in force, or that of the settings if nothing is in force; None for a plan without two queues."""
    model = base.model if base is not None else model_of(router, context.settings.plans[router.plan], [])
    return _split(router, {scheduler.name: scheduler for scheduler in model.schedulers})


def share_notes(context: Context, router: Router, measured: RouterLoad, base: Candidate | None) -> tuple[str, ...]:
    """Warnings on the shares: one line per port that the split in force no longer fits.

    A port of unknown load has none: a router without any snmp_index would report it every night.
    """
    shares = context.settings.shares
    split = present_split(context, router, base)
    notes = []
    for port in measured.ports:
        if port.days and port.days[-1].implausible_minutes:
            last = port.days[-1]
            notes.append(
                f"remark: {counted(last.implausible_minutes, 'minute')} of {last.day} left out of the load of "
                f"{port.name}: the records exceed the port's rate, so they are wrong or forged"
            )
        if (lone := lone_minute(port)) is not None:
            notes.append(f"remark: {lone_sentence(port, lone)}")
        found = fit(demand(port, shares), split, shares)
        if found.is_warning:
            notes.append(f"{found.sentence}; `hntes router queue-advice --router {router.name}` advises")
        elif found.state == "generous":
            notes.append(f"remark: {found.sentence}")
        notes += above_rate(port)
    return tuple(notes)


def above_rate(port: PortLoad) -> list[str]:
    """A warning if the measured load of a port exceeds its rate: the settings or the flow data are wrong."""
    most, day = max(((max(each.peak_bps, each.alpha_peak_bps), each.day) for each in port.days), default=(0, None))
    if most <= port.rate_bps:
        return []
    words = (
        f"{port.name}: {gbps(most)} measured on {day} exceed rate_bps in the settings, {gbps(port.rate_bps)}: "
        "correct rate_bps, or find the exporter that over-reports"
    )
    return [words]


def measured_peaks(measured: RouterLoad, shares: Shares) -> dict[str, MeasuredPeak]:
    """Port -> its measured beta peak as the gate takes it; ports whose load is not known are left out."""
    found = {port.name: demand(port, shares) for port in measured.ports}
    return {
        name: MeasuredPeak(
            as_udp_ip_bps(needed.measured_bps),
            needed.minutes,
            needed.complete_days,
            needed.needed_days(shares),
            as_udp_ip_bps(max((day.busy_bps for day in needed.port.days), default=0)),
            needed.peak.peak_ms if needed.peak and needed.peak.is_peak_minute else None,
        )
        for name, needed in found.items()
        if needed.is_known
    }


def redirect_target(router: Router, measured: RouterLoad) -> RedirectTarget | None:
    """Where the router sends its pairs, with their fullest minutes on all ports as if they were one: an upper bound."""
    if router.redirect is None:
        return None
    peaks = [max(day.alpha_peak_bps for day in port.days) for port in measured.ports if port.days]
    minutes = max((demand(port, Shares()).minutes for port in measured.ports), default=0)
    return RedirectTarget(router.redirect.port, as_udp_ip_bps(sum(peaks)) if peaks else None, minutes)


def _split(router: Router, queues: Mapping[str, Scheduler]) -> Split | None:
    alpha, beta = queues.get(scheduler_name(ALPHA)), queues.get(scheduler_name(BETA))
    if alpha is None or beta is None:
        return None
    others = sum(each.transmit_share_pct for each in queues.values() if each not in (alpha, beta))
    # Unused bandwidth goes to the highest priority; queues of equal or no priority share it.
    shared = not platform_of(router.platform).capabilities.ranks(alpha.priority, beta.priority)
    idle = queues[scheduler_name(NETWORK_CONTROL)].transmit_share_pct if shared else 0
    return Split(alpha.transmit_share_pct, beta.transmit_share_pct, others, idle)
