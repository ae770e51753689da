"""IOS-XR and IOS-XE texts as operators have them: what is read, what is passed over, what is refused and where."""

from ipaddress import ip_address
from typing import Any

import pytest

from hntes.platforms.effective import Buffer, NextHop, Treatment, Tunnel
from hntes.platforms.lookup import Outcome
from hntes.platforms.parse import EffectiveModel, ParseError, parse_config
from hntes.platforms.render import render
from hntes.rules.qos.model import InterfaceBinding
from tests.support.packets import classify
from tests.support.qos_models import model

XR = """\
!! IOS XR Configuration 7.5.2
hostname er1
ipv4 access-list customers
 10 deny tcp any any eq 25
 20 permit ipv4 any any
!
ipv4 access-list alpha
 10 remark the pairs
 30 permit ipv4 198.18.0.0/16 203.0.113.0/24
 20 permit ipv4 host 198.18.1.1 203.0.113.0 0.0.0.255 log
!
ipv4 access-list steer
 10 permit ipv4 198.18.0.0/16 203.0.113.0/24 nexthop1 ipv4 192.0.2.2
 20 deny ipv4 10.0.0.0/8 any
 permit ipv4 any any
!
class-map match-any pairs
 description what we found
 match access-group ipv4 alpha
 end-class-map
!
class-map match-any q4
 match qos-group 4
 end-class-map
!
class-map match-any voice
 match dscp ef
 end-class-map
!
policy-map in
 class pairs
  police rate 500 mbps burst 31000 bytes peak-rate 1 gbps peak-burst 62000 bytes
   conform-action set qos-group 4
   exceed-action set qos-group 4
   exceed-action set discard-class 2
   violate-action drop
  !
 !
 class class-default
 !
 end-policy-map
!
policy-map out
 class class-default
  bandwidth percent 60
  queue-limit 50 ms
 !
 class q4
  priority level 1
  police rate percent 30
  !
  queue-limit 10 ms
 !
 end-policy-map
!
policy-map voice-only
 class voice
  set cos 5
 !
 end-policy-map
!
interface TenGigE0/0/0/0
 description edge port
!
interface TenGigE0/0/0/0.100
 encapsulation dot1q 100
 ipv4 address 192.0.2.1 255.255.255.252
 service-policy input in
 ipv4 access-group steer ingress hardware-count
 ipv4 access-group customers egress
!
interface TenGigE0/0/0/1
 mtu 9192
 service-policy output out
 no shutdown
!
interface TenGigE0/0/0/9
 service-policy input voice-only
 whatever
!
router ospf 1
 area 0
  interface TenGigE0/0/0/1
   cost 10
  !
 !
!
end
"""
XE = """\
hostname er2
ip access-list extended alpha
 permit ip 198.18.0.0 0.0.255.255 203.0.113.0 0.0.0.255
 permit ip host 198.18.1.1 any
ipv6 access-list alpha6
 sequence 10 permit ipv6 2001:DB8::/32 any
class-map match-any pairs
 match access-group name alpha
 match access-group name alpha6
class-map match-all q4
 match qos-group 4
policy-map in
 class pairs
  set qos-group 4
  police cir 1000000000 bc 31000
   exceed-action set-discard-class-transmit 3
policy-map out
 class q4
  priority percent 30
 class class-default
  bandwidth percent 60
  queue-limit 4000 packets
  random-detect discard-class-based
  random-detect discard-class 3 1 4000 1
route-map steer permit 20
 match ip address alpha
 set interface Tunnel5
route-map steer permit 10
 match ip address special
 set ip next-hop 192.0.2.2
ip access-list extended special
 permit ip host 198.18.9.9 any
!
interface TenGigabitEthernet0/0/0
 ip address 192.0.2.1 255.255.255.252
 ip policy route-map steer
 service-policy input in
interface TenGigabitEthernet0/0/1
 service-policy output out
ip route 0.0.0.0 0.0.0.0 192.0.2.6
"""
INTERFACES = {
    "iosxr": (
        InterfaceBinding("TenGigE0/0/0/0", 100, "edge", 10_000_000_000),
        InterfaceBinding("TenGigE0/0/0/1", 0, "core", 10_000_000_000),
    ),
    "iosxe": (
        InterfaceBinding("TenGigabitEthernet0/0/0", 0, "edge", 10_000_000_000),
        InterfaceBinding("TenGigabitEthernet0/0/1", 0, "core", 10_000_000_000),
    ),
}


def read(platform: Any, text: str) -> EffectiveModel:
    return parse_config(platform, text, INTERFACES[platform], is_whole=True)


def met(platform: Any, text: str, source: str, destination: str) -> Outcome:
    edge = INTERFACES[platform][0]
    return classify(read(platform, text), edge.name, edge.unit, ip_address(source), ip_address(destination))


def flat(text: str) -> str:
    """The text as it is typed: no indentation, each section left with `exit` or for another one."""
    lines = [line.strip() for line in text.splitlines() if line.strip() != "!"]
    typed = "\n".join(lines[: lines.index("router ospf 1")] if "router ospf 1" in lines else lines) + "\n"
    return typed.replace("ip route", "exit\nip route")


@pytest.mark.parametrize(("platform", "text"), [("iosxr", XR), ("iosxe", XE)])
def test_indentation_does_not_matter(platform: str, text: str) -> None:
    assert read(platform, flat(text)) == read(platform, text)
    wide = "\n".join(line.replace(" ", "   ", len(line) - len(line.lstrip())) for line in text.splitlines())
    assert read(platform, wide) == read(platform, text)
    assert read(platform, text.replace("\n", "\r\n")) == read(platform, text)


def test_exit_leaves_a_section() -> None:
    text = XE.replace("match qos-group 4", "match qos-group 4\n exit").replace("permit ip host 198.18.1.1 any", "exit")
    assert read("iosxe", text).ports == read("iosxe", XE).ports
    typed = flat(XE).replace("policy-map out", "exit\nexit\nexit\npolicy-map out")
    assert read("iosxe", typed) == read("iosxe", XE)


def test_xr_programs_all_see_the_packet() -> None:
    pair = met("iosxr", XR, "198.18.1.1", "203.0.113.9")
    assert (pair.queue, pair.term, pair.path) == (4, "20", NextHop(ip_address("192.0.2.2"), True))
    assert met("iosxr", XR, "198.18.7.1", "203.0.113.9").term == "30"
    assert met("iosxr", XR, "10.0.0.1", "203.0.113.9").discarded
    other = met("iosxr", XR, "192.0.2.77", "203.0.113.9")
    assert (other.queue, other.discarded, other.path) == (0, False, None)
    assert met("iosxr", XR.replace("\n permit ipv4 any any", ""), "192.0.2.77", "203.0.113.9").discarded
    assert not met("iosxr", XR, "2001:db8::1", "2001:db8::2").discarded


def test_xr_policer_of_three_colours() -> None:
    (policer,) = met("iosxr", XR, "198.18.1.1", "203.0.113.9").policers
    assert (policer.committed_rate_bps, policer.peak_rate_bps) == (500_000_000, 1_000_000_000)
    assert policer.exceed == Treatment(queue=4, loss_priority="medium-high")
    assert policer.violate == Treatment(discard=True)


def test_xr_two_buckets_treated_alike_are_one() -> None:
    text = XR.replace("violate-action drop", "violate-action set qos-group 4\n   violate-action set discard-class 2")
    (policer,) = met("iosxr", text, "198.18.1.1", "203.0.113.9").policers
    assert (policer.peak_rate_bps, policer.excess_burst_bytes, policer.violate) == (None, None, None)


def test_xr_queues_come_with_class_default_last() -> None:
    (port,) = read("iosxr", XR).ports
    first, last = port.queues
    assert (first.numbers, first.share_pct, first.priority, first.ceiling) == ((4,), 30, "strict-high", "policed")
    assert (last.is_default, last.share_pct, last.buffer) == (True, 60, Buffer(50, "ms"))
    assert port.queue_of(7) is last


def test_xe_policy_routing_and_classes() -> None:
    assert met("iosxe", XE, "198.18.9.9", "203.0.113.9").path == NextHop(ip_address("192.0.2.2"), True)
    assert met("iosxe", XE, "198.18.1.1", "192.0.2.77").path == Tunnel(5)
    assert met("iosxe", XE, "2001:db8::1", "2001:db8::2").queue == 4
    assert met("iosxe", XE, "192.0.2.77", "192.0.2.78").queue == 0
    (policer,) = met("iosxe", XE, "198.18.1.1", "192.0.2.77").policers
    assert policer.exceed == Treatment(loss_priority="high")


def test_a_route_map_without_a_condition_takes_all() -> None:
    assert met("iosxe", XE.replace(" match ip address special\n", ""), "192.0.2.77", "192.0.2.78").path is not None


REFUSED = [
    ("iosxr", " 30 permit ipv4 198", " 30 permit udp 198", "no other protocol"),
    ("iosxr", " 30 permit ipv4 198", " 30 deny ipv4 198", "denies in a list"),
    ("iosxr", " 30 permit ipv4 198", " 20 permit ipv4 198", "number 20 is also in line"),
    ("iosxr", "198.18.0.0/16 203.0.113.0/24\n", "198.18.0.0/16 203.0.113.0/24 dscp ef\n", "end of a line"),
    ("iosxr", "198.18.0.0/16 203.0.113.0/24\n", "198.18.0.1/16 203.0.113.0/24\n", "host bits"),
    ("iosxr", "198.18.0.0/16 203.0.113.0/24\n", "net-group G 203.0.113.0/24\n", "not an address"),
    ("iosxr", "0.0.0.255 log", "0.0.1.254 log", "is not a prefix"),
    ("iosxr", "nexthop1 ipv4 192.0.2.2", "nexthop1 vrf V ipv4 192.0.2.2", "end of a line"),
    ("iosxr", "group ipv4 alpha", "group ipv4 alphas", "`ipv4 access-list alphas` is not in the text"),
    ("iosxr", "match access-group ipv4 alpha", "match not access-group ipv4 alpha", "match is not understood"),
    ("iosxr", "match qos-group 4", "match traffic-class 4", "sets a qos-group, and no core port queues by it"),
    ("iosxr", "match qos-group 4", "match qos-group 600", "not a whole number"),
    ("iosxr", "match-any pairs\n", "match-all pairs\n match access-group ipv6 x\n", "match-any where"),
    ("iosxr", " class pairs", " class pair", "class-map pair is defined 0 times"),
    ("iosxr", "  police rate 500", "  set dscp ef\n  police rate 500", "not understood in a class on input"),
    ("iosxr", "  police rate 500", "  set qos-group 4\n  police rate 500", "the policer sets, too"),
    ("iosxr", "500 mbps", "500 pps", "rate unit pps"),
    ("iosxr", "burst 31000 bytes", "burst 31 kbytes", "bursts are not understood"),
    ("iosxr", "violate-action drop", "violate-action set dscp ef", "action is not understood"),
    ("iosxr", "bandwidth percent 60", "bandwidth percent 0", "not a whole number from 1 to 100"),
    ("iosxr", "bandwidth percent 60", "bandwidth remaining percent 60", "conflicts with `priority level 1`"),
    ("iosxr", "  bandwidth percent 60\n", "", "the class has no guarantee"),
    ("iosxr", "  queue-limit 50 ms\n", "", "has no queue-limit"),
    ("iosxr", "  queue-limit 50 ms\n", "  queue-limit 50 ms\n  shape average percent 5\n", "in a class on output"),
    (
        "iosxr",
        " class class-default\n  bandwidth percent 60\n  queue-limit 50 ms\n !\n",
        "",
        "lacks class-default",
    ),
    ("iosxr", "priority level 1", "priority level 2", "only `priority level 1`"),
    ("iosxr", "  police rate percent 30\n  !\n", "", "could use the whole link"),
    ("iosxr", " encapsulation dot1q", " rewrite ingress tag pop 1\n encapsulation dot1q", "interface in use"),
    ("iosxr", " description edge port", " service-policy input in", "covers unit 100"),
    ("iosxr", " mtu 9192", " service-policy input in", "enter by a core interface"),
    ("iosxr", " mtu 9192", " ipv4 access-group customers egress", "may drop packets"),
    ("iosxr", "service-policy output out", "service-policy output outs", "`policy-map outs` is not in the text"),
    ("iosxr", "router ospf 1", "no policy-map in\nrouter ospf 1", "removes an object"),
    (
        "iosxr",
        "router ospf 1",
        "no ipv4 access-list alpha\nrouter ospf 1",
        "removes the object that line 7 defines",
    ),
    ("iosxe", "198.18.0.0 0.0.255.255", "198.18.0.0/16", "not prefix lengths"),
    ("iosxe", "match qos-group 4", "match qos-group 4\n match qos-group 5", "match-any where it has several"),
    ("iosxe", "discard-class 3 1 4000 1", "discard-class 3 1 4000 10", "only denominator 1"),
    ("iosxe", "  random-detect discard-class-based\n", "", "discard-class-based"),
    ("iosxe", "3 1 4000 1\n", "3 1 4000 1\n  random-detect ecn 5\n", "only `random-detect ecn`"),
    ("iosxr", "  queue-limit 50 ms\n", "  queue-limit 50 ms\n  random-detect ecn\n", "defines when packets are marked"),
    ("iosxe", "steer permit 20", "steer deny 20", "only `route-map NAME permit NUMBER`"),
    ("iosxe", "set interface Tunnel5", "set ip default next-hop 192.0.2.2", "path is not understood"),
    ("iosxe", " set interface Tunnel5\n", "", "sets no path"),
    ("iosxe", " permit ip host 198.18.9.9 any\n", "", "is empty"),
    ("iosxe", "priority percent 30", "priority percent 30\n  bandwidth percent 20", "ambiguous"),
    ("iosxe", "ip address 192", "rate-limit input 8000 1500 2000\n ip address 192", "interface in use"),
    ("iosxe", "ip policy route-map steer", "ip policy route-map steer\n crypto map vpn", "interface in use"),
    ("iosxe", "hostname er2", "hostname er2\nservice-policy input in", "outside of any section"),
    ("iosxe", "hostname er2", " service-policy input in\nhostname er2", "outside of any section"),
    ("iosxe", "hostname er2", "interface range Te0/0/0 - 1\nhostname er2", "several objects at once"),
    ("iosxe", "  set qos-group 4", "  set qos-group 4\n  set qos-group 5", "ambiguous"),
    ("iosxe", "  set qos-group 4", "  no set qos-group 4", "negates a statement"),
]


@pytest.mark.parametrize(("platform", "old", "new", "reason"), REFUSED)
def test_refused_with_its_line(platform: str, old: str, new: str, reason: str) -> None:
    whole = {"iosxr": XR, "iosxe": XE}[platform]
    assert whole.count(old) >= 1
    text = whole.replace(old, new, 1)
    with pytest.raises(ParseError, match=reason) as caught:
        read(platform, text)
    assert text.splitlines()[caught.value.line - 1].split() == caught.value.text.split()


def test_a_list_that_removes_itself_first_is_not_merged() -> None:
    made = model("iosxr")
    text = render(made).replace("no ipv4 access-list hntes-alpha-v4\n", "")
    assert parse_config("iosxr", text, made.interfaces).merged == ("ipv4 access-list hntes-alpha-v4",)
    assert parse_config("iosxr", render(made), made.interfaces).merged == ()


def test_a_forward_class_needs_one_tunnel() -> None:
    text = XR.replace(
        "policy-map out\n",
        "class-map type traffic match-any t\n match access-group ipv4 alpha\n end-class-map\n!\n"
        "policy-map type pbr lsp\n class type traffic t\n  set forward-class 1\n !\n end-policy-map\n!\n"
        "interface tunnel-te5\n destination 192.0.2.99\n forward-class 1\n!\npolicy-map out\n",
    ).replace(" ipv4 access-group steer ingress hardware-count\n", " service-policy type pbr input lsp\n")
    assert met("iosxr", text, "198.18.1.1", "203.0.113.9").path == Tunnel(5)
    with pytest.raises(ParseError, match="0 tunnels of the text"):
        read("iosxr", text.replace(" forward-class 1\n!\npolicy", "!\npolicy"))
