"""Where a router's files lie."""

from pathlib import Path

from hntes.settings.model import Router
from hntes.workflow.context import Context


def router_folder(context: Context, router: Router) -> Path:
    """Where a router's candidates, change sets and reports lie."""
    return context.output / router.name


def reduced_folder(folder: Path) -> Path:
    """Where, below a router's folder, copies of the texts lie that withdrawals of single pairs left on it."""
    return folder / "delivery" / "reduced"
