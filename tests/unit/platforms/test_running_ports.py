"""Rates and addresses of ports in running configurations; expected values are of the vendors' references."""

from collections.abc import Callable

import pytest

from hntes.platforms.cisco.inventory import running_inventory as read_cisco
from hntes.platforms.junos.inventory import running_inventory as read_junos
from hntes.platforms.running_ports import RunningRouter

BUNDLE = (
    "ae1 { unit 0 { family inet; } } xe-0/0/1 { gigether-options { 802.3ad ae1; } }"
    " et-0/0/2 { speed 100g; ether-options { 802.3ad { ae1; } } }"
)
IP = " ip address 192.0.2.1 255.255.255.252\n"
CHANNEL = (
    f"interface Port-channel5\n{IP}!\ninterface TenGigabitEthernet0/0/1\n channel-group 5 mode active\n!\n"
    "interface TenGigabitEthernet0/0/2\n channel-group 5\n"
)


def junos(text: str) -> RunningRouter | None:
    return read_junos(text)


def rates(found: RunningRouter | None) -> dict[str, int | None]:
    assert found is not None
    return {port.name if port.unit is None else f"{port.name}.{port.unit}": port.rate_bps for port in found.ports}


@pytest.mark.parametrize(
    ("statements", "expected"),
    [
        ("xe-0/0/0 { unit 7 { family inet; } }", {"xe-0/0/0.7": 10**10}),
        ("ge-0/0/0 { unit 0 { family inet6; } }", {"ge-0/0/0.0": 10**9}),
        ("et-0/0/0 { unit 0 { family inet; } }", {"et-0/0/0.0": None}),
        ("et-0/0/0 { speed 400g; unit 0 { family inet; } }", {"et-0/0/0.0": 4 * 10**11}),
        ("ge-0/0/0 { gigether-options { speed 100m; } unit 0 { family mpls; } }", {"ge-0/0/0.0": 10**8}),
        ("xe-0/0/0 { unit 0 { bandwidth 2g; family inet; } }", {"xe-0/0/0.0": 2 * 10**9}),
        ("xe-0/0/0 { unit 0 { family bridge; } }", {}),
        ("xe-0/0/0 { disable; unit 0 { family inet; } }", {}),
        ("lo0 { unit 0 { family inet; } } fxp0 { unit 0 { family inet; } }", {}),
        (
            BUNDLE,
            {"ae1.0": 11 * 10**10},
        ),
        ("ae1 { unit 0 { family inet; } } et-0/0/2 { gigether-options { 802.3ad ae1; } }", {"ae1.0": None}),
    ],
)
def test_junos_rates(statements: str, expected: dict[str, int | None]) -> None:
    assert rates(junos(f"interfaces {{ {statements} }}")) == expected


def test_junos_speed_of_the_chassis_in_set_statements() -> None:
    found = junos(
        "set chassis fpc 0 pic 1 port 2 speed 40g\nset interfaces et-0/1/2 unit 0 family inet address 192.0.2.1/30\n"
    )
    assert rates(found) == {"et-0/1/2.0": 4 * 10**10}
    assert found is not None
    assert found.addresses == {"192.0.2.1"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"interface TenGigabitEthernet0/0/1\n{IP}", {"TenGigabitEthernet0/0/1": 10**10}),
        (f"interface HundredGigE1/0/1\n bandwidth 50000000\n{IP}", {"HundredGigE1/0/1": 5 * 10**10}),
        (f"interface GigabitEthernet0/0/1\n speed 100\n{IP}", {"GigabitEthernet0/0/1": 10**8}),
        (f"interface GigabitEthernet0/1\n!\ninterface GigabitEthernet0/1.20\n{IP}", {"GigabitEthernet0/1.20": 10**9}),
        # a listing may take up an interface twice
        (f"interface GigabitEthernet1\n{IP}!\ninterface GigabitEthernet1\n mtu 9000\n", {"GigabitEthernet1": 10**9}),
        (f"interface GigabitEthernet0\n vrf forwarding Mgmt-intf\n{IP}", {}),
        (f"interface GigabitEthernet0/0/1\n shutdown\n{IP}", {}),
        (
            CHANNEL,
            {"Port-channel5": 2 * 10**10},
        ),
        (f"interface Tunnel1\n{IP}", {}),
    ],
)  # fmt: skip
def test_iosxe_rates(text: str, expected: dict[str, int | None]) -> None:
    assert rates(read_cisco(text, "ip")) == expected


def test_iosxr_bundles() -> None:
    text = (
        "interface Bundle-Ether3\n ipv4 address 192.0.2.1 255.255.255.252\n!\n"
        "interface FourHundredGigE0/0/0/1\n bundle id 3 mode active\n!\n"
        "interface TenGigE0/0/0/1\n bundle id 4 mode active\n!\n"
    )
    assert rates(read_cisco(text, "ipv4")) == {"Bundle-Ether3": 4 * 10**11}


@pytest.mark.parametrize("read", [junos, lambda text: read_cisco(text, "ip"), lambda text: read_cisco(text, "ipv4")])
@pytest.mark.parametrize("text", ["", "\0", "{", "interfaces", "interface\n", "interface X\n ip address\n", "a\n b\n"])
def test_odd_texts_are_of_no_platform(read: Callable[[str], RunningRouter | None], text: str) -> None:
    found = read(text)
    assert found is None or found.ports == ()
