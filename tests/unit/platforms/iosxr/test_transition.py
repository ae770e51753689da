"""Transitions in one commit: what an earlier plan needed is gone, and what does not change is not touched."""

import pytest

from hntes.platforms.render import render
from hntes.platforms.transition import removal, transition
from tests.support.ios_lines import Configuration, RefusedError, committed
from tests.support.qos_models import PAIRS, model

IPV4 = [pair for pair in PAIRS if pair.ip_version == 4]


def on_a_new_router(text: str) -> Configuration:
    return committed(Configuration(), "".join(f"{line}\n" for line in text.splitlines() if not line.startswith("no ")))


def commands(text: str) -> list[str]:
    return [line for line in text.splitlines() if not line.startswith("!")]


def test_classes_of_an_earlier_plan_go() -> None:
    """Loaded over the scavenger plan, the end state of two queues alone would ask for 101 per cent."""
    old, new = render(model("iosxr", "scavenger_policer")), render(model("iosxr"))
    running = on_a_new_router(old)
    with pytest.raises(RefusedError, match="101 per cent"):
        committed(running, new)
    after = committed(running, transition("iosxr", old, new))
    assert after.shown() == on_a_new_router(new).shown()
    assert "hntes-queue-scavenger" not in after.shown()


def test_the_last_pair_of_a_family_goes_with_its_list() -> None:
    old, new = render(model("iosxr")), render(model("iosxr", pairs=IPV4))
    assert commands(transition("iosxr", old, new)) == [
        "no class-map match-any hntes-alpha",
        "class-map match-any hntes-alpha",
        " match access-group ipv4 hntes-alpha-v4",
        " end-class-map",
        "no ipv6 access-list hntes-alpha-v6",
    ]


def test_one_pair_less_is_one_entry_less() -> None:
    old, new = render(model("iosxr", pairs=IPV4)), render(model("iosxr", pairs=IPV4[1:]))
    assert commands(transition("iosxr", old, new)) == ["ipv4 access-list hntes-alpha-v4", " no 134892620"]


@pytest.mark.parametrize("redirect", ["none", "next_hop", "lsp"])
def test_a_removal_leaves_an_empty_router(redirect: str) -> None:
    text = render(model("iosxr", "three_color_marker", redirect))
    assert committed(on_a_new_router(text), removal("iosxr", text)).shown() == ""


def test_reservations_come_and_go_with_their_classes_and_lists() -> None:
    plain, reserved = render(model("iosxr")), render(model("iosxr", "premium"))
    running = on_a_new_router(plain)
    for old, new in ((plain, reserved), (reserved, plain)):
        running = committed(running, transition("iosxr", old, new))
        assert running.shown() == on_a_new_router(new).shown()
    assert "premium" not in running.shown()
    assert committed(on_a_new_router(reserved), removal("iosxr", reserved)).shown() == Configuration().shown()
