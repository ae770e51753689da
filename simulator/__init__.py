"""The simulator: scenarios as data, run packet by packet or as fluid.

>>> from simulator import load_experiment, run
>>> case = load_experiment(4).cases()[0]
>>> result = run(case.scenario(seed=1))  # doctest: +SKIP
"""

from simulator.engine import EngineMissingError, NotApplicableError, ScenarioError, check, run
from simulator.results import EngineName, FlowTotals, PingTotals, QueueTotals, RunResult
from simulator.runs.engines import UnsoundRunError
from simulator.runs.files import RunFolder
from simulator.runs.store import MemoryRuns
from simulator.steadiness.unsteady import unsteady
from simulator.testbed.experiments import Case, Experiment, load_experiment
from simulator.testbed.marker_plan import EarlyDrops, MarkerPlan
from simulator.testbed.port_plan import EcnPlan, PlanError, PolicerPlan, PortPlan, QueuePlan
from simulator.version import engine_version

__all__ = [
    "Case",
    "EarlyDrops",
    "EcnPlan",
    "EngineMissingError",
    "EngineName",
    "Experiment",
    "FlowTotals",
    "MarkerPlan",
    "MemoryRuns",
    "NotApplicableError",
    "PingTotals",
    "PlanError",
    "PolicerPlan",
    "PortPlan",
    "QueuePlan",
    "QueueTotals",
    "RunFolder",
    "RunResult",
    "ScenarioError",
    "UnsoundRunError",
    "check",
    "engine_version",
    "load_experiment",
    "run",
    "unsteady",
]
