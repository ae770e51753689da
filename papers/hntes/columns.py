"""Conditions on the policed columns of experiment 3 as a whole."""

import math
from collections.abc import Sequence
from itertools import pairwise

from hntes.papers.cells import CellVerdict, PublishedCell, assess

COLUMN_RULES = (
    "The policed columns are judged cell by cell and as a whole: `geometric_mean_factor` is how far the 18 cells with "
    "UDP are from the published ones on average, as a factor; `rises_with_udp` counts the steps at which more UDP "
    "left more TCP (there must be none); `share_of_2_queues_at_2.5` is the larger share of the two-queues throughput "
    "that remains at 2.5 and 3 Gb/s of UDP (the published columns collapse there)."
)


def assess_columns(verdicts: Sequence[CellVerdict]) -> list[CellVerdict]:
    """Conditions on the policed columns of experiment 3: closeness, decrease with UDP, collapse at 2.5 Gb/s."""
    table = {(v.cell.configuration, v.cell.variant): v for v in verdicts if v.cell.experiment == "3"}
    policed = [verdict for verdict in table.values() if verdict.cell.kind == "reordering"]
    if not policed:
        return []
    distances = [abs(math.log(verdict.ratio)) if verdict.ratio else math.inf for verdict in policed]
    factor = math.exp(sum(distances) / len(distances))
    found = [_summary("all policed", "geometric_mean_factor", factor, 1.8)]
    for column in dict.fromkeys(verdict.cell.configuration for verdict in policed):
        values = [verdict.simulated for verdict in policed if verdict.cell.configuration == column]
        rises = sum(later > earlier for earlier, later in pairwise(values))
        found.append(_summary(column, "rises_with_udp", float(rises), 0.0))
        highest = max(
            table[column, rate].simulated / table["2-queues", rate].simulated for rate in ("udp-2.5", "udp-3")
        )
        found.append(_summary(column, "share_of_2_queues_at_2.5", highest, 0.2))
    return found


def _summary(configuration: str, measure: str, value: float, limit: float) -> CellVerdict:
    return assess(PublishedCell("hntes", "3", configuration, "", measure, "at_most", limit), value, value, value)
