"""Where a router's files lie."""

from pathlib import Path

from hntes.format import rfc3339
from hntes.settings.model import Router
from hntes.sql.change import Change
from hntes.workflow.context import Context


def router_folder(context: Context, router: Router) -> Path:
    """Where a router's candidates, change sets and reports lie."""
    return context.output / router.name


def reduced_folder(folder: Path) -> Path:
    """Where, below a router's folder, copies of the texts lie that withdrawals of single pairs left on it."""
    return folder / "delivery" / "reduced"


def change_folder(context: Context, router: Router, change: Change) -> Path:
    """Where a change's files lie: below its day, and those of a scheduled one by its instant."""
    of_day = router_folder(context, router) / change.day.isoformat()
    if change.effective_s is None:
        return of_day
    return of_day / "edges" / rfc3339(change.effective_s * 1000).replace(":", "")
