"""The oracle of packets itself, on texts whose outcomes were worked out by hand."""

import pytest

from tests.support.packet_walker import (
    UnsupportedError,
    Walked,
    cisco_merged,
    cisco_queues,
    cisco_text,
    cisco_walk,
    junos_merged,
    junos_schedulers,
    junos_shares,
    junos_text,
    junos_walk,
)

OWN = """
interfaces { ge-0/0/0 { unit 0 { family inet { filter { input own; } address 192.0.2.1/24; } } } }
firewall { family inet { filter own {
    term spoofed { from { source-address { 10.0.0.0/8; 10.1.0.0/16 except; } } then { count s; discard; } }
    term web { from { source-prefix-list { campus; } } then { forwarding-class assured-forwarding; next term; } }
    inactive: term all { then discard; }
    term rest { then accept; }
} } }
policy-options { prefix-list campus { 198.51.100.0/24; } }
class-of-service {
    interfaces { xe-1/0/0 { scheduler-map m; } }
    scheduler-maps { m { forwarding-class best-effort scheduler be; } }
    schedulers { be { transmit-rate percent 95; } }
}
"""
CANDIDATE = """
firewall { family inet { replace: filter hntes-alpha-v4-listed {
    term alpha-1 { from { source-address 198.18.0.0/16; destination-address 203.0.113.0/24; }
                   then { count a; forwarding-class alpha; LAST } }
    term end { from { source-address 255.255.255.255/32; } then accept; }
} } }
class-of-service { forwarding-classes { class alpha queue-num 4; } }
interfaces { ge-0/0/0 { unit 0 { family inet { filter { input-list [ hntes-alpha-v4-listed own ]; } } } } }
"""
PAIR, OTHER, SPOOFED = ("198.18.1.1", "203.0.113.9"), ("192.0.2.7", "203.0.113.9"), ("10.2.0.1", "203.0.113.9")


def test_terms_of_junos_in_order() -> None:
    text = junos_text(OWN)
    assert junos_walk(text, "ge-0/0/0", 0, SPOOFED) == Walked(True, 0, ("own spoofed",))
    assert junos_walk(text, "ge-0/0/0", 0, ("10.1.0.1", "192.0.2.1")) == Walked(False, 0, ("own rest",))
    assert junos_walk(text, "ge-0/0/0", 0, ("198.51.100.3", "192.0.2.1")) == Walked(False, 2, ("own web", "own rest"))
    assert junos_walk(text, "ge-0/0/1", 0, SPOOFED) == Walked(False, 0, ())
    assert junos_shares(text, "xe-1/0/0") == {0: 95}


def test_a_list_of_filters_and_one_that_takes_packets_past_the_operators() -> None:
    right = junos_merged(junos_text(OWN), junos_text(CANDIDATE.replace("LAST", "next term;")))
    assert junos_walk(right, "ge-0/0/0", 0, PAIR) == Walked(False, 4, ("own rest",))
    assert junos_walk(right, "ge-0/0/0", 0, SPOOFED) == junos_walk(junos_text(OWN), "ge-0/0/0", 0, SPOOFED)
    wrong = junos_merged(junos_text(OWN), junos_text(CANDIDATE.replace("LAST", "accept;")))
    assert junos_walk(wrong, "ge-0/0/0", 0, PAIR) == Walked(False, 4, ())


def test_set_form_and_groups() -> None:
    lines = ["set groups g firewall family inet filter f term t then discard", "set apply-groups [ g ]",
             "set interfaces ge-0/0/0 unit 0 family inet filter input f"]  # fmt: skip
    assert junos_walk(junos_text("\n".join(lines)), "ge-0/0/0", 0, OTHER).is_dropped
    with pytest.raises(UnsupportedError, match="wildcard"):
        junos_text("groups { g { interfaces { <*> { mtu 9000; } } } } apply-groups g;")


XR = """\
ipv4 access-list edge
 10 deny ipv4 10.0.0.0 0.255.255.255 any
 20 permit tcp any eq 179 any
 30 permit ipv4 any any
!
interface TenGigE0/0/0/0.7
 ipv4 access-group edge ingress
"""
POLICY = """\
ipv4 access-list hntes-alpha-v4
 5 permit ipv4 198.18.0.0/16 203.0.113.0/24
class-map match-any hntes-alpha
 match access-group ipv4 hntes-alpha-v4
 end-class-map
policy-map hntes-in
 class hntes-alpha
  set qos-group 4
 !
 class class-default
  set qos-group 0
interface TenGigE0/0/0/0.7
 service-policy input hntes-in
"""


def test_a_list_and_a_policy_of_cisco() -> None:
    before, after = cisco_text(XR), cisco_merged(XR, POLICY)
    port = "TenGigE0/0/0/0.7"
    for text in (before, after):
        assert cisco_walk(text, port, SPOOFED) == Walked(True, 0, ("edge: 10 deny ipv4 10.0.0.0 0.255.255.255 any",))
        assert not cisco_walk(text, port, OTHER).is_dropped
    assert (cisco_walk(before, port, PAIR).queue, cisco_walk(after, port, PAIR).queue) == (0, 4)
    assert cisco_walk(after, port, OTHER).queue == 0
    without = cisco_merged(XR, POLICY + "no ipv4 access-list edge\n")
    assert not cisco_walk(without, port, SPOOFED).is_dropped


COS = """
class-of-service {
    forwarding-classes { class bulk queue-num 1; }
    interfaces { xe-* { scheduler-map wan; } xe-1/0/0 { output-traffic-control-profile p; } }
    traffic-control-profiles { p { scheduler-map lan; } }
    scheduler-maps { wan { forwarding-class bulk scheduler a; } lan { forwarding-class bulk scheduler b; } }
    schedulers { a { transmit-rate percent 20; priority low; } b { transmit-rate 1g; } }
}
"""


def test_the_schedulers_of_a_junos_port_by_pattern_and_by_profile() -> None:
    text = junos_text(COS)
    assert junos_schedulers(text, "xe-0/0/0") == {1: (("priority", "low"), ("transmit-rate", "percent", "20"))}
    assert junos_schedulers(text, "xe-1/0/0") == {1: (("transmit-rate", "1g"),)}
    assert junos_schedulers(text, "ge-0/0/0") == {}
    changed = junos_merged(text, junos_text("class-of-service { schedulers { a { buffer-size percent 5; } } }"))
    assert junos_schedulers(changed, "xe-0/0/0") != junos_schedulers(text, "xe-0/0/0")


OUTPUT = """\
class-map match-any bulk
 match qos-group 1
policy-map child
 class bulk
  bandwidth percent 20
policy-map parent
 class class-default
  shape average 1000000
   service-policy child
interface Te0/0/1
 service-policy output parent
"""


def test_the_queues_of_a_cisco_port_with_those_below_and_their_conditions() -> None:
    found = cisco_queues(cisco_text(OUTPUT), "Te0/0/1")
    assert found["child bulk"] == ("class-map match-any bulk", "match qos-group 1", "bandwidth percent 20")
    assert found["parent class-default"] == ("shape average 1000000", "service-policy child")
    assert cisco_queues(cisco_merged(OUTPUT, "class-map match-any bulk\n match qos-group 2\n"), "Te0/0/1") != found
    assert cisco_queues(cisco_text(OUTPUT), "Te0/0/2") == {}
