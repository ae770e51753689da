"""Criterion 10 asked directly: the same load in packets of 1,500 bytes, in more runs of other seeds; random plans."""

from dataclasses import dataclass, replace

import numpy as np

from hntes.gate import JudgedPlan, Lab, Verdict, judge_plans
from hntes.gate.beta_peak import BetaPeak
from hntes.gate.burst_runs import alone, beside_alpha
from hntes.gate.bursty_beta import bursty_beta
from hntes.gate.criteria import BURSTS
from hntes.gate.ports import PlannedPort
from hntes.gate.runs import WantedRun
from hntes.settings.model import Gate
from hntes.simulator import PortPlan, QueuePlan
from hntes.simulator.runs.store import MemoryRuns

# Far from the seeds of gates in tests.
FIRST_SEED = 1000
# The factor within which a value and its limit may give different verdicts: the spread of three runs.
BAND = 2.0


@dataclass(frozen=True)
class RandomPlan:
    """Shares of the rate, lengths of queues in ms, ranks, and the beta peak of a plan."""

    beta_share_pct: int
    beta_ms: float
    ranks: tuple[int, int]
    peak_pct: float

    def judged(self, gate: Gate) -> JudgedPlan:
        """The plan as the gate judges it."""
        shares = (95 - self.beta_share_pct, self.beta_share_pct)
        queues = (
            QueuePlan("alpha", shares[0], 55, self.ranks[0]),
            QueuePlan("beta", shares[1], self.beta_ms, self.ranks[1]),
            QueuePlan("other1", 5, 5, 0),
        )
        words = tuple((each.name, f"queue {each.name}") for each in queues)
        port = PlannedPort(("port",), PortPlan(queues, "alpha", "beta"), words, "", ())
        return JudgedPlan(port, gate, BetaPeak(self.peak_pct, is_measured=False), hosts="linux-6")


def random_plans(count: int, seed: int) -> list[RandomPlan]:
    """Plans of all ranks, most of them with shares and queues near those at which they fail."""
    random = np.random.default_rng(seed)
    return [
        RandomPlan(
            int(random.integers(20, 86)),
            float(np.round(40 * 2.0 ** -random.integers(0, 9), 3)),
            ((1, 2), (1, 1), (2, 1))[random.integers(0, 3)],
            float(random.choice((15.0, 25.0, 30.0, 40.0))),
        )
        for _ in range(count)
    ]


def by_gate(plan: RandomPlan, gate: Gate) -> dict[str, Verdict]:
    """The gate's verdicts by measure."""
    return {each.measure: each for each in judge_plans([plan.judged(gate)], Lab(MemoryRuns(), 1), [BURSTS])}


def direct(plan: RandomPlan, groups: int) -> dict[str, float]:
    """The medians over so many groups of three runs."""
    found = [_direct_verdicts(plan, Gate(seed=FIRST_SEED + group)) for group in range(groups)]
    return {name: float(np.median([each[name] for each in found])) for name in found[0]}


def _direct_verdicts(plan: RandomPlan, gate: Gate) -> dict[str, float]:
    judged = plan.judged(gate)
    load, asked = bursty_beta(judged.beta_peak, gate), (judged.port, gate, judged.hosts)
    wanted = {f"beside {each}": _in_packets(beside_alpha(*asked, load, each)) for each in range(3)}
    wanted |= {f"alone {each}": _in_packets(alone(*asked, load, each)) for each in range(3)}
    ran = Lab(MemoryRuns(), 1).perform(wanted)
    return {each.measure: each.value or 0.0 for each in BURSTS.verdicts(judged, ran)}


def _in_packets(wanted: WantedRun) -> WantedRun:
    scenario = wanted.scenario
    tcp = replace(scenario.tcp, segment_data_bytes=1448, merge_segments=44)
    return replace(wanted, scenario=replace(scenario, tcp=tcp))


def disagreements(plan: RandomPlan, verdicts: dict[str, Verdict], direct_values: dict[str, float]) -> list[str]:
    """Measures on whose limit the gate and the direct runs differ though the direct value is not within the band."""
    found = []
    for measure, verdict in verdicts.items():
        value, limit = direct_values[measure], verdict.limit or 0.0
        if verdict.is_passing != (value <= limit) and not limit / BAND <= value <= limit * BAND:
            found.append(f"{plan}: {measure}: gate {verdict.value}, direct {value}, limit {limit}")
    return found
