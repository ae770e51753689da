"""EOS texts against files that were read by a person, for every plan and redirect that the platform supports.

The pairs are read back here by a reader of its own: rules of a traffic policy, in their order.
"""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from hntes.platforms.render import render
from tests.contract.platform.models import all_plans, redirects_of
from tests.support.qos_models import PAIR_TEXTS, PLANS, model

FOLDER = Path(__file__).parent / "eos"
NAMES = [name for name, _ in all_plans("eos")]
RULE = re.compile(
    r"match (?P<name>\S+) ipv[46]\n +source prefix (?P<source>\S+)\n +destination prefix (?P<destination>\S+)\n +!\n"
    r" +actions\n +count\n +set traffic class (?P<number>\d)\n"
)


def path_of(name: str) -> Path:
    return FOLDER / name.replace("_", "-") / "expected.conf"


@pytest.mark.parametrize("name", NAMES)
def test_plan_and_redirect(name: str, golden: Callable[[Path, str], None]) -> None:
    rendered = render(dict(all_plans("eos"))[name])
    golden(path_of(name), rendered)
    rules = [each for each in RULE.finditer(rendered) if each["name"].startswith("alpha-")]
    assert sorted(f"{each['source']}>{each['destination']}" for each in rules) == sorted(PAIR_TEXTS)
    # Unmarked packets are in class 1 on EOS.
    assert {each["number"] for each in rules} == {"1" if name.startswith("single_queue") else "4"}


def test_hosts_are_tried_before_the_networks_around_them() -> None:
    rules = list(RULE.finditer(render(model("eos"))))
    for family in (".", ":"):
        hosts = [each["source"].endswith(("/32", "/128")) for each in rules if family in each["source"]]
        assert hosts == sorted(hosts, reverse=True)


def test_every_combination_is_a_file_or_refused() -> None:
    # the last is written in test_render_golden.py
    assert set(FOLDER.glob("*/expected.conf")) == {path_of(name) for name in (*NAMES, "own-values")}
    assert len(NAMES) == 9
    assert len(PLANS) * len(redirects_of("eos")) == 18
