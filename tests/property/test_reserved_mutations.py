"""Each statement of a reservation, damaged alone: refused, found by comparing, or explained as without effect."""

import re
from collections import Counter
from collections.abc import Iterator
from difflib import SequenceMatcher

import pytest

from hntes.platforms.compare import differences
from hntes.platforms.expected import effective_of
from hntes.platforms.parse import ParseError, parse_config
from hntes.platforms.render import render
from hntes.rules.qos.build import build_model
from tests.contract.platform.models import taking
from tests.support.explained_damage import explanation
from tests.support.qos_models import PAIRS, PLANS, PREMIUM_PLANS, model, router
from tests.support.text_mutations import Mutant

_NUMBER = re.compile(r"(?<![\w.:/-])\d+(?![\w.:/-])")
_WORD = re.compile(r"[A-Za-z][A-Za-z0-9_-]+")
_PREFIX = re.compile(r"(?<![\w.:])(\d+\.\d+\.)(\d+)(\.\d+)|([0-9a-f]+:[0-9a-f]+:)([0-9a-f])(::)")


def damages(text: str, without: str) -> Iterator[Mutant]:
    """Every line that a text without reservations does not have: left out, doubled, and each word of it changed."""
    lines = text.splitlines()
    matcher = SequenceMatcher(None, without.splitlines(), lines, autojunk=False)
    own = [index for tag, _, _, first, last in matcher.get_opcodes() if tag != "equal" for index in range(first, last)]
    for index in own:
        line = lines[index]
        made = [("left out", []), ("doubled", [line, line]), *(("changed", [one]) for one in others(line))]
        for kind, changed in made:
            yield Mutant(kind, (index,), "\n".join([*lines[:index], *changed, *lines[index + 1 :]]) + "\n")


def others(line: str) -> Iterator[str]:
    for found in _NUMBER.finditer(line):
        yield f"{line[: found.start()]}{int(found.group()) + 1}{line[found.end() :]}"
    for found in _WORD.finditer(line):
        yield f"{line[: found.start()]}{found.group()}x{line[found.end() :]}"
    for found in _PREFIX.finditer(line):
        head, digit, tail = (each for each in found.groups() if each is not None)
        yield f"{line[: found.start()]}{head}{int(digit, 16) ^ 1}{tail}{line[found.end() :]}"


def shown(text: str) -> str:
    """The statements; beside the comment of its pair every damaged address of Junos would be refused for that."""
    return "".join(f"{line}\n" for line in text.splitlines() if not line.lstrip().startswith(("#", "/*", "! ")))


@pytest.mark.parametrize(("platform", "plan"), [(name, plan) for plan in PREMIUM_PLANS for name in taking(plan)])
def test_no_damage_to_a_reservation_passes_unexplained(platform: str, plan: str) -> None:
    made = model(platform, plan)
    text = shown(render(made))
    plain = shown(render(build_model(router(platform), PLANS[plan], PAIRS)))
    expected = effective_of(made)
    fates: Counter[str] = Counter()
    unexplained = []
    for damage in damages(text, plain):
        try:
            found = parse_config(made.platform, damage.text, made.interfaces)
        except ParseError:
            fates["refused"] += 1
            continue
        if differences(found, expected):
            fates["found"] += 1
            continue
        why = explanation(platform, text, damage)
        fates[f"without effect: {why}"] += 1
        if why is None:
            unexplained.append((damage.kind, text.splitlines()[damage.lines[0]]))
    print(platform, plan, dict(fates))
    assert differences(parse_config(made.platform, text, made.interfaces), expected) == []
    assert fates["refused"] > 30
    assert fates["found"] > 10
    assert unexplained == []
