"""Junos texts as operators have them: what is read, what is passed over, what is refused and where."""

from ipaddress import ip_address

import pytest

from hntes.platforms.effective import Buffer, NextHop, Treatment
from hntes.platforms.parse import EffectiveModel, ParseError, parse_config
from hntes.platforms.render import render
from hntes.rules.qos.model import InterfaceBinding
from tests.support.packets import classify
from tests.support.qos_models import model

INTERFACES = (
    InterfaceBinding("xe-0/0/0", 100, "edge", 10_000_000_000),
    InterfaceBinding("xe-0/0/1", 0, "core", 10_000_000_000),
)
TEXT = """\
/* the border router,
   as it was on Monday */
version 22.1R1;
system { host-name er1; login { message "no } here; # please"; } }
interfaces {
    xe-0/0/0 {
        description "customer; 10G";
        flexible-vlan-tagging;
        unit 7 { family inet { filter { input customers; } address 192.0.2.9/30; } }
        unit 100 {
            vlan-id 100;
            family inet { filter { input-list [ first alpha ]; } address 192.0.2.1/30; }
            protect: family inet6 { filter input six; address 2001:db8::1/64; }
        }
    }
    xe-0/0/1 { mtu 9192; unit 0 { family inet { address 192.0.2.5/30; } family mpls; } }
    lo0 { unit 0 { family inet { filter { input protect-re; } } } }
}
protocols { ospf { area 0.0.0.0 { interface all; } } }
policy-options {
    prefix-list sites { 198.18.1.0/24; 198.18.2.0/24; 2001:db8:9::/48; }
}
firewall {
    family inet {
        filter protect-re { term ssh { from { protocol tcp; port ssh; } then accept; } }
        filter customers { term all { from { dscp ef; } then { forwarding-class alpha; accept; } } }
        filter first { term bogons { from source-address 10.0.0.0/8; then { discard; } } }
        filter alpha {
            interface-specific;
            inactive: term old { from { protocol udp; } then discard; }
            term mark { from { destination-address { 203.0.113.0/25; } } then { loss-priority low; next term; } }
            term pairs {
                from { source-prefix-list sites; destination-address 203.0.113.0/24; }
                then { forwarding-class alpha; count pairs; policer limit; accept; }
            }
            term rest { then accept; }
        }
    }
    family inet6 { filter six { term rest; } }
    policer limit {
        if-exceeding { bandwidth-limit 1g; burst-size-limit 31k; }
        then { forwarding-class scavenger; }
    }
    policer other { then discard; }
}
class-of-service {
    forwarding-classes { class alpha queue-num 4; queue 5 scavenger; class beta queue-num 0; }
    interfaces {
        xe-0/0/1 { scheduler-map core; unit 0 { rewrite-rules { dscp default; } } }
        xe-9/9/9 { shaping-rate 1g; }
    }
    scheduler-maps {
        core {
            forwarding-class alpha scheduler a;
            forwarding-class beta { scheduler b; }
            forwarding-class scavenger scheduler c;
            forwarding-class network-control scheduler b;
        }
        edge { forwarding-class nothing scheduler nothing; }
    }
    schedulers {
        a { transmit-rate percent 40 exact; buffer-size temporal 20000; priority medium-high; }
        b { transmit-rate { percent 20; } buffer-size percent 30; }
        c { transmit-rate percent 1; buffer-size percent 1; priority low;
            drop-profile-map loss-priority any protocol any drop-profile d; }
        strange { adaptive-shaper x; }
    }
    drop-profiles { d { interpolate { fill-level [ 0 50 100 ]; drop-probability [ 0 0 100 ]; } } }
}
"""


def read(text: str = TEXT) -> EffectiveModel:
    return parse_config("junos", text, INTERFACES, is_whole=True)


def line_of(text: str, part: str) -> int:
    return text[: text.index(part)].count("\n") + 1


def test_one_line_or_several_and_any_order_is_the_same() -> None:
    once = read(" ".join(TEXT.replace("version", "\nversion").splitlines()))
    assert once == read()
    head, _, rest = TEXT.partition("firewall {")
    moved = f"{head}class-of-service {rest.partition('class-of-service ')[2]}firewall {{{rest.partition('class-of')[0]}"
    assert read(moved) == read()


def test_packets_meet_lists_filters_and_terms_in_order() -> None:
    model = read()

    def met(source: str, destination: str) -> tuple[int, str | None, bool, int]:
        found = classify(model, "xe-0/0/0", 100, ip_address(source), ip_address(destination))
        return found.queue, found.term, found.discarded, len(found.policers)

    assert met("198.18.2.1", "203.0.113.9") == (4, "pairs", False, 1)
    assert met("198.18.3.1", "203.0.113.9") == (0, None, False, 0)
    assert met("10.1.1.1", "203.0.113.9") == (0, None, True, 0)
    assert met("2001:db8:9::1", "2001:db8::9") == (0, None, False, 0)


def test_policer_suffixes_are_powers_of_ten() -> None:
    outcome = classify(read(), "xe-0/0/0", 100, ip_address("198.18.1.1"), ip_address("203.0.113.1"))
    (policer,) = outcome.policers
    assert (policer.committed_rate_bps, policer.committed_burst_bytes) == (1_000_000_000, 31_000)
    assert policer.exceed == Treatment(queue=5, forwarding_class="scavenger")
    assert policer.per_interface


def test_schedulers_of_the_core_port() -> None:
    (port,) = read().ports
    beta, control, alpha, scavenger = port.queues
    assert (beta.numbers, beta.share_pct, beta.priority) == ((0,), 20, "low")
    assert control.forwarding_classes == ("network-control",)
    assert (alpha.ceiling, alpha.buffer) == ("exact", Buffer(20_000, "us"))
    assert [curve.loss_priority for curve in scavenger.drops] == ["low", "medium-low", "medium-high", "high"]
    assert scavenger.drops[0].points == ((0, 0), (50, 0), (100, 100))


def test_a_scheduler_that_marks() -> None:
    marking = TEXT.replace("priority low;\n", "priority low; explicit-congestion-notification;\n")
    assert [queue.ecn for queue in read(marking).ports[0].queues] == [False, False, False, True]
    assert not any(queue.ecn for queue in read().ports[0].queues)


def test_an_interface_without_a_filter_classifies_nothing() -> None:
    model = read(TEXT.replace("filter { input-list [ first alpha ]; }", ""))
    outcome = classify(model, "xe-0/0/0", 100, ip_address("198.18.2.1"), ip_address("203.0.113.9"))
    assert (outcome.queue, outcome.term, outcome.discarded) == (0, None, False)


def test_without_a_final_accept_the_rest_is_discarded() -> None:
    model = read(TEXT.replace("term rest { then accept; }\n", "\n"))
    assert classify(model, "xe-0/0/0", 100, ip_address("198.18.3.1"), ip_address("192.0.2.1")).discarded


REFUSED = [
    ("from { source-prefix-list", "from { protocol tcp; source-prefix-list", "`protocol` is not understood"),
    ("policer limit; accept;", "policer limit; dscp ef; accept;", "`dscp` is not understood"),
    ("policer limit; accept;", "policer limit; accept; discard;", "ambiguous"),
    ("policer limit; accept;", "policer limits; accept;", "policer limits is not in the text"),
    ("forwarding-class alpha; count", "forwarding-class gold; count", "has no queue"),
    ("next term;", "next filter;", "only `next term`"),
    ("[ first alpha ]", "[ first alphas ]", "filter alphas of family inet is not in the text"),
    ("source-prefix-list sites", "source-prefix-list site", "prefix-list site is not in the text"),
    ("{ 198.18.1.0/24; 198.18.2.0/24; 2001", "{ 2001", "has no inet prefix"),
    ("203.0.113.0/24; }", "203.0.113.1/24; }", "host bits"),
    ("interface-specific;", "interface-specific; physical-interface-filter;", "not understood"),
    ("bandwidth-limit 1g", "bandwidth-percent 10", "not understood"),
    ("bandwidth-limit 1g", "bandwidth-limit 0", "not a whole number"),
    ("percent 40 exact", "percent 140 exact", "not a whole number from 1 to 100"),
    ("percent 40 exact", "400m exact", "not understood"),
    ("priority medium-high", "priority urgent", "priority 'urgent' is none of"),
    ("buffer-size percent 30; }", "buffer-size percent 30; shaping-rate 1g; }", "`shaping-rate` is not understood"),
    ("buffer-size percent 30; }", "}", "buffer-size is missing"),
    ("scheduler a;", "scheduler z;", "scheduler z is not in the text"),
    ("scheduler-map core;", "scheduler-map cores;", "scheduler-map cores is not in the text"),
    ("scheduler-map core;", "scheduler-map core; shaping-rate 5g;", "`shaping-rate` is not understood"),
    ("xe-9/9/9 {", "xe-* {", "pattern matches xe-0/0/0"),
    ("drop-profile d;", "drop-profile e;", "drop-profile e is not in the text"),
    ("priority low;\n", "priority low; explicit-congestion-notification 5;\n", "nothing is expected here"),
    ("percent 30; }", "percent 30; explicit-congestion-notification; }", "defines when packets are marked"),
    ("[ 0 50 100 ]; drop", "[ 0 100 50 ]; drop", "must ascend"),
    ("fill-level [ 0 50 100 ]", "fill-level [ 0 50 101 ]", "not a whole number from 0 to 100"),
    ("queue 5 scavenger;", "queue 9 scavenger;", "not a whole number from 0 to 7"),
    ("vlan-id 100;", "vlan-id 100; filter { input x; }", "not understood on a judged interface"),
    ("vlan-id 100;", "vlan-id 100; apply-groups x;", "group x is not in the text"),
    ("system {", "forwarding-options { family inet { filter { input x; } } } system {", "packets of the table"),
    ("system {", "delete: snmp; system {", "not a tag that is understood"),
    ("family mpls;", "family mpls { filter { output x; } }", "output filter of a core interface"),
    ("family mpls;", "family mpls; family inet { filter input customers; }", "by a core interface"),
    ("lo0 {", "interface-range r { member xe-*; disable; } lo0 {", "not understood on a judged interface"),
    (
        "xe-0/0/1 { scheduler-map",
        "xe-0/0/0 { unit 100 { classifiers { dscp d; } } } xe-0/0/1 { scheduler-map",
        "classif",
    ),
]


@pytest.mark.parametrize(("old", "new", "reason"), REFUSED)
def test_refused_with_its_line(old: str, new: str, reason: str) -> None:
    assert TEXT.count(old) >= 1
    text = TEXT.replace(old, new, 1)
    with pytest.raises(ParseError, match=reason) as caught:
        read(text)
    # Where an object is missing or used, the line named is the one that uses it.
    assert 1 <= caught.value.line <= text.count("\n") + 1
    assert caught.value.text


@pytest.mark.parametrize(
    ("part", "new"), [("policer limit; accept;", "dscp ef; accept;"), ("priority medium-high", "priority urgent")]
)
def test_the_line_is_the_right_one(part: str, new: str) -> None:
    with pytest.raises(ParseError) as caught:
        read(TEXT.replace(part, new))
    assert caught.value.line == line_of(TEXT, part)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("firewall { family inet {", "not closed"),
        ("firewall }", "unexpected brace: no open block"),
        ("a { b c }", "an unterminated statement"),
        ('a "b', "string is not closed"),
        ("a [ b ;", "inside a list"),
        ("a ];", "closes no list"),
        ("{ a; }", "has no statement before it"),
        ("system { a#b; }", "ambiguous comment"),
        ("system { replace: ; }", "has no statement after it"),
        ("firewall { replace: policer x { then discard; } replace: policer x { then discard; } }", "is repeated"),
        ("firewall { policer x { then discard; } inactive: policer x { then discard; } }", "is repeated"),
        ("firewall { inactive: policer x { then discard; } policer x { then discard; } }", "is inactive in line 1"),
    ],
)
def test_no_junos_text(text: str, reason: str) -> None:
    with pytest.raises(ParseError, match=reason):
        read(text)


def test_next_hops_need_the_routes_of_the_interfaces() -> None:
    text = TEXT.replace("count pairs; policer limit; accept;", "routing-instance R;") + (
        "routing-instances { R { instance-type forwarding; "
        "routing-options { static route 0.0.0.0/0 next-hop 192.0.2.2; } } }\n"
    )
    outcome = classify(read(text), "xe-0/0/0", 100, ip_address("198.18.1.1"), ip_address("203.0.113.1"))
    assert outcome.path == NextHop(ip_address("192.0.2.2"), resolves=False)
    text += (
        "routing-options { interface-routes { rib-group inet G; } "
        "rib-groups { G { import-rib [ inet.0 R.inet.0 ]; } } }\n"
    )
    outcome = classify(read(text), "xe-0/0/0", 100, ip_address("198.18.1.1"), ip_address("203.0.113.1"))
    assert outcome.path == NextHop(ip_address("192.0.2.2"), resolves=True)
    with pytest.raises(ParseError, match="not of type forwarding"):
        read(text.replace("type forwarding", "type vrf"))
    with pytest.raises(ParseError, match="only a route for"):
        read(text.replace("0.0.0.0/0 next", "198.18.0.0/16 next"))


def test_an_export_policy_before_the_map_must_not_end_the_export() -> None:
    cos = "class-of-service { forwarding-policy { next-hop-map m { forwarding-class alpha lsp-next-hop L; } } }\n"
    options = "routing-options { forwarding-table { export [ balance by-class ]; } }\n"
    policies = "policy-options { policy-statement balance { then { load-balance per-packet; } } "
    policies += "policy-statement by-class { then cos-next-hop-map m; } }\n"
    model = read(TEXT + cos + options + policies)
    assert [str(each.path) for each in model.class_paths] == ["Lsp(name='L')"]
    with pytest.raises(ParseError, match="may end the export"):
        read(TEXT + cos + options + policies.replace("per-packet;", "per-packet; accept;"))


def test_a_candidate_that_does_not_replace_is_merged() -> None:
    made = model("junos")
    text = render(made).replace("replace: filter hntes-alpha-v4 {", "filter hntes-alpha-v4 {")
    assert parse_config("junos", text, made.interfaces).merged == ("firewall family inet filter hntes-alpha-v4",)
    assert parse_config("junos", text, made.interfaces, is_whole=True).merged == ()
    assert parse_config("junos", render(made), made.interfaces).merged == ()
