"""The folders of a router's files."""

from pathlib import Path

from hntes.format import rfc3339
from hntes.settings.model import Router
from hntes.sql.change import Change
from hntes.workflow.context import Context


def router_folder(context: Context, router: Router) -> Path:
    """The folder of a router's candidates, changes and reports."""
    return context.output / router.name


def reduced_folder(folder: Path) -> Path:
    """The folder of the texts that removals of single pairs left on a router."""
    return folder / "delivery" / "reduced"


def change_folder(context: Context, router: Router, change: Change) -> Path:
    """The folder of a change's files: by its day, and for a scheduled one by its start time."""
    of_day = router_folder(context, router) / change.day.isoformat()
    if change.effective_s is None:
        return of_day
    return of_day / "edges" / rfc3339(change.effective_s * 1000).replace(":", "")
