"""The tests that the table of the packet engine's laws names exist."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
PACKET = ROOT / "crates" / "sim-packet"


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
