"""The tests that docs/reference/attacks.md names are there."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
ROWS = [
    line.strip("|").split("|")
    for line in (ROOT / "docs" / "reference" / "attacks.md").read_text(encoding="utf-8").splitlines()
    if line.startswith("|") and not line.startswith(("|---", "| attack "))
]


def test_every_attack_has_a_test_and_every_test_exists() -> None:
    assert len(ROWS) > 40
    for attack, _, named in ROWS:
        tests = re.findall(r"`([\w/]+\.py)::(\w+)`", named)
        assert tests, f"{attack.strip()}: no test"
        for path, name in tests:
            assert f"\ndef {name}(" in (ROOT / path).read_text(encoding="utf-8"), f"{attack.strip()}: {path}::{name}"
