"""The tests that the tables of attacks, of operators' findings, of findings in texts and of the simulator's laws name
are there.
"""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
PACKET = ROOT / "crates" / "sim-packet"


@pytest.mark.parametrize(("page", "least"), [("attacks.md", 40), ("operating.md", 25), ("rendering-findings.md", 22)])
def test_every_row_has_a_test_and_every_test_exists(page: str, least: int) -> None:
    rows = rows_of(ROOT / "docs" / "reference" / page)
    assert len(rows) > least
    for what, _, named in rows:
        tests = re.findall(r"`([\w/]+\.py)::(\w+)`", named)
        assert tests, f"{what.strip()}: no test"
        for path, name in tests:
            assert f"\ndef {name}(" in (ROOT / path).read_text(encoding="utf-8"), f"{what.strip()}: {path}::{name}"


def test_every_law_of_the_packet_engine_has_a_test_that_exists() -> None:
    rows = rows_of(ROOT / "docs" / "reference" / "simulator-laws.md")
    assert len(rows) > 60
    for law, source, named, *_ in rows:
        tests = re.findall(r"`([\w/-]+\.(?:rs|py))::(\w+)`", named)
        assert source.strip(), f"{law.strip()}: no source"
        assert tests, f"{law.strip()}: no test"
        for path, name in tests:
            folder = ROOT if path.startswith(("crates/", "tests/integration/")) else PACKET
            text = (folder / path).read_text(encoding="utf-8")
            assert re.search(rf"\b(?:fn|def) {name}\(", text), f"{law.strip()}: {path}::{name}"


def rows_of(page: Path) -> list[list[str]]:
    """The rows of its tables, without their heads."""
    lines = page.read_text(encoding="utf-8").splitlines()
    return [
        line.strip("|").split("|")
        for line, before in zip(lines[1:], lines[:-1], strict=True)
        if line.startswith("|") and before.startswith("|") and not line.startswith("|---")
    ]
