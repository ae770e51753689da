"""What of a Cisco router's configuration is HNTES' own, whatever form the router prints it in."""

from pathlib import Path

import pytest

from hntes.platforms.cisco.statements import foreign, owned, text_of
from hntes.platforms.device_errors import DeliveryError
from hntes.platforms.iosxr.dialect import DIALECT
from hntes.platforms.owned_config import OwnedConfig

GOLDEN = Path(__file__).resolve().parents[3] / "golden" / "iosxr"
OWN = """\
ipv4 access-list hntes-alpha-v4
 10 permit ipv4 192.0.2.0/24 host 203.0.113.9
!
ipv6 access-list hntes-alpha-v6
 10 permit ipv6 host 2001:db8::1 2001:db8:2::/64
!
class-map match-any hntes-alpha
 match access-group ipv4 hntes-alpha-v4
 match access-group ipv6 hntes-alpha-v6
 end-class-map
!
policy-map hntes-in
 class hntes-alpha
  set qos-group 4
 !
 class class-default
  set qos-group 0
 !
 end-policy-map
!
interface TenGigE0/0/0/0.100
 service-policy input hntes-in
 ipv4 access-group hntes-alpha-v4-abf ingress
!
"""
OTHERS = """\
hostname hntes-lab
username hntes
 group operators
!
ipv4 access-list guard
 10 permit ipv4 192.0.2.0/24 any
!
policy-map campus
 class hntes-alpha
  bandwidth percent 5
 !
 end-policy-map
!
interface TenGigE0/0/0/0.100
 description hntes-in
 encapsulation dot1q 100
 service-policy output campus
!
interface TenGigE0/0/0/7
!
interface tunnel-te5
 forward-class 1
!
"""


@pytest.mark.parametrize("path", sorted(GOLDEN.glob("*/expected.conf")), ids=lambda path: path.parent.name)
def test_a_rendered_text_is_all_own_and_is_made_of_its_part_again(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    part = DIALECT.part_of(text)
    assert part == owned(OTHERS.replace("interface tunnel-te5\n forward-class 1\n", "") + text)
    assert part == DIALECT.part_of(text_of(part))
    kept = [line.strip() for line in text.splitlines() if line.strip(" !") and not line.startswith(("!", "no "))]
    said = " ".join(" ".join(each) for each in part.statements)
    assert [line for line in kept if line not in said and not line.startswith("end-")] == []


def test_what_bears_the_name_by_chance_is_not_owned() -> None:
    assert owned(OTHERS) == OwnedConfig(())
    assert foreign(OTHERS) == {
        ("hostname hntes-lab",),
        ("username hntes", "group operators"),
        ("ipv4 access-list guard", "10 permit ipv4 192.0.2.0/24 any"),
        ("policy-map campus", "class hntes-alpha", "bandwidth percent 5"),
        ("interface TenGigE0/0/0/0.100", "description hntes-in"),
        ("interface TenGigE0/0/0/0.100", "encapsulation dot1q 100"),
        ("interface TenGigE0/0/0/0.100", "service-policy output campus"),
        ("interface tunnel-te5", "forward-class 1"),
    }
    assert owned(OWN + OTHERS) == owned(OWN)
    assert foreign(OWN + OTHERS) == foreign(OTHERS)


def test_the_forward_class_of_a_tunnel_is_owned_with_the_policy_that_leads_there() -> None:
    policy = "policy-map type pbr hntes-lsp\n class type traffic class-default\n !\n end-policy-map\n!\n"
    assert ("interface tunnel-te5", "forward-class 1") in owned(policy + OTHERS).statements
    assert ("interface tunnel-te5", "forward-class 1") not in foreign(policy + OTHERS)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("192.0.2.0/24", "192.0.2.0 0.0.0.255"),
        ("host 203.0.113.9", "203.0.113.9 0.0.0.0"),
        ("host 203.0.113.9", "203.0.113.9/32"),
        ("host 2001:db8::1", "2001:db8::1/128"),
        ("interface TenG", "interface preconfigure TenG"),
        (" match access-group ipv4 hntes-alpha-v4\n match access-group ipv6 hntes-alpha-v6\n",
         " match access-group ipv6 hntes-alpha-v6\n match access-group ipv4 hntes-alpha-v4\n"),
    ],
)  # fmt: skip
def test_the_same_in_another_form_is_equal(one: str, other: str) -> None:
    assert one in OWN
    assert owned(OWN.replace(one, other)) == owned(OWN)
    assert owned(OWN.replace(one, other)).differences(owned(OWN)) == []


@pytest.mark.parametrize(
    ("one", "other", "shown"),
    [
        ("192.0.2.0/24", "192.0.2.0 0.0.1.255", "+ ipv4 access-list hntes-alpha-v4 10 permit ipv4 192.0.2.0/23"),
        ("192.0.2.0/24", "192.0.2.0 0.0.0.254", "+ ipv4 access-list hntes-alpha-v4 10 permit ipv4 192.0.2.0 0.0.0.254"),
        (" 10 permit ipv4", " 20 permit ipv4", "- ipv4 access-list hntes-alpha-v4 10 permit"),
        ("  set qos-group 4\n", "", "- policy-map hntes-in class hntes-alpha set qos-group 4"),
        ("  set qos-group 4", "  set qos-group 4\n  set dscp ef", "+ policy-map hntes-in class hntes-alpha set dscp"),
        (" service-policy input hntes-in\n", "", "- interface TenGigE0/0/0/0.100 service-policy input hntes-in"),
    ],
)  # fmt: skip
def test_what_somebody_changed_is_shown(one: str, other: str, shown: str) -> None:
    changed = owned(OWN.replace(one, other))
    assert changed != owned(OWN)
    assert [line for line in changed.differences(owned(OWN)) if line.startswith(shown)]


def test_classes_in_another_order_are_another_part() -> None:
    first, second = " class hntes-alpha\n  set qos-group 4\n !\n", " class class-default\n  set qos-group 0\n !\n"
    swapped = owned(OWN.replace(first + second, second + first))
    assert swapped.differences(owned(OWN)) == ["! the terms or classes are in another order"]


@pytest.mark.parametrize("text", [" set qos-group 4\n", "end-policy-map\n", "10 permit ipv4 any any\n"])
def test_what_cannot_be_read_is_refused(text: str) -> None:
    with pytest.raises(DeliveryError, match="cannot be parsed"):
        owned(text)
