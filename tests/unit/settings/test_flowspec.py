"""The keys of [routers.flowspec]."""

from typing import Any

import pytest

from hntes.settings import Settings
from hntes.settings.flowspec import FlowSpec
from tests.support.qos_models import router

GOOD = {"speaker": "127.0.0.1:50051", "neighbor": "192.0.2.1", "dscp": 10, "community": "64512:17"}


def settings(*flowspecs: dict[str, Any], **changes: Any) -> Settings:
    routers = []
    for number, each in enumerate(flowspecs):
        made = router("junos", flowspec=each, name=f"r{number}", redirect=None).model_dump(exclude_unset=True)
        routers.append(made | {"flow_folder": f"flows/r{number}"} | changes)
    return Settings.model_validate({"routers": routers, "plans": PLANS})


PLANS = {"recommended": {"kind": "two_queue"}, "policed": {"kind": "wred_policer"}}


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"speaker": "unix:/run/gobgp/r1.sock"},
        {"speaker": "[::1]:50051", "neighbor": "2001:db8::1"},
        {"redirect": "64512:4294967295"},
        {"redirect": "4200000000:65535"},
        {"dscp": 47},
        {"probes": [["ping", "-c", "1", "192.0.2.1"]]},
    ],
)
def test_what_is_taken(changes: dict[str, Any]) -> None:
    assert settings(GOOD | changes).routers[0].is_reached


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"speaker": "192.0.2.9:50051"}, "loopback address"),
        ({"speaker": "localhost:50051"}, "loopback address"),
        ({"speaker": "127.0.0.1:0"}, "loopback address"),
        ({"speaker": "127.0.0.1"}, "loopback address"),
        ({"speaker": "unix:run/x"}, "loopback address"),
        ({"speaker": "dns:///x"}, "loopback address"),
        ({"neighbor": 1}, "in quotes"),
        ({"neighbor": "r1.example.net"}, "valid IPv4 address"),
        ({"dscp": 0}, "greater than or equal to 1"),
        ({"dscp": 48}, "less than or equal to 47"),
        ({"community": "65535:1"}, "well-known"),
        ({"community": "64512:65536"}, "16 bits"),
        ({"community": "64512"}, "ASN:NUMBER"),
        ({"community": "064512:1"}, "ASN:NUMBER"),
        ({"redirect": "65536:65536"}, "leaves 16 bits"),
        ({"redirect": "0:1"}, "ASN:NUMBER"),
        ({"probes": [["a\nb"]]}, "a.nb"),
        ({"dscps": 1}, "not permitted"),
    ],
)
def test_what_is_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        FlowSpec.model_validate(GOOD | changes)


def test_a_speaker_announces_to_one_router() -> None:
    with pytest.raises(ValueError, match=r"router r1: flowspec.speaker 127.0.0.1:50051 is that of router r0"):
        settings(GOOD, GOOD)
    settings(GOOD, GOOD | {"speaker": "127.0.0.1:50052"})


def test_a_plan_that_needs_a_policer_is_not_delivered_by_a_mark() -> None:
    with pytest.raises(ValueError, match="router r0: a FlowSpec mark selects a queue"):
        settings(GOOD, plan="policed")


def test_there_is_one_way_to_a_router() -> None:
    access = {"address": "192.0.2.1", "port": 830, "user": "hntes", "host_key": "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5"}
    with pytest.raises(ValueError, match=r"both \[routers.delivery\] and \[routers.flowspec\]"):
        settings(GOOD, delivery=access)
    with pytest.raises(ValueError, match=r"use flowspec\.redirect"):
        settings(GOOD, redirect={"kind": "next_hop", "ipv4": "192.0.2.7"})
