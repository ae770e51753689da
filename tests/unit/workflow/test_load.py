"""Whose processor and memory are watched, and how their agents are asked, by the settings."""

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from hntes.delivery.load_watch import LoadWatch
from hntes.delivery.timer import MonotonicTimer
from hntes.platforms.registry import platform_of
from hntes.settings import Settings
from hntes.settings.load import LoadLimits
from hntes.settings.snmp import SnmpAccess
from hntes.workflow.delivery import load
from hntes.workflow.delivery.load import is_watched, watch_of
from tests.support.qos_models import router

KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl"
ACCESS = {"address": "192.0.2.1", "port": 830, "user": "hntes", "host_key": KEY}
FLOWSPEC = {"speaker": "127.0.0.1:50051", "neighbor": "192.0.2.1", "dscp": 10, "community": "64512:17"}
POLLED = {"folder": "counters", "routers": {"wr": "192.0.2.8"}, "version": "3", "user": "poller"}
COUNTERS = {"source": "snmp", "snmp": POLLED}


def settings_of(**sections: Any) -> Settings:
    reached = sections.pop("reached", {"delivery": ACCESS})
    return Settings.model_validate({**sections, "routers": [router("junos", redirect=None, **reached)]})


def watched(settings: Settings) -> LoadWatch | None:
    found = watch_of(settings, settings.routers[0], MonotonicTimer())
    assert is_watched(settings, settings.routers[0]) is (found is not None)
    return found


def own(section: str, given: dict[str, Any]) -> dict[str, Any]:
    return {section: {**given, "snmp": "192.0.2.7:1161"}}


@pytest.mark.parametrize(
    ("sections", "agent"),
    [
        ({}, None),
        ({"delivery": {"load": {}}}, None),
        # whoever polls counters may have its secrets in another environment: deliveries do as before
        ({"counters": COUNTERS}, None),
        ({"counters": COUNTERS, "delivery": {"load": {}}}, ("192.0.2.8", "[delivery.load]")),
        ({"reached": own("delivery", ACCESS)}, ("192.0.2.7:1161", "`snmp` of router wr")),
        ({"reached": own("flowspec", FLOWSPEC)}, ("192.0.2.7:1161", "`snmp` of router wr")),
        ({"reached": own("delivery", ACCESS), "counters": COUNTERS}, ("192.0.2.7:1161", "`snmp` of router wr")),
    ],
)
def test_an_agent_is_the_routers_own_or_that_of_the_polled_counters(
    sections: dict[str, Any], agent: tuple[str, str] | None
) -> None:
    found = watched(settings_of(**sections))
    assert (found and (found.ask.args[2], found.address_key)) == agent  # type: ignore[attr-defined]


def test_a_platform_that_names_no_objects_is_not_watched(monkeypatch: pytest.MonkeyPatch) -> None:
    known = platform_of("junos").capabilities
    bare = SimpleNamespace(capabilities=replace(known, load=None))
    monkeypatch.setattr(load, "platform_of", lambda _: bare)
    assert watched(settings_of(reached=own("delivery", ACCESS))) is None


@pytest.mark.parametrize(
    ("sections", "version", "timeout_s"),
    [
        ({}, "2c", 5),
        ({"counters": COUNTERS}, "3", 5),
        ({"counters": COUNTERS, "delivery": {"load": {"snmp": {"timeout_s": 2}}}}, "2c", 2),
    ],
)
def test_access_is_the_loads_own_or_that_of_the_polled_counters(
    sections: dict[str, Any], version: str, timeout_s: int
) -> None:
    found = watched(settings_of(reached=own("delivery", ACCESS), **sections))
    assert found is not None
    access = found.ask.args[1]  # type: ignore[attr-defined]
    assert isinstance(access, SnmpAccess)
    assert (access.version, access.timeout_s) == (version, timeout_s)


def test_limits_are_85_and_90_percent_every_15_seconds_or_those_of_the_settings() -> None:
    by_default = watched(settings_of(reached=own("delivery", ACCESS)))
    chosen = watched(settings_of(reached=own("delivery", ACCESS), delivery={"load": {"max_cpu_pct": 70, "every_s": 5}}))
    assert by_default is not None
    assert chosen is not None
    assert by_default.limits == LoadLimits(max_cpu_pct=85, max_memory_pct=90, every_s=15)
    assert chosen.limits == LoadLimits(max_cpu_pct=70, max_memory_pct=90, every_s=5)
