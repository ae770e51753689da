"""What HNTES raises for people has one root, and nothing that is a defect of the program has it."""

import ast
import importlib
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from base.errors import HntesError
from pipeline.errors import expected
from tests.support.architecture import MAY_IMPORT

ROOT = Path(__file__).parents[3]
DEFECTS = (ArithmeticError, AssertionError, AttributeError, LookupError, MemoryError, NameError, TypeError)


def _error_classes() -> Iterator[tuple[str, str]]:
    """Module and name of each public exception class, read from the code; DAGs raise Airflow's own."""
    for room in sorted(set(MAY_IMPORT) - {"dags"}):
        for path in sorted((ROOT / room).rglob("*.py")):
            text = path.read_text(encoding="utf-8")
            for node in ast.parse(text).body if re.search(r"^class \w+Error\b", text, re.MULTILINE) else ():
                if isinstance(node, ast.ClassDef) and node.name.endswith("Error") and not node.name.startswith("_"):
                    yield ".".join(path.relative_to(ROOT).with_suffix("").parts), node.name


@pytest.mark.parametrize(("module", "name"), list(_error_classes()))
def test_every_error_has_the_root(module: str, name: str) -> None:
    error = getattr(importlib.import_module(module), name)
    assert issubclass(error, HntesError)
    assert not issubclass(error, DEFECTS)


def test_the_errors_are_found() -> None:
    assert {("etl.locks", "LockedError"), ("simulator.engine", "ScenarioError")} <= set(_error_classes())


@pytest.mark.parametrize("defect", [*DEFECTS, ValueError, RuntimeError])
def test_a_defect_is_not_reported_as_expected(defect: type[Exception]) -> None:
    assert not issubclass(defect, expected())
