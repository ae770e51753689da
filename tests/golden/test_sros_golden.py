"""SR OS texts against files that were read by a person, for every plan and redirect that the platform supports.

The pairs are read back here by a reader of its own: numbered entries of a filter, in the order of their numbers.
"""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from hntes.platforms.render import render
from tests.contract.platform.models import all_plans, redirects_of
from tests.support.qos_models import PAIR_TEXTS, PLANS, model

FOLDER = Path(__file__).parent / "sros"
NAMES = [name for name, _ in all_plans("sros")]
ENTRY = re.compile(
    r"entry (?P<number>\d+) \{\s+description (?P<name>\S+)\s+match \{\s+src-ip \{\s+address (?P<source>\S+)\s+\}"
    r"\s+dst-ip \{\s+address (?P<destination>\S+)\s+\}\s+\}\s+action \{\s+fc (?P<fc>\S+)"
)


def path_of(name: str) -> Path:
    return FOLDER / name.replace("_", "-") / "expected.conf"


@pytest.mark.parametrize("name", NAMES)
def test_plan_and_redirect(name: str, golden: Callable[[Path, str], None]) -> None:
    text = dict(all_plans("sros"))[name]
    rendered = render(text)
    golden(path_of(name), rendered)
    entries = [each for each in ENTRY.finditer(rendered) if each["name"].startswith("alpha-")]
    assert sorted(f"{each['source']}>{each['destination']}" for each in entries) == sorted(PAIR_TEXTS)
    wanted = "be" if name.startswith("single_queue") else "h2"
    assert {each["fc"] for each in entries} == {wanted}


def test_entries_are_numbered_in_the_order_in_which_they_are_tried() -> None:
    text = render(model("sros"))
    for part in text.split("ipv6-filter"):
        numbers = [int(each["number"]) for each in ENTRY.finditer(part)]
        assert numbers == sorted(set(numbers))
        hosts = [each["source"].endswith(("/32", "/128")) for each in ENTRY.finditer(part)]
        assert hosts == sorted(hosts, reverse=True)


def test_every_combination_is_a_file_or_refused() -> None:
    # the last is written in test_render_golden.py
    kept = {path_of(name) for name in (*NAMES, "own-values")}
    assert set(FOLDER.glob("*/expected.conf")) == kept
    assert len(NAMES) == 14
    assert len(PLANS) * len(redirects_of("sros")) == 27
