"""The criteria of the gate, one file each; here is their registry, in the order of verdicts."""

from gate.criteria.beta import BETA
from gate.criteria.criterion import Criterion, SimulatedCriterion
from gate.criteria.delay import DELAY
from gate.criteria.fairness import FAIRNESS
from gate.criteria.order import ORDER
from gate.criteria.premium import PREMIUM
from gate.criteria.reach import REACH, MeasuredTraffic
from gate.criteria.structure import STRUCTURE
from gate.criteria.surprise import SURPRISE
from gate.criteria.throughput import THROUGHPUT

__all__ = [
    "BETA",
    "DELAY",
    "FAIRNESS",
    "ORDER",
    "PREMIUM",
    "REACH",
    "REGISTRY",
    "SIMULATED",
    "STRUCTURE",
    "SURPRISE",
    "THROUGHPUT",
    "Criterion",
    "MeasuredTraffic",
    "SimulatedCriterion",
]

SIMULATED: tuple[SimulatedCriterion, ...] = (DELAY, THROUGHPUT, ORDER, BETA, FAIRNESS, SURPRISE, PREMIUM)
REGISTRY: tuple[Criterion, ...] = (STRUCTURE, *SIMULATED, REACH)
