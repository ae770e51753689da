"""Random histories beside an operator's own configuration: what was delivered never collides, and gives way whole."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hntes.platforms.conflict import CollisionError
from hntes.platforms.conflicts import check_conflicts
from hntes.platforms.expected import effective_of
from hntes.platforms.merged import read_merged
from hntes.platforms.render import render
from tests.contract.platform.case import PlatformCase, case_of
from tests.contract.platform.models import all_plans, redirects_of
from tests.support.examples import examples
from tests.support.histories import EndState, histories
from tests.support.qos_models import model


def test_what_has_nothing_to_do_with_a_plan_is_left_alone(platform: str, case: PlatformCase) -> None:
    for _, made in all_plans(platform):
        check_conflicts(made, case.running)


def test_what_was_delivered_before_is_no_collision(platform: str, case: PlatformCase) -> None:
    for redirect in redirects_of(platform):
        made = model(platform, redirect=redirect)
        check_conflicts(made, case.delivered(case.running, render(made)))


def test_a_port_that_is_not_there_is_a_collision(platform: str, case: PlatformCase) -> None:
    made = model(platform)
    (first, *others) = made.interfaces
    elsewhere = replace(made, interfaces=(replace(first, name=f"{first.name}9"), *others))
    with pytest.raises(CollisionError, match=f"{first.name}9.*is missing"):
        check_conflicts(elsewhere, case.running)


@given(data=st.data())
@examples(0.1)
def test_each_end_state_stands_beside_the_operators_statements_and_the_state_before(
    platform: str, data: st.DataObject
) -> None:
    case = case_of(platform)
    running = case.running
    for approved in data.draw(histories(platform)):
        assert approved.model is not None
        check_conflicts(approved.model, running)
        merged = read_merged(platform, approved.text, running, approved.model.interfaces)
        assert merged == effective_of(approved.model)
        running = case.delivered(case.running, approved.text)


@given(data=st.data())
@examples(0.1)
def test_a_statement_in_the_way_of_any_of_them_is_refused_with_its_line(platform: str, data: st.DataObject) -> None:
    case = case_of(platform)
    delivered: EndState
    delivered, approved = data.draw(histories(platform, states=2))
    assert approved.model is not None
    running = case.delivered(case.running, delivered.text) + case.in_the_way
    if not any(each.is_core and each.name == case.ports[1] for each in approved.model.interfaces):
        check_conflicts(approved.model, running)
        return
    with pytest.raises(CollisionError) as caught:
        check_conflicts(approved.model, running)
    (found,) = caught.value.collisions
    assert found.line == running.count("\n")
