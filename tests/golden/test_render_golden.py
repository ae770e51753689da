"""Rendered text against files that were read by a person; each is also checked against the pairs it was made from."""

import hashlib
import itertools
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from hntes.platforms.conflicts import check_conflicts
from hntes.platforms.render import render
from tests.support.config_text import Line, lines_of
from tests.support.hardware import FAMILIES
from tests.support.qos_models import PLANS, PLATFORMS, REDIRECTS, WITH_EVERY_PLAN, many_pairs, model, own_values
from tests.unit.platforms.junos.test_input_filters import RUNNING

Golden = Callable[[Path, str], None]
FOLDER = Path(__file__).parent
SHOWN_LINES = 40
BEFORE_OPERATORS = FOLDER / "junos" / "before-operators" / "expected.conf"


# Each plan once per platform, and each redirect once; on Junos three redirects also name the classes that a plan has.
KEPT = sorted(
    {(platform, plan, "none") for platform in WITH_EVERY_PLAN for plan in PLANS}
    | {(platform, "two_queue", redirect) for platform in WITH_EVERY_PLAN for redirect in REDIRECTS}
    | {("junos", plan, "lsp") for plan in ("single_queue", "scavenger_policer", "premium")}
)
OTHERS = sorted(set(itertools.product(WITH_EVERY_PLAN, PLANS, REDIRECTS)) - set(KEPT))


@pytest.mark.parametrize(("platform", "plan", "redirect"), KEPT)
def test_plan_and_redirect(platform: str, plan: str, redirect: str, golden: Golden) -> None:
    text = render(model(platform, plan, redirect))
    golden(_path(platform, plan, redirect), text)
    assert len(_of_pairs(text, platform, 4)) == 5
    assert len(_of_pairs(text, platform, 6)) == 4


@pytest.mark.parametrize("platform", WITH_EVERY_PLAN)
def test_the_other_combinations_have_no_line_that_was_not_read(platform: str) -> None:
    """Every statement of theirs, its addresses and numbers of lines apart, stands in a golden file of the platform."""
    read = {kind for kept in KEPT if kept[0] == platform for kind in _kinds(_path(*kept).read_text(encoding="utf-8"))}
    others = [other for other in OTHERS if other[0] == platform]
    assert len(others) >= 6
    unread = {(plan, redirect): _kinds(render(model(platform, plan, redirect))) - read for _, plan, redirect in others}
    assert {what: sorted(kinds) for what, kinds in unread.items() if kinds} == {}


@pytest.mark.parametrize("platform", PLATFORMS)
def test_values_of_the_settings(platform: str, golden: Golden) -> None:
    golden(FOLDER / platform / "own-values" / "expected.conf", render(own_values(platform)))


def test_before_a_filter_of_the_operators(golden: Golden) -> None:
    golden(BEFORE_OPERATORS, render(check_conflicts(model("junos"), RUNNING)))


def test_no_golden_file_is_left_over() -> None:
    own_values = {FOLDER / platform / "own-values" / "expected.conf" for platform in WITH_EVERY_PLAN}
    # Written and compared in tests/contract/platform/test_hardware.py.
    hardware = {FOLDER / platform / f"hardware-{name}" / "expected.conf" for platform, name in FAMILIES}
    kept = {_path(*each) for each in KEPT}
    found = {path for platform in WITH_EVERY_PLAN for path in FOLDER.glob(f"{platform}/*/expected.conf")}
    assert found == own_values | {BEFORE_OPERATORS} | kept | hardware


@pytest.mark.parametrize("platform", PLATFORMS)
def test_two_thousand_pairs(platform: str, golden: Golden) -> None:
    pairs = many_pairs()
    text = render(model(platform, pairs=pairs))
    golden(FOLDER / platform / "two-thousand-pairs" / "digest.txt", _digest(text))
    for version in (4, 6):
        found = Counter((line.source, line.destination) for line in lines_of(text, platform, version))
        assert found == Counter((pair.source, pair.destination) for pair in pairs if pair.ip_version == version)


def _path(platform: str, plan: str, redirect: str) -> Path:
    return FOLDER / platform / f"{plan}-{redirect.replace('_', '-')}" / "expected.conf"


def _kinds(text: str) -> set[str]:
    """The lines without what differs between pairs and models: hashes, addresses, numbers of a list's lines."""
    found = set()
    for line in text.splitlines():
        kind = re.sub(r"\b[0-9a-f]{12,}\b", "HASH", line.strip())
        kind = re.sub(r"\b\d+\.\d+\.\d+\.\d+(/\d+)?\b", "IPV4", kind)
        kind = re.sub(r"\b[0-9a-f]{0,4}(:[0-9a-f]{0,4}){2,}(/\d+)?", "IPV6", kind)
        kind = re.sub(r"^## plan: .*|^! plan: .*", "PLAN", kind)
        found.add(re.sub(r"^(sequence )?\d+ (permit|deny)", r"\1NUMBER \2", kind))
    return found


def _of_pairs(text: str, platform: str, version: int) -> list[Line]:
    """The lines of pairs: on Junos terms of reservations stand before them."""
    return [line for line in lines_of(text, platform, version) if not line.label.startswith("premium-")]


def _digest(text: str) -> str:
    lines = text.splitlines(keepends=True)
    head = [f"sha256 {hashlib.sha256(text.encode('ascii')).hexdigest()}\n", f"lines {len(lines)}\n"]
    return "".join([*head, "---\n", *lines[:SHOWN_LINES], "...\n", *lines[-SHOWN_LINES:]])
