"""Errors for people have one root class, and no defect of the program has it."""

import ast
import importlib
import pkgutil
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import hntes
from hntes.errors import HntesError
from hntes.workflow.errors import expected

DEFECTS = (ArithmeticError, AssertionError, AttributeError, LookupError, MemoryError, NameError, TypeError)


def _error_classes() -> Iterator[tuple[str, str]]:
    """Module and name of each public exception class, read from the code; DAGs raise Airflow's own."""
    for module in pkgutil.walk_packages(hntes.__path__, "hntes."):
        if module.name.startswith("hntes.airflow") or module.name == "hntes._native":
            continue
        path = Path(str(module.module_finder.find_spec(module.name, None).origin))  # type: ignore[union-attr]
        text = path.read_text(encoding="utf-8")
        for node in ast.parse(text).body if re.search(r"^class \w+Error\b", text, re.MULTILINE) else ():
            if isinstance(node, ast.ClassDef) and node.name.endswith("Error") and not node.name.startswith("_"):
                yield module.name, node.name


@pytest.mark.parametrize(("module", "name"), list(_error_classes()))
def test_every_error_has_the_root(module: str, name: str) -> None:
    error = getattr(importlib.import_module(module), name)
    assert issubclass(error, HntesError)
    assert not issubclass(error, DEFECTS)


def test_the_errors_are_found() -> None:
    found = set(_error_classes())
    assert {("hntes.etl.locks", "LockedError"), ("hntes.simulator.scenario.errors", "ScenarioError")} <= found


@pytest.mark.parametrize("defect", [*DEFECTS, ValueError, RuntimeError])
def test_a_defect_is_not_reported_as_expected(defect: type[Exception]) -> None:
    assert not issubclass(defect, expected())
