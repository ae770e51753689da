"""Rendered text: the same bytes for equal models, a head that names its model, templates that decide nothing."""

import copy
import re
from collections.abc import Iterator
from typing import Any

import pytest
from jinja2 import UndefinedError

from hntes.platforms import section as rendering
from hntes.platforms.flowspec_queues import queues_text
from hntes.platforms.platform import Platform
from hntes.platforms.registry import platform_of
from hntes.platforms.render import render
from hntes.platforms.section import Section, render_section
from hntes.platforms.validate import problems
from hntes.rules.qos.build import build_model
from hntes.rules.qos.json_form import from_json, model_hash, to_json
from hntes.rules.qos.model import ModelError, RouterModel
from hntes.settings.adopt import Adopt
from hntes.settings.plans import ThreeColorMarker, TwoQueue
from tests.contract.platform.models import all_models, redirects_of, supports
from tests.support.qos_models import PAIRS, PLANS, PREMIUM_PLANS, model, router

FLOWSPEC = {"speaker": "127.0.0.1:50051", "neighbor": "192.0.2.1", "dscp": 10, "community": "64512:17"}


def marked(platform: str, pairs: Any = PAIRS) -> RouterModel:
    return build_model(router(platform, redirect=None, flowspec=FLOWSPEC), PLANS["two_queue"], pairs)


@pytest.fixture
def all_sections(platform: str, monkeypatch: pytest.MonkeyPatch) -> list[Section]:
    """Sections of models that together use every template and every key."""
    found: list[Section] = []

    def noted(section: Section) -> str:
        found.append(section)
        return render_section(section)

    monkeypatch.setattr(rendering, "render_section", noted)
    plans = [*PLANS.values(), ThreeColorMarker(kind="three_color_marker", red_action="discard")]
    plans.append(TwoQueue(kind="two_queue", alpha_priority="strict-high"))
    for redirect in redirects_of(platform):
        for plan in plans:
            made = build_model(router(platform, redirect), plan, PAIRS)
            if not problems(made):
                render(made)
    if supports(platform, "premium"):
        render(model(platform, "premium"))
    if "adopt" in platform_of(platform).capabilities.router_keys:
        adopting = router(platform, "none").model_copy(update={"adopt": Adopt(policy="wan")})
        render(build_model(adopting, TwoQueue(kind="two_queue", alpha_share_pct=20), PAIRS))
    if not problems(marked(platform)):
        queues_text(marked(platform))
    return found


def key_paths(value: object, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The path of each key of a view, of lists the first item that has it."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield (*path, key)
            yield from key_paths(item, (*path, key))
    if isinstance(value, list):
        for index, item in enumerate(value):
            yield from key_paths(item, (*path, index))


def without(view: Any, path: tuple[Any, ...]) -> dict[str, Any]:
    reduced: dict[str, Any] = copy.deepcopy(dict(view))
    place: Any = reduced
    for step in path[:-1]:
        place = place[step]
    del place[path[-1]]
    return reduced


def test_each_template_refuses_a_view_that_lacks_a_key(all_sections: list[Section]) -> None:
    refused: dict[tuple[str, Any], bool] = {}
    for section in all_sections:
        for path in key_paths(dict(section.view)):
            key = (section.template, tuple(step for step in path if isinstance(step, str)))
            if refused.get(key):
                continue
            try:
                render_section(Section(section.template, without(section.view, path), section.folder))
                refused[key] = False
            except UndefinedError:
                refused[key] = True
    assert len(refused) >= 10
    # A class that is strict has no use for a queue limit: such keys are refused where they are printed.
    assert [key for key, yes in refused.items() if not yes] == []


def test_every_template_is_used_and_short(platform: str, all_sections: list[Section]) -> None:
    used = {section.template for section in all_sections}
    (folder,) = {section.folder / platform for section in all_sections}
    for path in sorted(folder.iterdir()):
        name = f"{platform}/{path.name}"
        text = path.read_text(encoding="utf-8")
        included = any(f'"{name}"' in other.read_text() for other in folder.iterdir())
        assert name in used or included, name
        assert len(text.splitlines()) <= 60, name
        assert not re.search(r"{{[^}]*[+*/%|<>-][^}]*}}", text), f"{name}: arithmetic or a filter"


@pytest.mark.parametrize("plan", sorted(PLANS))
def test_header_and_shape(platform: str, implementation: Platform, plan: str) -> None:
    if not supports(platform, plan):
        return
    text = render(model(platform, plan))
    reserved = ["reservations: 3"] if plan in PREMIUM_PLANS else []
    head = text.splitlines()[: 5 + len(reserved)]
    mark = head[0].split()[0]
    assert mark.startswith(implementation.dialect.comment)
    assert head == [
        f"{mark} {line}"
        for line in (
            f"HNTES candidate for router wr ({platform})",
            f"plan: {PLANS[plan].kind}",
            "prefix pairs: IPv4 5, IPv6 4",
            *reserved,
            f"model: {model_hash(model(platform, plan))}",
            "generator: hntes-render 5",
        )
    ]
    assert text.isascii()
    assert text.endswith("\n")
    assert "\n\n" not in text
    assert all(line == line.rstrip() for line in text.splitlines())


def test_equal_models_give_equal_bytes_and_are_known_as_candidates(platform: str, implementation: Platform) -> None:
    for name, made in all_models(platform):
        text = render(made)
        assert render(from_json(to_json(made))) == text, name
        assert implementation.dialect.is_to_be_loaded(text), name


def test_a_running_configuration_is_not_taken_for_a_candidate(implementation: Platform, case: Any) -> None:
    assert not implementation.dialect.is_to_be_loaded(case.running)


def test_ports_are_named_with_and_without_pairs(platform: str, case: Any) -> None:
    for pairs in (PAIRS, ()):
        text = render(model(platform, pairs=pairs))
        assert case.ports[1] in text
    assert "alpha-67f57fd0b6e2" not in render(model(platform, pairs=()))


def test_pairs_that_come_and_go_do_not_change_the_text_for_announced_pairs(platform: str) -> None:
    if refused := problems(marked(platform)):
        with pytest.raises(ModelError, match=re.escape(refused[0])):
            queues_text(marked(platform))
        return
    text = queues_text(marked(platform))
    assert text == queues_text(marked(platform, PAIRS[:1])) == queues_text(marked(platform, ()))
    assert "DSCP 10" in text


def test_a_model_without_a_mark_has_no_such_text(platform: str) -> None:
    with pytest.raises(ModelError, match="not delivered by FlowSpec"):
        queues_text(model(platform))
