"""The gate: simulation of a configuration's effect on traffic before its approval."""

from hntes.gate.beta_peak import BetaPeak, MeasuredPeak
from hntes.gate.criteria.plan import JudgedPlan
from hntes.gate.criteria.reach import MeasuredTraffic
from hntes.gate.errors import NotJudgedError
from hntes.gate.judge import Judgement, Subject, judge, judge_plans
from hntes.gate.lab import Lab
from hntes.gate.ports import SIMULATED_BPS, PlannedPort, planned_ports
from hntes.gate.redirect_target import RedirectTarget
from hntes.gate.verdict import Verdict

__all__ = [
    "SIMULATED_BPS",
    "BetaPeak",
    "JudgedPlan",
    "Judgement",
    "Lab",
    "MeasuredPeak",
    "MeasuredTraffic",
    "NotJudgedError",
    "PlannedPort",
    "RedirectTarget",
    "Subject",
    "Verdict",
    "judge",
    "judge_plans",
    "planned_ports",
]
