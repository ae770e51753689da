"""Delivery settings: nothing secret, and nothing that a shell or a connection could misread."""

from typing import Any

import pytest
from pydantic import ValidationError

from hntes.settings import Settings
from hntes.settings.delivery import Access, Delivery, require_canary
from tests.support.qos_models import router

KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl"
GIVEN: dict[str, Any] = {"address": "192.0.2.1", "port": 830, "user": "hntes", "host_key": KEY}


def test_a_key_with_its_remark_is_taken() -> None:
    assert Access.model_validate(GIVEN | {"host_key": f"{KEY} r1"}).host_key.split()[1] == KEY.split()[1]


@pytest.mark.parametrize(
    "wrong",
    [
        {"password": "secret"},
        {"host_key": ""},
        {"host_key": "ssh-ed25519"},
        {"host_key": "ssh-ed25519 AAAA"},
        {"host_key": KEY.replace("ssh-ed25519", "ssh-rsa")},
        {"address": "-oProxyCommand=x"},
        {"address": "a b"},
        {"user": "-l"},
        {"port": 0},
        {"probes": [[]]},
        {"probes": [["ping", "a\nb"]]},
        {"snmp": ""},
        {"snmp": "192.0.2.1:161;x"},
        {"snmp": "public@192.0.2.1"},
    ],
)
def test_what_cannot_be_meant_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        Access.model_validate(GIVEN | wrong)


@pytest.mark.parametrize("agent", ["192.0.2.1", "r1.example.net:1161", "2001:db8::1", "[2001:db8::1]:161"])
def test_an_agent_is_an_address_with_or_without_a_port(agent: str) -> None:
    assert Access.model_validate(GIVEN | {"snmp": agent}).snmp == agent


@pytest.mark.parametrize(
    "wrong",
    [
        {"max_cpu_pct": 0}, {"max_cpu_pct": 101}, {"max_memory_pct": 0}, {"every_s": 4}, {"every_s": 61},
        {"snmp": {"version": "3"}}, {"snmp": {"community": "public"}},
    ],
)  # fmt: skip
def test_limits_of_the_load_that_cannot_be_meant_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        Delivery.model_validate({"load": wrong})


NIGHT: dict[str, Any] = {"start": "22:00", "end": "04:00", "time_zone": "Europe/Berlin"}


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"time_zone": "Europe/Atlantis"}, "not a time zone"),
        ({"end": "22:00"}, "is empty"),
        ({"start": "24:00"}, "pattern"),
        ({"start": "7:00"}, "pattern"),
        ({"days": []}, "at least 1"),
        ({"days": ["monday"]}, "mon"),
        ({"time_zone": None}, "string"),
    ],
)
def test_a_window_that_cannot_be_meant_is_refused(wrong: dict[str, Any], said: str) -> None:
    with pytest.raises(ValidationError, match=said):
        Delivery.model_validate({"windows": [NIGHT | wrong]})


def test_a_window_must_name_its_zone() -> None:
    with pytest.raises(ValidationError, match="time_zone"):
        Delivery.model_validate({"windows": [{"start": "22:00", "end": "04:00"}]})


def test_a_window_shorter_than_a_trial_is_refused() -> None:
    with pytest.raises(ValidationError, match="shorter than confirm_minutes, 10"):
        Delivery.model_validate({"confirm_minutes": 10, "windows": [NIGHT | {"start": "23:55", "end": "00:04"}]})


def test_the_canary_is_a_router_that_is_reached() -> None:
    require_canary(Delivery(canary="r1"), ["r1"])
    with pytest.raises(
        ValueError, match=r"'r2' is not a router with \[routers.delivery\] or \[routers.flowspec\]; there are: r1"
    ):
        require_canary(Delivery(canary="r2"), ["r1"])


def test_two_routers_are_not_reached_at_one_address() -> None:
    """Each would hold the other's text, and a removal of one would take the other's away."""

    def settings(*given: dict[str, Any]) -> Settings:
        made = [
            router("junos", delivery=GIVEN | each, name=f"r{number}").model_dump(exclude_unset=True)
            | {"flow_folder": f"flows/r{number}"}
            for number, each in enumerate(given)
        ]
        return Settings.model_validate({"routers": made})

    for same in ({"address": "r.example.net"}, {"address": "R.example.net"}):
        with pytest.raises(
            ValidationError, match=r"router r1: delivery.address \S+ port 830 is also that of router r0"
        ):
            settings({"address": "r.example.net"}, same)
    settings({}, {"port": 831}, {"address": "192.0.2.2"})
