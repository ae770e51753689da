"""A running configuration with commands typed into it, held against an emulated router that takes the same lines."""

import pytest

from hntes.platforms.device_errors import DeliveryError
from hntes.platforms.iosxe.apply_commands import typed
from hntes.platforms.iosxe.dialect import DIALECT as IOSXE
from hntes.platforms.render import render
from hntes.platforms.transition import transition
from tests.support.devices.cisco.iosxe import XeRouter
from tests.support.devices.cisco.iosxe_cli import XeTerminal
from tests.support.qos_models import PAIRS, PLANS, model

PORT = "interface TenGigabitEthernet0/0/1\n mtu 9000\n"


def on_a_router(*texts: str) -> str:
    """What an emulated router lists after all lines."""
    router = XeRouter("r1")
    terminal = XeTerminal(router, "hntes")
    terminal.enter("configure terminal")
    for line in "\n".join(texts).splitlines():
        printed = terminal.enter(line)
        assert "\n" not in printed, f"{line}: {printed}"
    return "".join(f"{line}\n" for line in router.running.lines())


@pytest.mark.parametrize(
    ("plan", "redirect"), [*((plan, "next_hop") for plan in PLANS), ("two_queue", "none"), ("two_queue", "lsp")]
)
def test_what_is_worked_out_is_what_a_router_holds(plan: str, redirect: str) -> None:
    before = render(model("iosxe", "two_queue", pairs=PAIRS[:4]))
    after = render(model("iosxe", plan, redirect, pairs=PAIRS[2:]))
    for old, new in ((None, before), (before, after), (after, None)):
        commands = transition("iosxe", old, new)
        running = on_a_router(PORT, old or "")
        worked_out, held = typed(running, commands), on_a_router(PORT, old or "", commands)
        assert IOSXE.owned(worked_out) == IOSXE.owned(held) == IOSXE.part_of(new)
        assert IOSXE.foreign(worked_out) == IOSXE.foreign(held) == IOSXE.foreign(running)


LIST = "ip access-list extended l\n 10 permit ip host 10.0.0.1 any\n 30 permit ip host 10.0.0.3 any\n"


def test_an_entry_stands_by_its_number_and_is_known_by_what_it_says() -> None:
    more = "ip access-list extended l\n 20 permit ip host 10.0.0.2 any\n 40 permit ip host 10.0.0.1 any\n"
    assert typed(LIST, more) == LIST.replace(" 30", " 20 permit ip host 10.0.0.2 any\n 30")
    assert typed(LIST, "ip access-list extended l\n no permit ip host 10.0.0.1 any\n").splitlines()[1:] == [
        " 30 permit ip host 10.0.0.3 any"
    ]


def test_an_address_is_found_in_capitals_as_well() -> None:
    running = "ipv6 access-list l\n permit ipv6 host 2001:DB8::1 any\n permit ipv6 host 2001:DB8::A any\n"
    assert (
        typed(running, "ipv6 access-list l\n no permit ipv6 host 2001:db8::a any\n") == running.rsplit(" permit", 1)[0]
    )


def test_a_policy_route_map_takes_the_place_of_another() -> None:
    port = "interface Gi1\n ip policy route-map a\n ip address 10.0.0.1 255.255.255.0\n"
    found = typed(port, "interface Gi1\n ip policy route-map b\n")
    assert found.splitlines() == ["interface Gi1", " ip address 10.0.0.1 255.255.255.0", " ip policy route-map b"]


@pytest.mark.parametrize(
    ("running", "command", "reason"),
    [
        (PORT, "no policy-map p", "would remove a missing object"),
        (PORT, "interface TenGigabitEthernet0/0/1\n no service-policy input p", "Ethernet0/0/1: `no service-policy"),
        (PORT + " service-policy input p\n", PORT + " service-policy input q\n", "input p` exists"),
        (LIST, "ip access-list extended l\n 10 permit ip any any\n", "two entries would have the same number"),
        ("permit ip any any\n", PORT, "cannot be parsed as a configuration"),
    ],
)
def test_what_a_router_would_refuse_is_refused(running: str, command: str, reason: str) -> None:
    with pytest.raises(DeliveryError, match=reason):
        typed(running, command)
