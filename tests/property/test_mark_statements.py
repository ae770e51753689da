"""Each statement of marks, colours and their meters, damaged alone: no damage leaves the effective model as it was."""

from collections.abc import Iterator

import pytest

from hntes.platforms.parse import EffectiveModel, ParseError, parse_config
from hntes.platforms.render import render
from hntes.rules.qos.build import build_model
from hntes.rules.qos.model import RouterModel
from hntes.settings.plans import Plan, ThreeColorMarker, TwoQueue
from tests.contract.platform.models import taking
from tests.support.qos_models import PAIRS, router

PLAIN = TwoQueue(kind="two_queue")
MARKING: dict[str, Plan] = {
    "ecn": TwoQueue(kind="two_queue", alpha_ecn=True, alpha_ecn_from_pct=40),
    "single-rate": ThreeColorMarker(kind="three_color_marker", marker="single_rate"),
    "two-rate": ThreeColorMarker(kind="three_color_marker", marker="two_rate", red_action="discard"),
}
COMMENTS = ("#", "!", "/*", "end-")
# What each is of the plans that a platform's case may name as refused.
KINDS = {"ecn": "two_queue_ecn", "single-rate": "three_color_marker", "two-rate": "three_color_marker"}
# What holds when it is left out (platforms/cisco/parser/police.py); IOS-XE asks for the action of a second bucket.
DEFAULTS = {
    "junos": (),
    "iosxr": ("conform-action transmit", "violate-action drop"),
    "iosxe": ("conform-action transmit",),
}


def _model(platform: str, plan: Plan) -> RouterModel:
    return build_model(router(platform), plan, PAIRS[:2])


def _read(made_from: RouterModel, lines: list[str]) -> EffectiveModel | None:
    """What such a text says; None if it is refused."""
    try:
        return parse_config(made_from.platform, "\n".join(lines) + "\n", made_from.interfaces)
    except ParseError:
        return None


def _own_statements(platform: str, lines: list[str]) -> list[int]:
    """Where a plan says what two queues alone do not."""
    plain = {line.strip() for line in render(_model(platform, PLAIN)).splitlines()}
    bare = [line.strip() for line in lines]
    return [at for at, line in enumerate(bare) if line not in plain and not line.startswith(COMMENTS)]


def _damages(line: str) -> Iterator[tuple[str, list[str]]]:
    """A statement left out, with a word too many, with each number larger, and with each word another."""
    body, end = (line[:-1], line[-1]) if line[-1] in "{;" else (line, "")
    if end != "{":
        yield "left out", []
    yield "a word too many", [f"{body} unheard-of{end}"]
    words = body.split(" ")
    for at, word in enumerate(words):
        if word.strip("[]"):
            other = str(int(word) + 1) if word.isdigit() else f"{word}x"
            yield f"{word} is {other}", [" ".join([*words[:at], other, *words[at + 1 :]]) + end]


@pytest.mark.parametrize(("platform", "plan"), [(name, plan) for plan in MARKING for name in taking(KINDS[plan])])
def test_no_damage_to_a_statement_of_marks_or_colours_goes_unnoticed(platform: str, plan: str) -> None:
    made_from = _model(platform, MARKING[plan])
    lines = [line for line in render(made_from).splitlines() if not line.lstrip().startswith("/*")]
    original = _read(made_from, lines)
    assert original is not None
    own = _own_statements(platform, lines)
    unnoticed = [
        (lines[at].strip(), damage)
        for at in own
        for damage, instead in _damages(lines[at])
        if not (damage == "left out" and lines[at].strip() in DEFAULTS[platform])
        and _read(made_from, [*lines[:at], *instead, *lines[at + 1 :]]) == original
    ]
    assert len(own) >= 2
    assert unnoticed == []
