"""`make demo` prints what README.md shows."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from hntes.cli import demo, output
from hntes.workflow.context import Context, opened
from tests.conftest import ROOT
from tests.support.databases import vouch_for_shared_runs


@contextmanager
def believing(settings: Path) -> Iterator[Context]:
    """As `opened`; what other tests have simulated is not run again."""
    with opened(settings) as context:
        vouch_for_shared_runs(context.database.url.render_as_string(hide_password=False))
        yield context


@pytest.mark.slow
def test_the_demonstration_says_what_the_readme_shows(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    said: list[str] = []
    monkeypatch.setattr(demo, "opened", believing)
    monkeypatch.setattr(output, "line", lambda text="": said.extend(text.splitlines()))
    assert demo.main() == 0
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    shown = re.search(r"`make demo` prints \(shortened\):\n\n```\n(.*?)```", readme, re.DOTALL)
    assert shown
    lines = [line for line in shown[1].splitlines() if line not in ("", "...")]
    assert len(lines) > 10
    missing = [line for line in lines if line not in said]
    assert not missing
