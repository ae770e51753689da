"""Transitions between delivered texts: they lead where they say, and a removal leaves what the operator had."""

from contextlib import suppress

from hypothesis import given
from hypothesis import strategies as st

from hntes.platforms.platform import Platform
from hntes.platforms.render import render
from hntes.platforms.transition import removal, transition
from hntes.platforms.transition_errors import TransitionError
from tests.contract.platform.case import PlatformCase, case_of
from tests.contract.platform.models import all_models, redirects_of
from tests.support.examples import examples
from tests.support.histories import histories
from tests.support.qos_models import PAIRS, model


def commands(text: str, comment: str) -> list[str]:
    return [line for line in text.splitlines() if not line.startswith(comment)]


def test_a_removal_leaves_nothing_of_any_text(platform: str, case: PlatformCase) -> None:
    empty = case.after(case.running)
    for name, made in all_models(platform):
        text = render(made)
        assert case.after(case.running, transition(platform, None, text)) != empty, name
        assert case.after(case.running, transition(platform, None, text), removal(platform, text)) == empty, name


def test_pairs_that_come_and_go_lead_to_the_approved_text(platform: str, case: PlatformCase) -> None:
    for redirect in redirects_of(platform):
        old, new = (render(model(platform, redirect=redirect, pairs=pairs)) for pairs in (PAIRS[:5], PAIRS[3:]))
        wanted = case.after(case.running, transition(platform, None, new))
        assert case.after(case.running, transition(platform, None, old), transition(platform, old, new)) == wanted


@given(data=st.data())
@examples(0.3)
def test_each_text_of_a_history_follows_the_one_before(platform: str, data: st.DataObject) -> None:
    """A platform may refuse a step that has no safe order; the operator then withdraws first."""
    case = case_of(platform)
    steps: list[str] = []
    delivered: str | None = None
    for approved in data.draw(histories(platform)):
        with suppress(TransitionError):
            steps.append(transition(platform, delivered, approved.text))
            delivered = approved.text
            wanted = case.after(case.running, transition(platform, None, approved.text))
            assert case.after(case.running, *steps) == wanted
    assert delivered is not None
    assert case.after(case.running, *steps, removal(platform, delivered)) == case.after(case.running)


def test_the_head_names_both_texts_and_is_no_command(platform: str, implementation: Platform) -> None:
    old, new = render(model(platform, pairs=PAIRS[:3])), render(model(platform))
    comment = implementation.dialect.comment
    head = transition(platform, old, new).splitlines()[:2]
    assert head[0].startswith(f"{comment} HNTES transition from ")
    assert head[1].startswith(f"{comment} to ")
    assert len({head[0].split()[-1], head[1].split()[-1]}) == 2
    assert removal(platform, new).splitlines()[1] == f"{comment} to nothing"


def test_the_dialect_parts_a_configuration_into_hntes_own_and_the_operators(
    implementation: Platform, platform: str, case: PlatformCase
) -> None:
    dialect = implementation.dialect
    assert dialect.owned(case.running) == dialect.part_of(None)
    for name, made in all_models(platform):
        text = render(made)
        listed = case.delivered(case.running, text)
        assert dialect.owned(listed) == dialect.part_of(text), name
        assert dialect.foreign(listed) == dialect.foreign(case.running), name
        assert dialect.part_of(text).changes(dialect.part_of(text)) == []


def test_the_commands_of_a_delivery_are_those_of_the_transition(platform: str, implementation: Platform) -> None:
    dialect = implementation.dialect
    old, new = render(model(platform, pairs=PAIRS[:3])), render(model(platform))
    for before, after in ((None, new), (old, new), (new, None)):
        holds = dialect.part_of(before)
        made = dialect.commands(before, holds, after)
        assert commands("\n".join(made), dialect.comment) == commands(
            transition(platform, before, after), dialect.comment
        )


def test_what_a_router_holds_is_enough_to_withdraw_it(
    platform: str, implementation: Platform, case: PlatformCase
) -> None:
    dialect = implementation.dialect
    text = render(model(platform))
    made = dialect.commands(None, dialect.part_of(text), None)
    loaded = transition(platform, None, text)
    assert case.after(case.running, loaded, "".join(f"{line}\n" for line in made)) == case.after(case.running)
