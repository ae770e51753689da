"""Random histories beside an operator's own configuration: what was delivered never collides, and gives way whole."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hntes.platforms.conflict import CollisionError
from hntes.platforms.conflicts import check_beside
from hntes.platforms.expected import effective_of
from hntes.platforms.merged import read_merged
from hntes.platforms.transition import transition
from tests.support.examples import examples
from tests.support.histories import EndState, histories
from tests.support.qos_models import PLATFORMS, PORTS
from tests.unit.platforms.conflicts.test_check import RUNNING

# The sample of an operator's, without what some end states of the histories meet: numbers, and a list on a core port.
OPERATORS = {
    platform: text.replace("class network-control queue-num 3;", "")
    .replace("192.0.2.9", "192.0.2.21")
    .replace("address 192.0.2.13/30; }", "address 192.0.2.13/30; } family inet6;")
    .replace("set qos-group 7", "set dscp ef")
    .replace(" ipv4 access-group customers egress\n", "")
    .replace(" ip access-group customers egress\n", "")
    for platform, text in RUNNING.items()
}
# One more statement of the operator's in a place of HNTES's on the second port, which is edge, core or both.
IN_THE_WAY = {
    "junos": "class-of-service { interfaces { xe-0/0/1 { scheduler-map own; } } }\n",
    "iosxr": f"interface {PORTS['iosxr'][1]}\n service-policy output own\n",
    "iosxe": f"interface {PORTS['iosxe'][1]}\n service-policy output own\n",
}


def after_delivery(platform: str, delivered: EndState) -> str:
    """What the router lists once this was delivered."""
    if platform == "junos":
        group = transition("junos", None, delivered.text).replace("    replace: hntes {", "    hntes {")
        return OPERATORS[platform] + group
    return OPERATORS[platform] + "".join(
        f"{line}\n" for line in delivered.text.splitlines() if not line.startswith(("no ", "!"))
    )


@pytest.mark.parametrize("platform", PLATFORMS)
@given(data=st.data())
@examples(0.1)
def test_each_end_state_stands_beside_the_operators_statements_and_the_state_before(
    platform: str, data: st.DataObject
) -> None:
    running = OPERATORS[platform]
    for approved in data.draw(histories(platform)):
        assert approved.model is not None
        check_beside(approved.model, running)
        merged = read_merged(approved.model.platform, approved.text, running, approved.model.interfaces)
        assert merged == effective_of(approved.model)
        running = after_delivery(platform, approved)


@pytest.mark.parametrize("platform", PLATFORMS)
@given(data=st.data())
@examples(0.1)
def test_a_statement_in_the_way_of_any_of_them_is_refused_with_its_line(platform: str, data: st.DataObject) -> None:
    delivered, approved = data.draw(histories(platform, states=2))
    assert approved.model is not None
    running = after_delivery(platform, delivered) + IN_THE_WAY[platform]
    if not any(each.is_core and each.name == PORTS[platform][1] for each in approved.model.interfaces):
        check_beside(approved.model, running)
        return
    with pytest.raises(CollisionError) as caught:
        check_beside(approved.model, running)
    (found,) = caught.value.collisions
    assert found.line == running.count("\n")
