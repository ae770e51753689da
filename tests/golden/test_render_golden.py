"""Rendered text against files that were read by a person; each is also checked against the pairs it was made from."""

import hashlib
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from rules.render.text import render
from tests.support.config_text import Line, cisco_list, junos_filter
from tests.support.qos_models import PLANS, PLATFORMS, REDIRECTS, many_pairs, model

Golden = Callable[[Path, str], None]
FOLDER = Path(__file__).parent
SHOWN_LINES = 40


@pytest.mark.parametrize("redirect", sorted(REDIRECTS))
@pytest.mark.parametrize("plan", sorted(PLANS))
@pytest.mark.parametrize("platform", PLATFORMS)
def test_plan_and_redirect(platform: str, plan: str, redirect: str, golden: Golden) -> None:
    text = render(model(platform, plan, redirect))
    golden(FOLDER / platform / f"{plan}-{redirect.replace('_', '-')}" / "expected.conf", text)
    assert len(_lines(text, platform, 4)) == 5
    assert len(_lines(text, platform, 6)) == 4


@pytest.mark.parametrize("platform", PLATFORMS)
def test_two_thousand_pairs(platform: str, golden: Golden) -> None:
    pairs = many_pairs()
    text = render(model(platform, pairs=pairs))
    golden(FOLDER / platform / "two-thousand-pairs" / "digest.txt", _digest(text))
    for version in (4, 6):
        found = Counter((line.source, line.destination) for line in _lines(text, platform, version))
        assert found == Counter((pair.source, pair.destination) for pair in pairs if pair.ip_version == version)


def _lines(text: str, platform: str, version: int) -> list[Line]:
    return junos_filter(text, version) if platform == "junos" else cisco_list(text, platform, version)


def _digest(text: str) -> str:
    lines = text.splitlines(keepends=True)
    head = [f"sha256 {hashlib.sha256(text.encode('ascii')).hexdigest()}\n", f"lines {len(lines)}\n"]
    return "".join([*head, "---\n", *lines[:SHOWN_LINES], "...\n", *lines[-SHOWN_LINES:]])
