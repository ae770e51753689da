"""EOS listings: texts of banners and scripts, comments, containers; lifelines, ports and counters in them."""

import pytest

from hntes.platforms.cisco.parser.tree import below
from hntes.platforms.device_errors import DeliveryError
from hntes.platforms.eos.counters import policy_counters
from hntes.platforms.eos.kept_lines import kept_lines
from hntes.platforms.eos.parser.listing import read_listing
from hntes.platforms.eos.statements import foreign, owned
from hntes.platforms.errors import ParseError
from hntes.platforms.registry import platform_of

LISTING = """\
! Command: show running-config
! device: edge1 (DCS-7280CR3-32P4, EOS-4.33.1F)
!
banner login
interface Ethernet9
   traffic-policy input hntes-alpha-v4
EOF
!
hostname edge1
!
event-handler watch
   trigger on-boot
   action bash
      echo traffic-policies
      EOF
!
vrf instance MGMT
!
interface Ethernet1
   !! a comment of the operator's
   speed 100g-4
   no switchport
   ip address 192.0.2.1/31
   ipv6 address 2001:db8::1/64
!
interface Ethernet2
   channel-group 5 mode active
   speed forced 10000full
!
interface Port-Channel5
   description to the core
   no switchport
   ip address 192.0.2.9/31
!
interface Ethernet3
   shutdown
   no switchport
   ip address 192.0.2.13/31
!
interface Loopback0
   ip address 198.51.100.1/32
!
interface Management1
   vrf MGMT
   ip address 203.0.113.10/24
!
ntp server vrf MGMT 203.0.113.53
logging vrf MGMT host 203.0.113.54 514
tacacs-server host 203.0.113.55 vrf MGMT
snmp-server host 203.0.113.56 version 2c x
ip name-server vrf MGMT 203.0.113.57
sflow destination 203.0.113.58
!
traffic-policies
   traffic-policy GUARD
      match bad ipv4
         source prefix 10.0.0.0/8
         !
         actions
            drop
      !
      match ipv4-all-default ipv4
!
router bgp 65001
   neighbor 192.0.2.0 remote-as 65002
   neighbor 2001:db8::2 remote-as 65002
!
end
"""


def test_texts_are_no_statements_and_lines_keep_their_numbers() -> None:
    lines = LISTING.split("\n")
    found = list(below(read_listing(LISTING)))
    assert all(lines[each.line - 1].split() == list(each.words) for each in found)
    assert not any(each.begins("echo") or each.words[-1] == "Ethernet9" for each in found)
    assert owned(LISTING).statements == ()


def test_what_is_not_a_listing_is_refused_with_its_line() -> None:
    with pytest.raises(ParseError, match="is JSON") as refused:
        read_listing('\n{"cmds": {}}\n')
    assert refused.value.line == 2
    with pytest.raises(ParseError, match="does not end") as refused:
        read_listing("hostname a\nbanner login\nhello\n")
    assert refused.value.line == 2


def test_ports_have_their_rates_and_those_that_are_down_are_left_out() -> None:
    found = platform_of("eos").inventory(LISTING)
    assert found is not None
    assert found.name == "edge1"
    assert [(each.name, each.unit, each.rate_bps) for each in found.ports] == [
        ("Ethernet1", None, 100 * 10**9),
        ("Port-Channel5", None, 10 * 10**9),
    ]
    assert "2001:db8::1" in found.addresses


def test_lifelines_are_named() -> None:
    found = {(str(each.prefix), each.what) for each in platform_of("eos").lifelines(LISTING)}
    assert found == {
        ("198.51.100.1/32", "loopback"),
        ("203.0.113.0/24", "management"),
        ("192.0.2.0/32", "BGP neighbor"),
        ("2001:db8::2/128", "BGP neighbor"),
        ("203.0.113.53/32", "time server"),
        ("203.0.113.54/32", "log server"),
        ("203.0.113.55/32", "login server"),
        ("203.0.113.56/32", "SNMP manager"),
        ("203.0.113.57/32", "name server"),
        ("203.0.113.58/32", "flow collector"),
    }


def test_what_hntes_has_is_told_from_what_only_mentions_it() -> None:
    own = (
        "traffic-policies\n   traffic-policy hntes-alpha-v4\n      match ipv4-all-default ipv4\n!\n"
        "qos profile hntes-out-1k\n   tx-queue 1\n      no priority\n!\n"
        "interface Ethernet1\n   service-profile hntes-out-1k\n!\n"
    )
    beside = "interface Ethernet4\n   description service-profile hntes-out-1k\n!\n"
    text = LISTING.replace("end\n", "") + own + beside
    assert len(owned(text).statements) == 3
    assert foreign(text) == foreign(LISTING.replace("end\n", "") + beside)
    kept = "\n".join(kept_lines(text))
    assert "traffic-policy GUARD" in kept
    assert owned(kept).statements == ()


COUNTED = """\
Traffic policy hntes-alpha-v4
   Configured on interfaces: Ethernet1
   Total number of rules configured: 2
      match alpha-1 ipv4
         Source prefix: 198.18.0.0/24
         Actions: Count: 5 packets, 7500 bytes
                  Set traffic class: 0
      match ipv4-all-default ipv4
         Actions: Count: 9 packets, 900 bytes
Traffic policy hntes-alpha-v46
      match alpha-1 ipv4
         Actions: Set traffic class: 0
                  Count: 2 packets, 3000 bytes
Traffic policy OWN
      match alpha-1 ipv4
         Actions: Count: 100 packets, 100000 bytes
"""


def test_counters_are_those_of_all_policies_of_hntes() -> None:
    found = policy_counters(COUNTED)
    assert [(each.name, each.interface, each.packets, each.bytes) for each in found] == [("alpha-1", "", 7, 10500)]


def test_a_release_that_counts_packets_alone_is_told() -> None:
    with pytest.raises(DeliveryError, match="packets of alpha-1 without bytes"):
        policy_counters(COUNTED.replace(", 7500 bytes", ""))
