"""Where H-TCP comes so near to a limit that CUBIC may be beyond it: there the same runs are made with CUBIC, too."""

from collections.abc import Sequence

from hntes.gate.criteria.plan import JudgedPlan
from hntes.gate.room import room_used
from hntes.gate.verdict import Verdict
from hntes.sql.entries import CriterionName

# The part of the room to a limit that H-TCP has to use up. In docs/reference/gate-cubic.csv CUBIC is beyond a limit
# where H-TCP uses 0.72 of it or more (decision 59).
NEAR = 0.6
# Two CUBIC flows take minutes to share a long path alike: over 80 ms the recommended plan has an index of 0.88.
LEFT_TO_H_TCP: frozenset[CriterionName] = frozenset({"fairness"})


def may_differ_with_cubic(plan: JudgedPlan, found: Sequence[Verdict]) -> bool:
    """Whether CUBIC might fail a criterion that passes with H-TCP, by its verdicts with H-TCP.

    A plan that fails is not asked again. A count of which none is allowed (late or lost packets) has no distance from
    its limit: it counts as near where alpha's windows decide it.
    """
    if not all(verdict.is_passing for verdict in found):
        return False
    return any(_is_near(verdict, plan) for verdict in found if verdict.outcome == "passed")


def _is_near(verdict: Verdict, plan: JudgedPlan) -> bool:
    value, limit = verdict.value, verdict.limit
    if value is None or limit is None or verdict.engine == "text" or verdict.criterion in LEFT_TO_H_TCP:
        return False
    if limit == 0:
        return plan.depends_on_windows
    return room_used(value, limit, verdict.unit, passes=True) >= NEAR
