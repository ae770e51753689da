"""The reference has a row for everything that the code has of a kind."""

import re
from pathlib import Path
from typing import get_args

import pytest

from hntes.rules.qos.model import PlanKind
from hntes.sql.entries import CRITERIA
from hntes.sql.schema import METADATA
from hntes.workflow.stage_names import STAGES

DOCS = Path(__file__).resolve().parents[3] / "docs"


def _first_cells(name: str) -> set[str]:
    """What the first column of a page's tables says, without marks of code."""
    text = (DOCS / name).read_text(encoding="utf-8")
    return {cell.strip(" `") for cell in re.findall(r"^\|([^|]+)\|", text, re.MULTILINE)}


def test_every_table_of_the_database_has_a_row() -> None:
    assert set(METADATA.tables) <= _first_cells("reference/database.md")


@pytest.mark.parametrize("page", ["reference/plans.md", "reference/rendering.md"])
def test_every_kind_of_plan_has_a_row(page: str) -> None:
    assert set(get_args(PlanKind)) <= _first_cells(page)


def test_every_criterion_of_the_gate_has_a_row() -> None:
    assert {f"{number} {name}" for number, name in enumerate(CRITERIA, 1)} <= _first_cells("reference/gate.md")


def test_every_stage_has_a_row() -> None:
    assert set(STAGES) <= _first_cells("concepts/pipeline.md")
