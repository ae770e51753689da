"""Plans around the limits of criteria, asked in either engine, over any round trip, with any seed, H-TCP or CUBIC."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from hntes.gate import JudgedPlan, Lab
from hntes.gate.beta_peak import BetaPeak
from hntes.gate.criteria import BETA, DELAY, THROUGHPUT
from hntes.gate.criteria.criterion import SimulatedCriterion
from hntes.gate.hosts import Hosts
from hntes.gate.ports import PlannedPort
from hntes.gate.round_trips import over
from hntes.gate.verdict import Verdict
from hntes.settings.hosts import CongestionControl
from hntes.settings.model import Gate
from hntes.simulator import EngineName, PortPlan, QueuePlan
from hntes.simulator.runs.store import MemoryRuns, RunStore

PEAK_PCT = 30.0


@dataclass(frozen=True)
class Lever:
    """A number of a plan that moves the value of a criterion's measure across its limit.

    `fails` and `passes` are the values of the lever from which on, away from the limit, all runs give that verdict.
    `round_trip_ms` is that of alpha flows.
    """

    criterion: SimulatedCriterion
    measure: str
    port_of: Callable[[float], PortPlan]
    fails: float
    passes: float
    round_trip_ms: float = 2.0


def two_queues(beta_share_pct: float = 65.0, alpha_ms: float = 55.0, *, are_equal: bool = False) -> PortPlan:
    """The recommended plan, with another share for beta, another alpha queue, or equal ranks as on Cisco."""
    queues = (
        QueuePlan("alpha", 95 - beta_share_pct, alpha_ms, 1),
        QueuePlan("beta", beta_share_pct, 40, 1 if are_equal else 2),
        QueuePlan("other", 5, 5, 0),
    )
    return PortPlan(queues, "alpha", "beta")


def one_queue(length_ms: float) -> PortPlan:
    """All traffic in one queue of this length."""
    return PortPlan((QueuePlan("shared", 100, length_ms),), "shared", "shared")


def found_by(
    lever: Lever, value: float, engine: EngineName, seed: int,
    congestion: CongestionControl = "htcp", store: RunStore | None = None,
) -> Verdict:  # fmt: skip
    """The verdict on the lever's measure with hosts of today; CUBIC needs the packet engine."""
    plan = lever.port_of(value)
    words = tuple((each.name, each.name) for each in plan.queues)
    gate = Gate(seed=seed)
    judged = JudgedPlan(
        PlannedPort(("port",), plan, words, "", ()), gate, BetaPeak(PEAK_PCT, is_measured=False), "linux-6",
        lever.round_trip_ms,
    )  # fmt: skip
    hosts = Hosts("linux-6", congestion=congestion)
    wanted = {name: over(hosts.running(run), judged) for name, run in lever.criterion.wanted(judged).items()}
    ran = Lab(store or MemoryRuns(), 1, only=engine).perform(wanted)
    found: Mapping[str, Verdict] = {each.measure: each for each in lever.criterion.verdicts(judged, ran)}
    return found[lever.measure]


# Bands of docs/reference/gate.md.
LEVERS: Mapping[str, Lever] = {
    "one queue for all, ms": Lever(DELAY, "ping_mean_increase", one_queue, 2.4, 1.6),
    "alpha's queue, ms": Lever(
        THROUGHPUT, "alpha_goodput_beside_10_pct", lambda ms: two_queues(alpha_ms=ms), 0.75, 1.5
    ),
    "beta's share, per cent": Lever(BETA, "beta_loss", two_queues, 30.0, 31.0),
    "alpha's queue, ms, equal ranks": Lever(
        THROUGHPUT, "alpha_goodput_beside_10_pct", lambda ms: two_queues(alpha_ms=ms, are_equal=True), 0.75, 1.5
    ),
    "beta's share, per cent, equal ranks": Lever(
        BETA, "beta_loss", lambda share: two_queues(share, are_equal=True), 29.0, 30.0
    ),
    "one queue for all, ms, 20 ms": Lever(DELAY, "ping_mean_increase", one_queue, 10.0, 4.0, round_trip_ms=20.0),
    "alpha's queue, ms, 20 ms": Lever(
        THROUGHPUT, "alpha_goodput_beside_10_pct", lambda ms: two_queues(alpha_ms=ms), 2.0, 10.0, round_trip_ms=20.0
    ),
}
