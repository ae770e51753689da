"""What of an operator's configuration cannot stand beside HNTES on SR OS, each with its line."""

from dataclasses import replace

import pytest

from hntes.platforms.conflict import CollisionError
from hntes.platforms.conflicts import check_conflicts
from hntes.platforms.merged import read_merged
from hntes.platforms.render import render
from hntes.rules.qos.build import build_model
from hntes.rules.qos.model import RouterModel
from tests.contract.platform.cases.sros import RUNNING
from tests.support.qos_models import PAIRS, PLANS, model, router


def collisions(made: RouterModel, statements: str, running: str = RUNNING) -> list[str]:
    """Statements are flat, from `/configure` on, one a line."""
    text = running + "".join(f"/configure {line}\n" for line in statements.splitlines())
    try:
        check_conflicts(made, text)
    except CollisionError as refused:
        return [str(each) for each in refused.collisions]
    return []


def test_nothing_of_the_suite_conflicts() -> None:
    assert collisions(model("sros"), "") == []


@pytest.mark.parametrize(
    ("statements", "reason"),
    [
        ("router Base interface to-site ingress filter ip CUSTOMERS", "is in the place of hntes-alpha-v4"),
        ("router Base interface peer-1 ingress filter ipv6 CUSTOMERS", "is in the place of hntes-alpha-v6"),
        ("port 1/1/c2/1 ethernet network egress queue-policy wan", "is in the place of the policy hntes"),
        ("port 1/1/c3/1 ethernet egress port-scheduler-policy policy-name wan", "is in the place of the policy hntes"),
        ("port 1/1/c2/1 ethernet mode access", "is an access port"),
        ("qos network wan ingress dscp af41 fc h2", "packets marked af41 into class h2"),
        ("qos network wan ingress lsp-exp 4 fc h2", "packets marked 100 into class h2"),
        ("qos sap-ingress gold default-fc h2", "puts packets into class h2"),
        ("filter ip-filter own entry 10 action fc h2", "puts packets into class h2"),
        ("qos network wan ingress dscp ef fc ef", r"class ef, which has no queue of its own"),
    ],
)
def test_a_statement_in_the_way_is_refused_with_its_line(statements: str, reason: str) -> None:
    (found,) = collisions(model("sros"), statements)
    assert found.startswith(f"line {RUNNING.count(chr(10)) + 1}: ")
    assert reason in found


@pytest.mark.parametrize(
    "statements",
    [
        "router Base interface core-1 ingress filter ip CUSTOMERS",
        "router Base interface to-site egress filter ip CUSTOMERS",
        "port 1/1/c9/1 ethernet network egress queue-policy wan",
        "qos sap-ingress gold fc h2 queue 5",
        "qos network wan ingress dscp cs1 fc h2",
        "qos network wan ingress dscp nc2 fc nc",
        "qos network wan egress fc h2 lsp-exp-in-profile 4",
    ],
)
def test_what_does_not_meet_a_plan_is_left_alone(statements: str) -> None:
    assert collisions(model("sros"), statements) == []


def test_the_default_policy_puts_video_into_the_class_of_the_pairs() -> None:
    """Its table is in the Quality of Service Guide; l2 has CS1 alone, which is bulk (RFC 8622 and RFC 4594)."""
    default = RUNNING.replace('network-policy "wan"', 'network-policy "default"')
    (found,) = collisions(model("sros"), "", default)
    assert "af41, af42, af43" in found
    assert "set [routers.queues]" in found
    bulk = build_model(router("sros", queues={"alpha": 1}), PLANS["two_queue"], PAIRS)
    assert collisions(bulk, "", default) == []


def test_places_are_those_of_the_router() -> None:
    made = model("sros")
    first, *others = made.interfaces
    for changes, reason in (
        ({"unit": 101}, "is on 1/1/c1/1:100, not on 1/1/c1/1:101"),
        ({"logical": "to-nowhere"}, "router Base interface to-nowhere: is missing"),
    ):
        found = collisions(replace(made, interfaces=(replace(first, **changes), *others)), "")
        assert any(reason in each for each in found), found
    service = "service vprn RED interface to-cea sap 1/1/c1/1:100"
    found = collisions(replace(made, interfaces=(replace(first, logical="to-cea"), *others)), service)
    assert any("is an interface of a service" in each for each in found), found


# The core port in a LAG, which has the router interface in place of the port.
ON_LAG = RUNNING.replace("            port 1/1/c2/1\n", "            port lag-1\n").replace(
    "    qos {\n        network",
    "    lag lag-1 {\n        port 1/1/c2/1 {\n        }\n    }\n    qos {\n        network",
    1,
)


def reasons(made: RouterModel, running: str) -> list[str]:
    merged = read_merged("sros", render(made), running, made.interfaces, keeps_classes=False)
    return [each.text for each in merged.unparsed if each.is_reason]


def test_what_enters_by_a_lag_of_a_core_port_may_use_the_class_of_the_pairs() -> None:
    edge, core, both = router("sros").interfaces
    tables = (edge, core.model_copy(update={"logical": None}), both)
    made = build_model(router("sros").model_copy(update={"interfaces": tables}), PLANS["two_queue"], PAIRS)
    assert collisions(made, "", ON_LAG) == []
    part, _, rest = ON_LAG.partition('interface "core-1" {')
    without = rest.replace('            qos {\n                network-policy "wan"\n            }\n', "", 1)
    (found,) = collisions(made, "", f'{part}interface "core-1" {{{without}')
    assert "interface core-1 qos network-policy default" in found


def test_a_service_on_a_lag_of_a_core_port_has_queues_of_its_own_there() -> None:
    made = model("sros")
    assert reasons(made, ON_LAG) == []
    for place in ("lag-1:7", "1/1/c2/1:7"):
        service = f"/configure service vprn own interface a sap {place}\n"
        assert reasons(made, ON_LAG + service) == ["service vprn own"]
    assert reasons(made, f"{ON_LAG}/configure service vprn own interface a sap lag-2:7\n") == []


def test_what_is_set_at_a_port_of_the_edges_lag_is_set_at_the_edge() -> None:
    edge = router("sros").interfaces[0].model_copy(update={"name": "lag-1", "unit": 0})
    tables = (edge, *router("sros").interfaces[1:])
    made = build_model(router("sros").model_copy(update={"interfaces": tables}), PLANS["two_queue"], PAIRS)
    running = RUNNING.replace("            port 1/1/c1/1:100\n", "            port lag-1\n").replace(
        "    qos {\n        network",
        "    lag lag-1 {\n        port 1/1/c1/1 {\n        }\n    }\n    qos {\n        network",
        1,
    )
    assert reasons(made, running) == []
    statement = "/configure port 1/1/c1/1 ethernet network ingress queue-group own\n"
    assert reasons(made, running + statement) == ["port 1/1/c1/1 ethernet"]
