"""Groups that are applied around what is judged: HNTES does not expand them."""

import pytest

from hntes.platforms.errors import ParseError
from hntes.platforms.merged import read_merged
from hntes.platforms.render import render
from tests.contract.platform.cases.sros import RUNNING
from tests.support.qos_models import model

MADE = model("sros")


def merged(*statements: str) -> None:
    running = RUNNING + "".join(f"/configure {each}\n" for each in statements)
    read_merged("sros", render(MADE), running, MADE.interfaces)


@pytest.mark.parametrize(
    ("group", "place"),
    [
        ('groups group base log log-id "7" source main true', "apply-groups base"),
        ('groups group base router "<.*>" autonomous-system 65000', "apply-groups base"),
        ('groups group base router "Base" bgp group "x" type internal', "router Base apply-groups base"),
        # applied below the router, so that only what it says of routers holds
        ('groups group base port "<.*>" ethernet network egress queue-policy own', "router Base apply-groups base"),
    ],
)
def test_a_group_without_a_word_of_what_is_judged_stays(group: str, place: str) -> None:
    merged(group, place)


@pytest.mark.parametrize(
    ("group", "place", "stated"),
    [
        ('groups group base port "<.*>" ethernet network egress queue-policy own', "apply-groups base", "port"),
        ("groups group base card 1 fp 1 egress wred-queue-control", "apply-groups base", "card"),
        ('groups group base router "<.*>" interface "x" cpu-protection 1', "apply-groups base", "router interface"),
        ('groups group base router "<.*>" interface "x" port 1/1/c9/1', "router Base apply-groups base", "router"),
        ('groups group other log log-id "7" source main true', "apply-groups base", "is not in the file"),
    ],
)
def test_a_group_that_may_change_what_is_judged_is_refused_where_it_is_applied(
    group: str, place: str, stated: str
) -> None:
    with pytest.raises(ParseError, match=stated) as refused:
        merged(group, place)
    assert refused.value.text.endswith("apply-groups base")
