"""The tests that the tables of attacks, of operators' findings and of findings in texts name are there."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]


@pytest.mark.parametrize(("page", "least"), [("attacks.md", 40), ("operating.md", 25), ("rendering-findings.md", 22)])
def test_every_row_has_a_test_and_every_test_exists(page: str, least: int) -> None:
    rows = rows_of(ROOT / "docs" / "reference" / page)
    assert len(rows) > least
    for what, _, named in rows:
        tests = re.findall(r"`([\w/]+\.py)::(\w+)`", named)
        assert tests, f"{what.strip()}: no test"
        for path, name in tests:
            assert f"\ndef {name}(" in (ROOT / path).read_text(encoding="utf-8"), f"{what.strip()}: {path}::{name}"


def rows_of(page: Path) -> list[list[str]]:
    """The rows of its tables, without their heads."""
    lines = page.read_text(encoding="utf-8").splitlines()
    return [
        line.strip("|").split("|")
        for line, before in zip(lines[1:], lines[:-1], strict=True)
        if line.startswith("|") and before.startswith("|") and not line.startswith("|---")
    ]
