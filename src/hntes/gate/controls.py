"""CUBIC, Linux's default, and BBR through a plan's port: packet by packet, over the longest round trip alone.

The criteria ask with H-TCP, and with CUBIC where that comes near a limit (gate/near.py). Here CUBIC has to get what the
link leaves; what BBR does to it, and what BBR sends again, is reported: no plan with one alpha queue prevents it
(decision 54).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from hntes.gate import runs
from hntes.gate.criteria.plan import JudgedPlan, cause_unless
from hntes.gate.criteria.throughput import left_bps
from hntes.gate.lab import Lab, PerformedRun
from hntes.gate.round_trips import over
from hntes.gate.runs import WantedRun
from hntes.gate.verdict import Measured, Verdict, amount, outcome_of
from hntes.settings.hosts import CUBIC_HOSTS, CongestionControl
from hntes.simulator.measures import Span, mean_goodput_bps
from hntes.simulator.scenario import Congestion, Flow, Scenario, TcpTraffic
from hntes.simulator.testbed.traffic import with_udp_load, without

# Hosts that are tuned for such paths send jumbo frames, and a run costs half as much.
_SEGMENT_BYTES = 8948
# The load's host is a sender, too, so that its card must not be what limits them.
_LOADED_LINK, _LOADED_BPS = frozenset({"E2", "WR"}), 25e9
CUBIC, BBR = "TCP2", "TCP1"
# CUBIC alone after its start, both together, and BBR alone.
_ALONE_S, _TOGETHER_S, _BBR_S = 15.0, 20.0, 12.0


@dataclass(frozen=True)
class _Course:
    """When CUBIC has started, when BBR joins it, and when the run ends, in seconds."""

    started_s: float
    joined_s: float
    end_s: float


def control_verdicts(plans: Sequence[JudgedPlan], lab: Lab) -> list[Verdict]:
    """Verdicts on CUBIC and BBR for each plan, as far as the settings ask for them; raises like `judge`."""
    asked = [_far(plan) for plan in plans if CUBIC_HOSTS in plan.gate.tcp_profiles]
    wanted = {(number, name): run for number, plan in enumerate(asked) for name, run in _wanted(plan).items()}
    ran = lab.perform(wanted)
    found: list[Verdict] = []
    for number, plan in enumerate(asked):
        of_plan = {name: run for (of, name), run in ran.items() if of == number}
        found += [replace(each, port=plan.port.name) for each in _verdicts(plan, of_plan)]
    return found


def _far(plan: JudgedPlan) -> JudgedPlan:
    return replace(plan, hosts=CUBIC_HOSTS, round_trip_ms=max(plan.gate.round_trips_ms))


def _wanted(plan: JudgedPlan) -> dict[str, WantedRun]:
    controls, course = plan.gate.congestion, _course(plan)
    if "cubic" not in controls:
        return {}
    if "bbr" not in controls:
        return {"cubic": run_of(plan, {CUBIC: ("cubic", (0.0, course.joined_s))}, course.joined_s)}
    both: dict[str, tuple[Congestion, Span]] = {
        CUBIC: ("cubic", (0.0, course.end_s)),
        BBR: ("bbr", (course.joined_s, course.end_s)),
    }
    return {"cubic": run_of(plan, both, course.end_s), "bbr": run_of(plan, {BBR: ("bbr", (0.0, _BBR_S))}, _BBR_S)}


def _course(plan: JudgedPlan) -> _Course:
    joined_s = plan.start_up_s + _ALONE_S
    return _Course(plan.start_up_s, joined_s, joined_s + _TOGETHER_S)


def run_of(plan: JudgedPlan, senders: Mapping[str, tuple[Congestion, Span]], duration_s: float) -> WantedRun:
    """Alpha flows of experiment 5 with other controls and times, beside the lightest beta load."""
    port, gate = plan.port.plan, plan.gate
    pair = over(runs.fairness(port, gate, plan.hosts), plan).scenario
    load = runs.throughput(port, gate, plan.hosts, min(plan.loads_pct)).scenario
    alone = without(pair, {flow.name for flow in pair.flows} - senders.keys())
    flows = (*(_controlled(flow, *senders[flow.name]) for flow in alone.flows), *_load(load, duration_s))
    scenario = replace(
        alone,
        flows=flows,
        duration_s=duration_s,
        tcp=replace(alone.tcp, segment_data_bytes=_SEGMENT_BYTES),
        links=tuple(replace(link, rate_bps=_LOADED_BPS) if link.ends == _LOADED_LINK else link for link in alone.links),
    )
    loaded = with_udp_load(scenario, min(plan.loads_pct) / 100 * scenario.port_rate_bps())
    return WantedRun(loaded, duration_s, needs_packets=True)


def _controlled(flow: Flow, congestion: Congestion, span: Span) -> Flow:
    traffic = flow.traffic
    if not isinstance(traffic, TcpTraffic):
        raise TypeError(f"flow {flow.name} has no congestion control")
    return replace(flow, intervals_s=(span,), traffic=replace(traffic, congestion=congestion))


def _load(scenario: Scenario, duration_s: float) -> list[Flow]:
    names = scenario.flows_of_kind("udp")
    return [replace(flow, intervals_s=((0.0, duration_s),)) for flow in scenario.flows if flow.name in names]


def _verdicts(plan: JudgedPlan, ran: Mapping[str, PerformedRun]) -> list[Verdict]:
    found = []
    if "cubic" in ran:
        found.append(_asked_with(_cubic_alone(plan, ran["cubic"]), "cubic"))
    if "bbr" in ran:
        found.append(_asked_with(_cubic_beside_bbr(plan, ran["cubic"]), "cubic", "bbr"))
        found.append(_asked_with(_bbr_alone(ran["bbr"]), "bbr"))
    return [_over_its_path(each, plan.round_trip_ms) for each in found]


def _asked_with(verdict: Verdict, *controls: CongestionControl) -> Verdict:
    """With its controls; the first is that of the flow whose value it is."""
    return replace(verdict, congestion=controls[0], controls=controls)


def _over_its_path(verdict: Verdict, round_trip_ms: float) -> Verdict:
    sentence = f"at a round trip of {round_trip_ms:g} ms, {verdict.sentence}"
    return replace(verdict, sentence=sentence, round_trip_ms=round_trip_ms)


def _cubic_alone(plan: JudgedPlan, run: PerformedRun) -> Verdict:
    course, limit_pct = _course(plan), plan.gate.throughput_pct
    share_pct = _share_pct(run, CUBIC, (course.started_s, course.joined_s))
    holds = share_pct >= limit_pct
    what = (
        f"a CUBIC flow would get {amount(share_pct, limit_pct)}% of what {min(plan.loads_pct):g}% of beta load leaves"
    )
    measured = Measured("throughput", "cubic_goodput", share_pct, "%", limit_pct, run)
    return measured.verdict(outcome_of(holds=holds), what + cause_unless(holds, plan.port))


def _cubic_beside_bbr(plan: JudgedPlan, run: PerformedRun) -> Verdict:
    course = _course(plan)
    later: Span = ((course.joined_s + course.end_s) / 2, course.end_s)
    cubic_bps, bbr_bps = (mean_goodput_bps(run.result, flow, later) for flow in (CUBIC, BBR))
    share_pct = 100 * cubic_bps / (cubic_bps + bbr_bps) if cubic_bps + bbr_bps else None
    got = "nothing of either" if share_pct is None else f"{amount(share_pct)}% of what both get"
    what = f"{_TOGETHER_S:g} s after a BBR flow has joined its queue"
    measured = Measured("fairness", "cubic_beside_bbr", share_pct, "%", None, run)
    return measured.verdict("reported", f"{what}, a CUBIC flow would get {got}")


def _bbr_alone(run: PerformedRun) -> Verdict:
    again = float(run.result.of_flow(BBR, "retransmitted_pkts").sum())
    arrived = float(run.result.of_flow(BBR, "goodput_bytes").sum()) / _SEGMENT_BYTES
    again_pct = 100 * again / (again + arrived) if again + arrived else None
    got = f"get {amount(_share_pct(run, BBR, (0.0, _BBR_S)))}% of what the link leaves"
    resent = "nothing" if again_pct is None else f"{amount(again_pct)}% of its segments"
    what = f"in its first {_BBR_S:g} s a BBR flow alone would {got} and send {resent} again"
    return Measured("fairness", "bbr_retransmissions", again_pct, "%", None, run).verdict("reported", what)


def _share_pct(run: PerformedRun, flow: str, span: Span) -> float:
    return 100 * mean_goodput_bps(run.result, flow, span) / left_bps(run.scenario)
