"""The simulator: scenarios as data, run packet by packet or as fluid.

>>> from hntes.simulator import load_experiment, run
>>> case = load_experiment(4).cases()[0]
>>> result = run(case.scenario(seed=1))  # doctest: +SKIP
"""

from hntes.simulator.engine import NotApplicableError, check, run
from hntes.simulator.results import EngineName, FlowTotals, PingTotals, QueueTotals, RunResult
from hntes.simulator.runs.engines import UnsoundRunError
from hntes.simulator.runs.files import RunFolder
from hntes.simulator.runs.store import MemoryRuns
from hntes.simulator.scenario import Scenario, ScenarioError
from hntes.simulator.steadiness.sensitivity import sensitive_measures
from hntes.simulator.testbed.experiments import Case, Experiment, load_experiment
from hntes.simulator.testbed.marker_plan import EarlyDrops, MarkerPlan
from hntes.simulator.testbed.port_plan import EcnPlan, PlanError, PolicerPlan, PortPlan, QueuePlan
from hntes.simulator.version import engine_version

__all__ = [
    "Case",
    "EarlyDrops",
    "EcnPlan",
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
    "Scenario",
    "ScenarioError",
    "UnsoundRunError",
    "check",
    "engine_version",
    "load_experiment",
    "run",
    "sensitive_measures",
]
