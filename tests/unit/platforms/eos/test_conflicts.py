"""What of an operator's configuration cannot stand beside HNTES on EOS, each with its line."""

import pytest

from hntes.platforms.conflict import CollisionError
from hntes.platforms.conflicts import check_conflicts
from hntes.rules.qos.build import build_model
from hntes.rules.qos.model import RouterModel
from tests.contract.platform.cases.eos import RUNNING
from tests.support.qos_models import PAIRS, PLANS, model, router

BY_DEFAULT = "\n".join(line for line in RUNNING.splitlines() if not line.startswith("qos map")) + "\n"


def collisions(made: RouterModel, statements: str, running: str = RUNNING) -> list[str]:
    try:
        check_conflicts(made, running + statements)
    except CollisionError as refused:
        return [str(each) for each in refused.collisions]
    return []


def on_queues(**numbers: int) -> RouterModel:
    return build_model(router("eos", queues={"premium": 2, **numbers}), PLANS["two_queue"], PAIRS)


def test_nothing_of_the_suite_conflicts() -> None:
    assert collisions(model("eos"), "") == []


@pytest.mark.parametrize(
    ("statements", "reason"),
    [
        ("interface Ethernet1/1.100\n   traffic-policy input OWN\n", "an interface has one traffic policy"),
        ("interface Ethernet1/1\n   traffic-policy input OWN\n", "may also classify what enters by Ethernet1/1.100"),
        ("interface Ethernet3/1\n   service-policy type qos input OWN\n", "would both set the traffic class"),
        ("interface Ethernet2/1\n   service-profile OWN\n", "a port has one QoS profile"),
        ("interface Ethernet2/1\n   tx-queue 1\n", "queues Ethernet2/1 beside HNTES' QoS profile"),
        ("interface Ethernet2/1\n   shape rate 10 percent\n", "queues Ethernet2/1 beside HNTES' QoS profile"),
        ("interface Ethernet2/1.7\n   shape rate 10 percent\n", "queues a subinterface of Ethernet2/1 separately"),
        ("interface Ethernet2/1\n   channel-group 7 mode active\n", "a member of Port-Channel7"),
        ("qos map traffic-class 4 to tx-queue 2\n", "moves traffic classes to other tx-queues"),
        ("qos map dscp 46 to traffic-class 4\n", "packets marked ef into class 4, in which"),
        ("qos map dscp 0 to traffic-class 3\n", "puts unmarked packets into traffic class 3"),
        ("qos map dscp 18 20 22 to traffic-class 2\n", "becomes round-robin, since tx-queue 4"),
        ("policy-map type quality-of-service OWN\n   class X\n      set traffic-class 4\n", "puts packets into class"),
    ],
)
def test_a_statement_in_the_way_is_refused_with_its_line(statements: str, reason: str) -> None:
    (found,) = collisions(model("eos"), statements)
    first, last = RUNNING.count("\n") + 1, RUNNING.count("\n") + statements.count("\n")
    assert first <= int(found.split(":")[0].removeprefix("line ")) <= last
    assert reason in found


@pytest.mark.parametrize(
    "statements",
    [
        "interface Ethernet1/1.100\n   traffic-policy output OWN\n",
        "interface Ethernet1/1.100\n   ip access-group guard in\n",
        "interface Ethernet1/1.200\n   traffic-policy input OWN\n",
        "interface Ethernet9/1\n   service-profile OWN\n",
        "interface Ethernet2/1\n   traffic-policy input OWN\n",
        "qos map dscp 8 10 12 14 to traffic-class 4\n",
        "qos map dscp 46 to traffic-class 5\n",
        "qos map traffic-class 4 to tx-queue 4\n",
        "qos map traffic-class 4 to cos 7\n",
        "traffic-policies\n   traffic-policy O\n      match a ipv4\n         actions\n            set traffic class 6",
        "banner login\ninterface Ethernet2/1\n   service-profile OWN\nEOF\n",
    ],
)
def test_what_touches_nothing_of_a_plan_stays(statements: str) -> None:
    assert collisions(model("eos"), statements) == []


def test_the_default_maps_are_refused_unless_the_pairs_are_in_the_class_of_bulk() -> None:
    """CS1 and AF1x are in traffic class 0 by default; what is above best effort stays strict."""
    assert any("qos map dscp (by default)" in each and "queue 1 is traffic class 0" in each
               for each in collisions(on_queues(), "", BY_DEFAULT))  # fmt: skip
    assert collisions(on_queues(alpha=1, network_control=6), "", BY_DEFAULT) == []


def test_bits_of_labels_and_of_frames_count_where_they_are_read() -> None:
    made = on_queues(alpha=4, network_control=3)
    trusted = "qos profile X\n   qos trust cos\n!\nqos map cos 5 to traffic-class 4\n"
    assert collisions(made, "qos map exp 5 to traffic-class 4\n") == []
    assert any("101" in each for each in collisions(made, "mpls ip\nqos map exp 5 to traffic-class 4\n"))
    assert any("101" in each for each in collisions(made, trusted))


def test_an_edge_that_bridges_is_refused() -> None:
    running = RUNNING.replace("interface Ethernet3/1\n   no switchport\n", "interface Ethernet3/1\n")
    (found,) = collisions(model("eos"), "", running)
    assert "is a switchport" in found
    assert collisions(model("eos"), "switchport default mode routed\n", running) == []


@pytest.mark.parametrize(
    ("statements", "reason"),
    [
        ("interface Ethernet1/1.100\n   ip address 192.0.2.2/30 secondary\n", "packets would loop back"),
        ("interface Ethernet1/1.100\n   vrf RED\n", "is in a VRF"),
    ],
)
def test_a_redirect_that_cannot_leave_is_refused(statements: str, reason: str) -> None:
    (found,) = collisions(model("eos", redirect="next_hop"), statements)
    assert reason in found
