"""The gate: what a configuration text would do to traffic, found out before anyone approves it."""

from gate.criteria.case import Case
from gate.errors import NotJudgedError
from gate.judge import Judgement, Subject, judge, judge_beta, passes
from gate.lab import Lab, UnsoundRunError
from gate.ports import SIMULATED_BPS, PlannedPort, planned_ports
from gate.stores import FolderStore, MemoryStore
from gate.verdict import CRITERIA, Criterion, Verdict

__all__ = [
    "CRITERIA",
    "SIMULATED_BPS",
    "Case",
    "Criterion",
    "FolderStore",
    "Judgement",
    "Lab",
    "MemoryStore",
    "NotJudgedError",
    "PlannedPort",
    "Subject",
    "UnsoundRunError",
    "Verdict",
    "judge",
    "judge_beta",
    "passes",
    "planned_ports",
]
