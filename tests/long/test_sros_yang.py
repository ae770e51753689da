"""Every SR OS text against Nokia's own YANG models, of each release that is there: words, keys, types, choices.

The models are not part of HNTES. They are looked for in the folder that HNTES_YANG names, each release in a folder of
its own below `sros`; see docs/how-to/test.md.
"""

import os
import re
from collections.abc import Iterator
from functools import cache
from itertools import product
from pathlib import Path

import pytest
from hypothesis import HealthCheck, assume, given, settings

from hntes.platforms.conflicts import check_conflicts
from hntes.platforms.render import render
from hntes.platforms.transition import transition
from hntes.platforms.validate import problems
from hntes.rules.qos.model import RouterModel
from tests.contract.platform.models import all_models, changed_models
from tests.support.histories import EndState, histories
from tests.support.qos_models import model
from tests.support.yang.models import VARIABLE
from tests.support.yang.schema import PYANG, Node
from tests.support.yang.sros import findings, schema
from tests.unit.platforms.sros.test_embedding import OPERATORS

pytestmark = [pytest.mark.long, pytest.mark.timeout(1800)]
RANDOM = settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))

FOLDER = Path(os.environ.get(VARIABLE, "/nowhere")) / "sros"
RELEASES = sorted(path.name for path in FOLDER.glob("*") if (path / "nokia-submodule").is_dir())
TEXTS = {name: render(made) for name, made in all_models("sros")}
TEXTS["embedded"] = render(check_conflicts(model("sros"), OPERATORS))
# What a text may call as it likes, and addresses: a model has no opinion on these words but their form.
CHOSEN = re.compile(
    r"hntes\S*|(alpha|premium)-\S*|to-ER|to-site|core-1|peer-1|Base|CUSTOMERS|[0-9a-f.:/]*[0-9][0-9a-f.:/]*|::/0|configure"
)
# Names of entries, which a schema takes as they are.
NAMED = re.compile(r" *(interface|port|router|network-queue|port-scheduler-policy|ip-filter|ipv6-filter) \S+ {")
WORD = re.compile(r"[^\s{}]+")


@cache
def loaded(release: str) -> Node:
    return schema(FOLDER / release)


@pytest.fixture(params=RELEASES or ["none"])
def models(request: pytest.FixtureRequest) -> Node:
    if not RELEASES:
        pytest.skip(f"{VARIABLE} names no folder with releases of Nokia's models below sros")
    if not PYANG:
        pytest.skip("pyang is not installed")
    return loaded(str(request.param))


def test_the_models_know_every_statement_and_every_command_between_two_texts(models: Node) -> None:
    assert len(TEXTS) >= 14
    assert {name: found for name, text in TEXTS.items() if (found := findings(text, models))} == {}
    ends = [None, *TEXTS.values()]
    ways = {transition("sros", before, after) for before, after in product(ends, ends)}
    assert [each for way in ways for each in findings(way, models)] == []


def test_the_models_know_every_statement_of_random_models_and_histories(models: Node) -> None:
    @RANDOM
    @given(made=changed_models("sros"), history=histories("sros"))
    def judge(made: RouterModel, history: list[EndState]) -> None:
        assume(not problems(made))
        before = None
        for text in (render(made), *(state.text for state in history)):
            assert findings(text, models) == []
            assert findings(transition("sros", before, text), models) == []
            before = text

    judge()


def damaged() -> Iterator[tuple[str, str]]:
    """Each kind of statement with a word misspelt or a number out of range, and the text that holds it."""
    seen = set()
    for text in TEXTS.values():
        lines = text.splitlines(keepends=True)
        for index, line in enumerate(lines):
            kind = CHOSEN.sub("X", line)
            if kind in seen or line.startswith("#"):
                continue
            seen.add(kind)
            for word in WORD.finditer(line):
                is_number = word[0].isdigit() and not NAMED.match(line)
                if CHOSEN.fullmatch(word[0]) and not is_number:
                    continue
                wrong = "99999999999999999999" if is_number else f"{word[0]}x"
                changed = f"{line[: word.start()]}{wrong}{line[word.end() :]}"
                yield changed, "".join([*lines[:index], changed, *lines[index + 1 :]])


def test_a_misspelt_word_and_a_number_out_of_range_are_found(models: Node) -> None:
    every = dict(damaged())
    assert len(every) >= 60
    missed = {line.strip() for line, text in every.items() if not findings(text, models)}
    # the queue of a class is a reference, whose value is that of the queue's own number
    assert missed <= {"queue 99999999999999999999"}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("                    accept\n", "                    accept\n                    drop\n"),
        ("cir 55\n", "cir 55\n                    cir 54\n"),
        ("max-rate max\n", "max-rate max\n            max-percent-rate 50\n"),
    ],
)
def test_contradictions_are_found(models: Node, old: str, new: str) -> None:
    text = TEXTS["two_queue-none"]
    assert old in text
    assert findings(text.replace(old, new, 1), models) != []
