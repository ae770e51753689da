"""The examples in the rooms' docstrings give what they say."""

import doctest
import importlib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
ROOMS = ("base", "settings", "etl", "sql", "rules", "gate", "simulator", "pipeline", "console")
MODULES = sorted(
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
    for room in ROOMS
    for path in (ROOT / room).rglob("*.py")
    if ">>> " in path.read_text(encoding="utf-8")
)


def test_some_modules_have_examples() -> None:
    assert len(MODULES) >= 10


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_hold(name: str) -> None:
    found = doctest.testmod(importlib.import_module(name), optionflags=doctest.NORMALIZE_WHITESPACE)
    assert found.failed == 0, "see the captured output"
