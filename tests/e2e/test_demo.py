"""`make demo` ends as README.md shows."""

import re

import pytest

from console import demo, output
from tests.conftest import ROOT


@pytest.mark.slow
def test_the_demonstration_says_what_the_readme_shows(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    said: list[str] = []
    monkeypatch.setattr(output, "line", lambda text="": said.extend(text.splitlines()))
    assert demo.main() == 0
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    shown = re.search(r"`make demo` ends so \(shortened\):\n\n```\n(.*?)```", readme, re.DOTALL)
    assert shown
    lines = [line for line in shown[1].splitlines() if line not in ("", "...") and not line.startswith("Four nights")]
    assert len(lines) > 10
    missing = [line for line in lines if line not in said]
    assert not missing
