"""The criteria of the gate, one file each; here is their registry, in the order of verdicts."""

from hntes.gate.criteria.beta import BETA
from hntes.gate.criteria.bursts import BURSTS
from hntes.gate.criteria.classes import CLASSES
from hntes.gate.criteria.criterion import Criterion, SimulatedCriterion
from hntes.gate.criteria.delay import DELAY
from hntes.gate.criteria.fairness import FAIRNESS
from hntes.gate.criteria.order import ORDER
from hntes.gate.criteria.premium import PREMIUM
from hntes.gate.criteria.reach import REACH, MeasuredTraffic
from hntes.gate.criteria.structure import STRUCTURE
from hntes.gate.criteria.surprise import SURPRISE
from hntes.gate.criteria.throughput import THROUGHPUT

__all__ = [
    "BETA",
    "BURSTS",
    "CLASSES",
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

SIMULATED: tuple[SimulatedCriterion, ...] = (
    DELAY,
    THROUGHPUT,
    ORDER,
    BETA,
    FAIRNESS,
    SURPRISE,
    PREMIUM,
    BURSTS,
    CLASSES,
)
REGISTRY: tuple[Criterion, ...] = (STRUCTURE, *SIMULATED[:-2], REACH, BURSTS, CLASSES)
