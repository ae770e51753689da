"""The criteria as a table: `python -m hntes.gate.criteria.catalogue`; docs/reference/gate.md contains it."""

import sys

from hntes.gate.criteria import REGISTRY
from hntes.gate.criteria.criterion import Criterion, Measure
from hntes.settings.model import Gate

HEADER = ("criterion", "asks", "runs", "measure", "limit, default")


def criteria_table() -> str:
    """The table in Markdown: a row per measure, limits with the defaults of the settings."""
    rows = [HEADER, ("---",) * len(HEADER)]
    for number, criterion in enumerate(REGISTRY, 1):
        rows += _rows(number, criterion)
    return "\n".join(f"| {' | '.join(row)} |" for row in rows) + "\n"


def _rows(number: int, criterion: Criterion) -> list[tuple[str, ...]]:
    heads = [(f"{number} {criterion.name}", criterion.title, criterion.runs)]
    heads += [("", "", "")] * (len(criterion.measures) - 1)
    return [
        (*head, measure.what, _limit(criterion, measure))
        for head, measure in zip(heads, criterion.measures, strict=True)
    ]


def _limit(criterion: Criterion, measure: Measure) -> str:
    if measure.limit_key is not None:
        return f"`{measure.limit_key}` {getattr(Gate(), measure.limit_key):g}"
    if measure.limit_rule is not None:
        return measure.limit_rule
    return "none" if criterion.name == "structure" else "reported, never a reason to fail"


if __name__ == "__main__":
    sys.stdout.write(criteria_table())
