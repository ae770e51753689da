"""Plans around the limits of criteria 2, 3 and 5, asked in either engine, with any seed, with H-TCP or CUBIC."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from hntes.gate import JudgedPlan, Lab
from hntes.gate.beta_peak import BetaPeak
from hntes.gate.criteria import BETA, DELAY, THROUGHPUT
from hntes.gate.criteria.criterion import SimulatedCriterion
from hntes.gate.ports import PlannedPort
from hntes.gate.runs import WantedRun
from hntes.gate.verdict import Verdict
from hntes.settings.model import Gate
from hntes.simulator import EngineName, PortPlan, QueuePlan
from hntes.simulator.runs.store import MemoryRuns, RunStore
from hntes.simulator.scenario import Congestion, Flow, TcpTraffic

PEAK_PCT = 30.0


@dataclass(frozen=True)
class Lever:
    """A number of a plan that moves the value of a criterion's measure across its limit.

    `fails` and `passes` are the values of the lever from which on, away from the limit, all runs give that verdict.
    """

    criterion: SimulatedCriterion
    measure: str
    port_of: Callable[[float], PortPlan]
    fails: float
    passes: float


def two_queues(beta_share_pct: float = 65.0, alpha_ms: float = 55.0) -> PortPlan:
    """The recommended plan, with another share for beta or another alpha queue."""
    queues = (
        QueuePlan("alpha", 95 - beta_share_pct, alpha_ms, 1),
        QueuePlan("beta", beta_share_pct, 40, 2),
        QueuePlan("other", 5, 5, 0),
    )
    return PortPlan(queues, "alpha", "beta")


def one_queue(length_ms: float) -> PortPlan:
    """All traffic in one queue of this length."""
    return PortPlan((QueuePlan("shared", 100, length_ms),), "shared", "shared")


def found_by(
    lever: Lever, value: float, engine: EngineName, seed: int,
    congestion: Congestion = "htcp", store: RunStore | None = None,
) -> Verdict:  # fmt: skip
    """The verdict on the lever's measure over 2 ms, with hosts of today; CUBIC needs the packet engine."""
    plan = lever.port_of(value)
    words = tuple((each.name, each.name) for each in plan.queues)
    gate = Gate(seed=seed)
    judged = JudgedPlan(
        PlannedPort(("port",), plan, words, "", ()), gate, BetaPeak(PEAK_PCT, is_measured=False), "linux-6"
    )
    wanted = {name: _with(run, congestion) for name, run in lever.criterion.wanted(judged).items()}
    ran = Lab(store or MemoryRuns(), 1, only=engine).perform(wanted)
    found: Mapping[str, Verdict] = {each.measure: each for each in lever.criterion.verdicts(judged, ran)}
    return found[lever.measure]


def _with(wanted: WantedRun, congestion: Congestion) -> WantedRun:
    flows = tuple(_controlled(flow, congestion) for flow in wanted.scenario.flows)
    return replace(wanted, scenario=replace(wanted.scenario, flows=flows))


def _controlled(flow: Flow, congestion: Congestion) -> Flow:
    if not isinstance(flow.traffic, TcpTraffic):
        return flow
    return replace(flow, traffic=replace(flow.traffic, congestion=congestion))


# Bands of docs/reference/gate.md.
LEVERS: Mapping[str, Lever] = {
    "one queue for all, ms": Lever(DELAY, "ping_mean_increase", one_queue, 2.4, 1.6),
    "alpha's queue, ms": Lever(
        THROUGHPUT, "alpha_goodput_beside_10_pct", lambda ms: two_queues(alpha_ms=ms), 0.75, 1.5
    ),
    "beta's share, per cent": Lever(BETA, "beta_loss", two_queues, 30.0, 31.0),
}
