"""The figures of the gate's judgement on a change."""

from hntes.gate.figure_files import GateFigure, read_figures
from hntes.settings.model import Router
from hntes.sql.change import Change
from hntes.workflow.context import Context
from hntes.workflow.folders import change_folder

__all__ = ["GateFigure", "gate_figures"]


def gate_figures(context: Context, router: Router, entry: Change) -> tuple[GateFigure, ...]:
    """The stored figures; empty if nothing, another candidate, or the text for another instant was judged."""
    return read_figures(change_folder(context, router, entry), entry.candidate_hash)
