"""The tables of change sets, and of what is in force."""

from hntes.sql.entries import ChangeSetEntry, ChangeState, InForceEntry
from hntes.sql.table import one_of, table

CHANGE_SET = table(
    "change_set", ChangeSetEntry, one_of("state", ChangeState), key=("router", "day"),
    grain="One row per router and day: the change proposed after that day, and what became of it.",
)  # fmt: skip
IN_FORCE = table(
    "in_force", InForceEntry, key=("router",),
    grain="One row per router with an approved configuration: the candidate last approved.",
)  # fmt: skip
