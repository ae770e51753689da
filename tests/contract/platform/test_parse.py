"""Rendered text is parsed back into the model, for every platform, plan and redirect."""

import re

from hypothesis import assume, given
from hypothesis import strategies as st

from hntes.platforms.compare import differences
from hntes.platforms.expected import effective_of
from hntes.platforms.merged import read_merged
from hntes.platforms.parse import ParseError, parse_config
from hntes.platforms.render import render
from hntes.platforms.structure import check_structure
from hntes.platforms.validate import problems
from hntes.rules.pairs import PrefixPair
from hntes.rules.qos.build import build_model
from hntes.rules.qos.model import RouterModel
from tests.contract.platform.case import PlatformCase
from tests.contract.platform.models import all_models, changed_models, redirects_of, supported_plans, supports
from tests.support.qos_models import PAIRS, PLANS, model, router
from tests.support.qos_strategies import pair_sets


def build(pairs: list[PrefixPair], platform: str, plan: str = "two_queue", redirect: str = "none") -> RouterModel:
    return build_model(router(platform, redirect), PLANS[plan], pairs)


def test_every_plan_and_redirect_says_what_its_model_says(platform: str) -> None:
    for name, made in all_models(platform):
        found = parse_config(platform, render(made), made.interfaces)
        assert differences(found, effective_of(made)) == [], name
        assert found.platform == platform


def test_the_pairs_and_no_others_get_to_the_alpha_queue(platform: str) -> None:
    for redirect in redirects_of(platform):
        made = model(platform, redirect=redirect)
        found = parse_config(platform, render(made), made.interfaces)
        assert check_structure(found, PAIRS, alpha_queue=4, is_redirected=redirect != "none") == []


@given(data=st.data(), pairs=pair_sets() | st.just([]))
def test_the_text_says_what_the_model_says(platform: str, data: st.DataObject, pairs: list[PrefixPair]) -> None:
    plan = data.draw(st.sampled_from(supported_plans(platform)))
    made = build(pairs, platform, plan, data.draw(st.sampled_from(redirects_of(platform))))
    assert parse_config(platform, render(made), made.interfaces) == effective_of(made)


@given(data=st.data())
def test_models_of_other_numbers_are_parsed_too(platform: str, data: st.DataObject) -> None:
    made = data.draw(changed_models(platform))
    assume(not problems(made))
    assert parse_config(platform, render(made), made.interfaces) == effective_of(made)


def test_each_damage_of_the_case_is_seen(platform: str, case: PlatformCase) -> None:
    made = model(platform)
    text = render(made)
    for old, new in case.damages:
        assert old in text, old
        try:
            found = parse_config(platform, text.replace(old, new), made.interfaces)
        except ParseError:
            continue
        assert differences(found, effective_of(made)) != [], (old, new)


def test_a_line_that_is_taken_away_is_seen(platform: str, case: PlatformCase) -> None:
    """By a refusal, or in what the text does; but for lines that say what holds anyway."""
    made = model(platform, pairs=PAIRS[:3])
    lines = render(made).splitlines()
    unseen = []
    for index, line in enumerate(lines):
        text = "".join(f"{each}\n" for each in (*lines[:index], *lines[index + 1 :]))
        try:
            found = parse_config(platform, text, made.interfaces)
        except ParseError:
            continue
        if not differences(found, effective_of(made)) and not re.fullmatch(case.silent, line):
            unseen.append(line)
    assert unseen == []


def test_a_delivered_text_does_the_same_in_the_operators_configuration(platform: str, case: PlatformCase) -> None:
    for redirect in redirects_of(platform):
        made = model(platform, redirect=redirect)
        assert read_merged(platform, render(made), case.running, made.interfaces) == effective_of(made)
        other = next(each for each in ("wred_policer", "recommended") if supports(platform, each, redirect))
        earlier = case.delivered(case.running, render(model(platform, other, redirect)))
        assert read_merged(platform, render(made), earlier, made.interfaces) == effective_of(made)
