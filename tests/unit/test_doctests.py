"""The examples in docstrings give what they say."""

import doctest
import importlib
import importlib.util
import pkgutil
from pathlib import Path

import pytest

import hntes


def _source(name: str) -> str:
    found = importlib.util.find_spec(name)
    assert found is not None
    path = Path(str(found.origin))
    return path.read_text(encoding="utf-8") if path.suffix == ".py" else ""


NOT_CORE = ("airflow", "web")  # their dependencies are extras
MODULES = sorted(
    module.name
    for module in pkgutil.walk_packages(hntes.__path__, "hntes.")
    if module.name.split(".")[1] not in NOT_CORE and ">>> " in _source(module.name)
)


def test_some_modules_have_examples() -> None:
    assert len(MODULES) >= 10


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_hold(name: str) -> None:
    found = doctest.testmod(importlib.import_module(name), optionflags=doctest.NORMALIZE_WHITESPACE)
    assert found.failed == 0, "see the captured output"
