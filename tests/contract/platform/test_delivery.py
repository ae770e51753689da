"""Delivery to an emulated router: shown, put on trial, confirmed, withdrawn; a trial that nobody confirms ends."""

from pathlib import Path

import pytest

from hntes.delivery.access import opener
from hntes.platforms.device_errors import DeliveryError
from hntes.platforms.platform import Platform
from tests.contract.platform.case import PlatformCase
from tests.support.devices.farm import Farm
from tests.support.pushes import Bench
from tests.support.qos_models import router

KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl"
ACCESS = {"address": "192.0.2.1", "port": 830, "user": "hntes", "host_key": KEY}


@pytest.fixture
def routed(case: PlatformCase, farm: Farm, tmp_path: Path) -> Bench:
    assert case.bench is not None
    return case.bench(farm, tmp_path)


@pytest.fixture(autouse=True)
def password(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HNTES_ROUTER_PASSWORD", "secret")


def test_there_is_an_emulated_router_where_hntes_delivers(case: PlatformCase, implementation: Platform) -> None:
    assert (case.bench is not None) is implementation.capabilities.delivers


def test_hntes_refuses_to_reach_a_router_where_it_does_not_deliver(platform: str, implementation: Platform) -> None:
    reached = router(platform, redirect=None, delivery={**ACCESS})
    if implementation.capabilities.delivers:
        assert callable(opener(reached, 1))
    else:
        with pytest.raises(DeliveryError, match=f"HNTES does not deliver to {platform}; let your own delivery"):
            opener(reached, 1)


def test_what_would_change_is_shown_and_nothing_changes(routed: Bench) -> None:
    pushed = routed.push(commit=False)
    assert pushed.outcome == "shown"
    assert pushed.difference
    assert routed.holds == "before"


def test_a_text_is_delivered_and_the_operators_statements_stay(routed: Bench, implementation: Platform) -> None:
    dialect = implementation.dialect
    others = dialect.foreign(routed.shown())
    assert routed.push().outcome == "done"
    assert routed.holds == routed.starts_with == "after"
    assert dialect.owned(routed.shown()) == dialect.part_of(routed.texts["after"])
    assert dialect.foreign(routed.shown()) == others
    assert routed.push(before="after").outcome == "held"


def test_a_router_goes_back_from_what_was_not_confirmed(routed: Bench) -> None:
    def refused() -> None:
        raise DeliveryError("a probe failed")

    routed.extra = refused
    with pytest.raises(DeliveryError, match="a probe failed"):
        routed.push()
    assert routed.holds == "before"


def test_counters_are_of_pairs_or_of_their_class_by_interface(
    routed: Bench, case: PlatformCase, implementation: Platform
) -> None:
    assert case.counted is not None
    name, interface = case.counted(routed)
    device = routed.opened()
    try:
        found = device.counters([f"{case.ports[0]}.100", case.ports[2]])
    finally:
        device.close()
    assert device.dialect.platform == case.name
    matched = [each for each in found if each.packets]
    assert [(each.name, each.interface, each.packets, each.bytes) for each in matched] == [(name, interface, 3, 4500)]
    assert (not interface) is (implementation.capabilities.counters == "pair")
    assert len(found) > 1
