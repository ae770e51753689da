"""The gate: what a configuration text would do to traffic, found out before anyone approves it."""

from gate.criteria.plan import JudgedPlan
from gate.criteria.reach import MeasuredTraffic
from gate.errors import NotJudgedError
from gate.judge import Judgement, Subject, judge, judge_plans
from gate.lab import Lab
from gate.ports import SIMULATED_BPS, PlannedPort, planned_ports
from gate.verdict import Verdict

__all__ = [
    "SIMULATED_BPS",
    "JudgedPlan",
    "Judgement",
    "Lab",
    "MeasuredTraffic",
    "NotJudgedError",
    "PlannedPort",
    "Subject",
    "Verdict",
    "judge",
    "judge_plans",
    "planned_ports",
]
