"""The gate: what a configuration text would do to traffic, found out before anyone approves it."""

from rules.gate.criteria.case import Case
from rules.gate.errors import NotJudgedError
from rules.gate.judge import Judgement, Subject, judge, judge_beta, passes
from rules.gate.lab import Lab, UnsoundRunError
from rules.gate.ports import SIMULATED_BPS, PlannedPort, planned_ports
from rules.gate.stores import FolderStore, MemoryStore
from rules.gate.verdict import CRITERIA, Criterion, Verdict

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
