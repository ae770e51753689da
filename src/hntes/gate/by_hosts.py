"""Criteria asked with each kind of hosts, and with CUBIC where H-TCP comes near a limit; the worst verdict counts."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from hntes.gate.criteria.criterion import SimulatedCriterion
from hntes.gate.criteria.plan import JudgedPlan
from hntes.gate.hosts import Hosts, hosts_of, worst_verdicts
from hntes.gate.lab import Lab
from hntes.gate.near import may_differ_with_cubic
from hntes.gate.round_trips import over
from hntes.gate.verdict import Verdict
from hntes.settings.hosts import CUBIC_HOSTS, HOST_PROFILES, HostProfile
from hntes.settings.model import Gate
from hntes.simulator.engine import ShareCallback

# A criterion, and the plan that is asked by it.
Asked = tuple[SimulatedCriterion, JudgedPlan]
# The verdicts on each of several that are asked, by hosts.
_Found = list[dict[Hosts, list[Verdict]]]


def judged_with_hosts(asked: Sequence[Asked], lab: Lab, progress: ShareCallback) -> list[list[Verdict]]:
    """The verdicts on each plan by its criterion, the worst of all kinds of hosts.

    All runs are made at once; those with CUBIC after them, as H-TCP's verdicts say which are asked. A port that fails
    with H-TCP is not asked again.
    """
    found: _Found = [{} for _ in asked]
    _ask(asked, {number: _with_h_tcp(*each) for number, each in enumerate(asked)}, found, lab, progress)
    failed = {
        plan.port.name
        for (_, plan), of_hosts in zip(asked, found, strict=True)
        if any(_fails_the_port(verdict) for verdicts in of_hosts.values() for verdict in verdicts)
    }
    again = {
        number: _with_cubic(plan, found[number])
        for number, (_, plan) in enumerate(asked)
        if plan.port.name not in failed
    }
    _ask(asked, again, found, lab, lambda _: None)
    return [
        worst_verdicts(of_hosts, moves_packets=plan.moves_packets)
        for (_, plan), of_hosts in zip(asked, found, strict=True)
    ]


def _ask(
    asked: Sequence[Asked], hosts_by_number: Mapping[int, Iterable[Hosts]], found: _Found, lab: Lab,
    progress: ShareCallback,
) -> None:  # fmt: skip
    """Adds the verdicts of so many hosts on those that are asked; all runs are made at once."""
    with_hosts = [
        (number, hosts, criterion, replace(plan, hosts=hosts.profile))
        for number, (criterion, plan) in enumerate(asked)
        for hosts in hosts_by_number.get(number, ())
    ]
    runs = {
        (number, hosts, name): over(hosts.running(run), plan) if criterion.is_of_each_round_trip else hosts.running(run)
        for number, hosts, criterion, plan in with_hosts
        for name, run in criterion.wanted(plan).items()
    }
    ran = lab.perform(runs, progress)
    for number, hosts, criterion, plan in with_hosts:
        keys = {name: (number, hosts, name) for name in criterion.wanted(plan)}
        of_plan = {name: ran[key] for name, key in keys.items() if key in ran}
        found[number][hosts] = [_by_control(each, hosts) for each in criterion.verdicts(plan, of_plan)]


def _fails_the_port(verdict: Verdict) -> bool:
    """Reservations have queues of their own: what they fail says nothing of the rest."""
    return not verdict.is_passing and verdict.criterion != "premium"


def _by_control(verdict: Verdict, hosts: Hosts) -> Verdict:
    if verdict.engine == "text":
        return verdict
    return replace(verdict, congestion=hosts.congestion, controls=(hosts.congestion,))


def _with_h_tcp(criterion: SimulatedCriterion, plan: JudgedPlan) -> tuple[Hosts, ...]:
    return hosts_of(_profiles(criterion, plan.gate), plan.port.plan)


def _with_cubic(plan: JudgedPlan, of_hosts: Mapping[Hosts, Sequence[Verdict]]) -> list[Hosts]:
    """The hosts of CUBIC's kernel, if H-TCP of any hosts comes near a limit."""
    if "cubic" not in plan.gate.congestion:
        return []
    if not any(may_differ_with_cubic(plan, verdicts) for verdicts in of_hosts.values()):
        return []
    return [replace(hosts, congestion="cubic") for hosts in of_hosts if hosts.profile == CUBIC_HOSTS]


def _profiles(criterion: SimulatedCriterion, gate: Gate) -> Sequence[HostProfile]:
    """The hosts of a criterion's runs: all of the settings, or the latest of them alone."""
    return gate.tcp_profiles if criterion.is_of_all_hosts else (max(gate.tcp_profiles, key=HOST_PROFILES.index),)
