"""Hosts of a judgement; the worst verdict on each measure counts, and its sentence names the hosts."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from hntes.format import listed
from hntes.gate.runs import WantedRun
from hntes.gate.verdict import CONTROL_WORDS, Verdict, joined_controls, value_words
from hntes.settings.hosts import CongestionControl, HostProfile
from hntes.simulator import PortPlan
from hntes.simulator.scenario import Flow, TcpTraffic
from hntes.sql.entries import VerdictOutcome

WORDS_OF_HOSTS: Mapping[HostProfile, str] = {"linux-2.6.33": "hosts of 2010", "linux-6": "hosts of today"}
# RFC 8985: a segment counts as lost by the time since it was sent, not by how many came before it.
RACK_WORDS = "as they find that packets were overtaken and not lost"
_HARSHNESS: Mapping[VerdictOutcome, int] = {"failed": 3, "not_judged": 2, "passed": 1, "reported": 0}
_INSTEAD: Mapping[VerdictOutcome, str] = {
    "failed": "it would fail",
    "not_judged": "it could not be judged",
    "passed": "it would pass",
    "reported": "it is only reported",
}


@dataclass(frozen=True)
class Hosts:
    """Hosts of all runs: their TCP profile and their control; `have_ecn`: RFC 3168, None if nothing is marked."""

    profile: HostProfile
    have_ecn: bool | None = None
    congestion: CongestionControl = "htcp"

    @property
    def words(self) -> str:
        """Their name in sentences."""
        beside = "" if self.have_ecn is None else " with ECN" if self.have_ecn else " without ECN"
        control = "" if self.congestion == "htcp" else f" with {CONTROL_WORDS[self.congestion]}"
        return f"{WORDS_OF_HOSTS[self.profile]}{beside}{control}"

    def running(self, wanted: WantedRun) -> WantedRun:
        """The same run, with ECN if they have it, and with their control, which only packets can tell from H-TCP."""
        controlled = self._controlled(wanted)
        if not self.have_ecn or not wanted.scenario.flows_of_kind("tcp"):
            return controlled
        tcp = replace(controlled.scenario.tcp, ecn=True)
        return replace(controlled, scenario=replace(controlled.scenario, tcp=tcp))

    def _controlled(self, wanted: WantedRun) -> WantedRun:
        if self.congestion == "htcp":
            return wanted
        flows = tuple(_with_control(flow, self.congestion) for flow in wanted.scenario.flows)
        if flows == wanted.scenario.flows:  # nothing of H-TCP's, as with a ping alone
            return wanted
        return replace(wanted, scenario=replace(wanted.scenario, flows=flows), needs_packets=True)


def _with_control(flow: Flow, congestion: CongestionControl) -> Flow:
    """A flow with another control in place of H-TCP; what has a control of its own keeps it."""
    if not isinstance(flow.traffic, TcpTraffic) or flow.traffic.congestion != "htcp":
        return flow
    return replace(flow, traffic=replace(flow.traffic, congestion=congestion))


def hosts_of(profiles: Iterable[HostProfile], plan: PortPlan) -> tuple[Hosts, ...]:
    """The hosts for which a plan is judged: without marking, ECN makes no difference."""
    with_ecn = (False, True) if plan.marks else (None,)
    return tuple(Hosts(profile, have_ecn) for profile in profiles for have_ecn in with_ecn)


def worst_verdicts(of_hosts: Mapping[Hosts, Sequence[Verdict]], *, moves_packets: bool) -> list[Verdict]:
    """Of each measure the worst verdict; of hosts of one kind, theirs as they are.

    Failed is worse than not judged, and that than passed. Of two that passed, the one nearer to its limit is worse; of
    two that failed, the one further from it; without a limit, the larger value. Without a run
    no hosts are named.

    Args:
        of_hosts: The verdicts of one criterion on one plan: the same measures in the same order for all hosts.
        moves_packets: Whether packets of one flow may take different queues of the plan.
    """
    if len(of_hosts) == 1:
        return [verdict for verdicts in of_hosts.values() for verdict in verdicts]
    return [
        _worst(dict(zip(of_hosts, verdicts, strict=True)), moves_packets=moves_packets)
        for verdicts in zip(*of_hosts.values(), strict=True)
    ]


def _worst(of_hosts: Mapping[Hosts, Verdict], *, moves_packets: bool) -> Verdict:
    (measure,) = {verdict.measure for verdict in of_hosts.values()}
    first, *rest = of_hosts.values()
    if first.engine == "text" and first.value is None and all(verdict == first for verdict in rest):
        return first
    worst = max(of_hosts.values(), key=harm)
    found = replace(worst, controls=joined_controls(of_hosts.values()))
    alike = [hosts.words for hosts, verdict in of_hosts.items() if verdict.sentence == found.sentence]
    others = {hosts: verdict for hosts, verdict in of_hosts.items() if verdict.sentence != found.sentence}
    differing = _values(others, found) + "".join(_instead(*other, found, moves_packets) for other in others.items())
    return replace(found, measure=measure, sentence=f"with {listed(alike)}, {found.sentence}{differing}")


def harm(verdict: Verdict) -> tuple[int, float]:
    """How bad a verdict is beside others on the same measure; larger is worse."""
    harshness = _HARSHNESS[verdict.outcome]
    if verdict.value is None:
        return harshness, 0.0
    if verdict.limit is None:
        return harshness, verdict.value
    beyond = abs(verdict.value - verdict.limit)
    return harshness, beyond if verdict.outcome == "failed" else -beyond


def _values(others: Mapping[Hosts, Verdict], worst: Verdict) -> str:
    """The values of others with the same outcome, in parentheses."""
    of_hosts: dict[str, list[str]] = {}
    for hosts, verdict in others.items():
        if verdict.outcome == worst.outcome and (value := value_words(verdict.value, verdict.unit, verdict.limit)):
            of_hosts.setdefault(value, []).append(hosts.words)
    values = "; ".join(f"with {listed(words)} {value}" for value, words in of_hosts.items())
    return f" ({values})" if values else ""


def _instead(hosts: Hosts, verdict: Verdict, worst: Verdict, moves_packets: bool) -> str:
    """The outcomes of others that differ, and why."""
    if verdict.outcome == worst.outcome:
        return ""
    value = value_words(verdict.value, verdict.unit, verdict.limit)
    measured = f" ({value})" if value else ""
    is_rack = moves_packets and hosts.profile == "linux-6" and verdict.criterion == "throughput"
    why = f", {RACK_WORDS}" if is_rack else ""
    return f"; with {hosts.words} {_INSTEAD[verdict.outcome]}{measured}{why}"
