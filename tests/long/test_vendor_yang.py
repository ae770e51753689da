"""Every rendered text against the vendors' own YANG models: paths, keys, types, ranges, words of enumerations.

The models are not part of HNTES. They are looked for in the folder that HNTES_YANG names; see docs/how-to/test.md.
"""

import re
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path

import pytest
from hypothesis import HealthCheck, assume, given, settings

from hntes.platforms.render import render
from hntes.platforms.transition import removal, transition
from hntes.platforms.transition_errors import TransitionError
from hntes.platforms.validate import problems
from hntes.rules.qos.model import RouterModel
from tests.contract.platform.models import changed_models, taken
from tests.support.histories import EndState, histories
from tests.support.qos_models import model
from tests.support.yang.models import KNOWN, findings, missing

GOLDEN = Path(__file__).parent.parent / "golden"

pytestmark = [pytest.mark.long, pytest.mark.timeout(1800)]
RANDOM = settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))

# What a text may call as it likes, and addresses: a model has no opinion on these words but their form.
CHOSEN = re.compile(
    r"hntes\S*|(alpha|beta|premium|scavenger|network-control|best-effort|bulk|customers)(-\S*)?|CUSTOMERS|to-ER|class-default"
    r"|(xe-|TenGig|tunnel-te|Tunnel)\S*|[0-9a-f.:/]*[0-9][0-9a-f.:/]*|::/0"
)
WORD = re.compile(r"[^\s{};\[\]]+")
TOO_LARGE = "99999999999999999999"
# Values that Juniper's models leave to the router: plain strings there. All other damage must be found.
UNJUDGED = re.compile(
    r"term \S+ {|import-rib \[.*|unit \S+ {|priority \S+;"
    r"|(bandwidth-limit|burst-size-limit|(committed|peak|excess)-(information-rate|burst-size)) \S+;"
)
# Statements that exclude each other, or are said twice: what is replaced, and by what.
CONTRADICTIONS = {
    "junos": [
        ("input hntes-alpha-v4;", "input hntes-alpha-v4; input-list [ hntes-alpha-v4 a ];"),
        ("transmit-rate percent 55;", "transmit-rate percent 55; transmit-rate percent 54;"),
        ("queue-num 4;", "queue-num 4 queue-num 5;"),
    ],
    "iosxr": [
        ("  bandwidth percent 55\n", "  bandwidth percent 55\n  bandwidth percent 54\n"),
        (" match qos-group 4\n", " match qos-group 4\n match qos-group\n"),
        (" end-policy-map\n", " end-policy-map\n set qos-group 4\n"),
    ],
    "iosxe": [
        ("  bandwidth percent 55\n", "  bandwidth percent 55\n  bandwidth percent 54\n"),
        (" match qos-group 4\n", " match qos-group 4\n match qos-group 4-5\n"),
        ("permit ip host 198.18.10.7 host", "permit ip host 198.18.10.7"),
    ],
}


@pytest.fixture(params=KNOWN)
def platform(request: pytest.FixtureRequest) -> str:
    """Each platform whose models are there."""
    reason = missing(request.param)
    if reason is not None:
        pytest.skip(reason)
    return str(request.param)


def texts(platform: str) -> dict[str, str]:
    """Every golden text, and every combination of plan and redirect."""
    kept = {path.parent.name: path.read_text(encoding="utf-8") for path in GOLDEN.glob(f"{platform}/*/expected.conf")}
    made = {f"{plan} {way}": render(model(name, plan, way)) for name, plan, way in taken() if name == platform}
    return kept | made


def test_the_models_know_every_statement(platform: str) -> None:
    found = {name: findings(platform, text) for name, text in texts(platform).items()}
    assert len(found) >= 11 + 24
    assert {name: each for name, each in found.items() if each} == {}


def way(platform: str, before: str | None, after: str | None) -> str:
    """The transition; "" where a router cannot go there at once, which IOS-XE alone may say."""
    try:
        return transition(platform, before, after)
    except TransitionError:
        if platform != "iosxe":
            raise
        return ""


def test_the_models_know_every_statement_between_all_golden_texts(platform: str) -> None:
    """From each golden text to each other, from nothing, and back to nothing."""
    ends = [None, *(path.read_text(encoding="utf-8") for path in sorted(GOLDEN.glob(f"{platform}/*/expected.conf")))]
    ways = {text for before, after in product(ends, ends) if (text := way(platform, before, after))}
    assert len(ways) >= 100
    assert [each for text in ways for each in findings(platform, text)] == []


def test_the_models_know_every_statement_of_random_models(platform: str) -> None:
    @RANDOM
    @given(made=changed_models(platform))
    def judge(made: RouterModel) -> None:
        assume(not problems(made))
        assert findings(platform, render(made)) == []

    judge()


def test_the_models_know_every_statement_of_random_histories(platform: str) -> None:
    @RANDOM
    @given(history=histories(platform))
    def judge(history: list[EndState]) -> None:
        delivered = None
        for state in history:
            assert findings(platform, state.text) == []
            assert findings(platform, way(platform, delivered, state.text)) == []
            assert findings(platform, removal(platform, state.text)) == []
            delivered = state.text

    judge()


def misspelt(line: str) -> Iterator[str]:
    """The line with each of its words that are the vendor's misspelt, one after the other."""
    for word in WORD.finditer(line):
        if not CHOSEN.fullmatch(word[0]):
            yield f"{line[: word.end()]}x{line[word.end() :]}"


def too_large(line: str) -> Iterator[str]:
    """The line with each of its numbers out of every range, one after the other."""
    for word in WORD.finditer(line):
        if word[0].isdigit():
            yield f"{line[: word.start()]}{TOO_LARGE}{line[word.end() :]}"


def damaged(platform: str, damage: Callable[[str], Iterator[str]]) -> Iterator[tuple[str, str]]:
    """Each kind of statement damaged in each way: what it became, and the text that holds it."""
    seen = set()
    for text in texts(platform).values():
        lines = text.splitlines(keepends=True)
        for index, line in enumerate(lines):
            kind = CHOSEN.sub("X", line)
            if kind in seen or line.lstrip().startswith(("#", "!", "/*")):
                continue
            seen.add(kind)
            for wrong in damage(line):
                yield wrong, "".join([*lines[:index], wrong, *lines[index + 1 :]])


@pytest.mark.parametrize(("damage", "least"), [(misspelt, 60), (too_large, 20)])
def test_a_misspelt_word_and_a_number_out_of_range_are_found(
    platform: str, damage: Callable[[str], Iterator[str]], least: int
) -> None:
    every = dict(damaged(platform, damage))
    assert len(every) >= least
    missed = [line.strip() for line, text in every.items() if not findings(platform, text)]
    assert [line for line in missed if platform != "junos" or not UNJUDGED.fullmatch(line)] == []


def test_contradictions_are_found(platform: str) -> None:
    text = render(model(platform))
    for old, new in CONTRADICTIONS[platform]:
        assert old in text
        assert findings(platform, text.replace(old, new, 1)) != [], new
