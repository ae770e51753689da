"""Findings on effective models, and the walk of packets, each on a text with one thing wrong."""

import dataclasses
from ipaddress import ip_address
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hntes.platforms.compare import differences
from hntes.platforms.effective import Action, Edge, Entry, Program
from hntes.platforms.expected import effective_of
from hntes.platforms.lookup import FilterLookup
from hntes.platforms.parse import EffectiveModel, ParseError, parse_config
from hntes.platforms.render import render
from hntes.platforms.structure import check_structure
from hntes.rules.pairs import PrefixPair
from tests.contract.platform.models import redirects_of, supports
from tests.support.packets import classify
from tests.support.qos_models import PAIRS, PLANS, PLATFORMS, many_pairs, model
from tests.support.qos_strategies import prefixes

PORT_KINDS = {"no_schedulers"}


def kinds(platform: Any, text: str, redirect: str = "none", pairs: tuple[PrefixPair, ...] = PAIRS) -> set[str]:
    interfaces = model(platform).interfaces
    try:
        found = parse_config(platform, text, interfaces)
    except ParseError:
        # A candidate holds no object that nothing names; a whole configuration may.
        found = parse_config(platform, text, interfaces, is_whole=True)
    return {each.kind for each in check_structure(found, pairs, alpha_queue=4, is_redirected=redirect != "none")}


TAKEN = [
    (platform, plan, redirect)
    for platform in PLATFORMS
    for plan in sorted(PLANS)
    for redirect in redirects_of(platform)
    if supports(platform, plan, redirect)
]


@pytest.mark.parametrize(("platform", "plan", "redirect"), TAKEN)
def test_rendered_texts_have_no_finding(platform: str, plan: str, redirect: str) -> None:
    made = model(platform, plan, redirect)
    found = parse_config(made.platform, render(made), made.interfaces)
    alpha = 0 if plan == "single_queue" else 4
    assert check_structure(found, PAIRS, alpha_queue=alpha, is_redirected=redirect != "none") == []
    assert differences(found, effective_of(made)) == []


WRONG = [
    ("junos", "none", "source-address 198.18.20.0/24", "source-address 198.18.21.0/24",
     {"pair_not_alpha", "other_alpha"}),
    ("junos", "none", "source-address 198.18.20.0/24", "source-address 198.18.20.0/23", {"other_alpha"}),
    ("junos", "none", "source-address 198.18.20.0/24", "source-address 198.18.20.0/25", {"pair_not_alpha"}),
    ("junos", "none", "source-address 2001:db8:3::/48", "source-address 2001:db8::/32", {"other_alpha"}),
    ("junos", "none", "source-address 198.18.10.7/32", "source-address 198.18.10.0/24", {"shadowed_entry"}),
    ("junos", "none", "then accept;", "then discard;", {"no_final_accept"}),
    ("junos", "none", "then accept;", "from { source-address 192.0.2.0/24; } then accept;", {"no_final_accept"}),
    ("junos", "none", "transmit-rate percent 40", "transmit-rate percent 41", {"shares_above_100"}),
    ("junos", "none", "buffer-size percent 40", "buffer-size percent 41", {"buffers_above_100"}),
    ("junos", "none", "forwarding-class alpha scheduler hntes-alpha;", "",
     {"class_without_scheduler", "queue_without_scheduler"}),
    ("junos", "none", "priority medium-low", "priority strict-high", {"may_starve"}),
    ("junos", "none", "scheduler-map hntes;", "", PORT_KINDS),
    ("junos", "none", "input hntes-alpha-v6;", "", {"not_bound"}),
    ("junos", "none", "replace: filter", "filter", {"merged_object"}),
    ("junos", "none", "accept;", "discard;", {"pair_discarded"}),
    ("junos", "next_hop", "inet hntes-alpha-v4;", "", {"path_unresolved"}),
    ("junos", "next_hop", "routing-instance hntes-alpha;", "accept;", {"pair_not_redirected"}),
    ("junos", "lsp", "export hntes-alpha-lsp;", "", {"pair_not_redirected"}),
    ("iosxr", "none", " match qos-group 4\n", " match qos-group 5\n",
     {"alpha_shares_queue", "queue_without_scheduler"}),
    ("iosxr", "none", "  set qos-group 0", "  set qos-group 4", {"other_alpha"}),
    ("iosxr", "none", "queue-limit 100 ms", "queue-limit 110 ms", {"buffers_above_100"}),
    ("iosxr", "none", "no ipv4 access-list hntes-alpha-v4\n", "", {"merged_object"}),
    ("iosxr", "next_hop", "2147483643 permit ipv4 any any", "2147483643 permit ipv4 any host 192.0.2.1",
     {"no_final_accept"}),
    ("iosxr", "next_hop", "2147483643 permit ipv4 any any", "2147483643 permit ipv4 any any nexthop1 ipv4 192.0.2.1",
     {"other_redirected"}),
    ("iosxr", "lsp", " service-policy type pbr input hntes-lsp\n", "", {"pair_not_redirected"}),
    ("iosxe", "none", "permit ip host 198.18.10.7 203.0.113.0 0.0.0.255", "permit ip any 203.0.113.0 0.0.0.255",
     {"other_alpha", "shadowed_entry"}),
    ("iosxe", "none", "bandwidth percent 40", "bandwidth percent 50", {"shares_above_100"}),
    ("iosxe", "lsp", " match ip address hntes-alpha-v4\n", "", {"other_redirected"}),
]  # fmt: skip


@pytest.mark.parametrize(("platform", "redirect", "old", "new", "expected"), WRONG)
def test_what_is_wrong_is_found(platform: str, redirect: str, old: str, new: str, expected: set[str]) -> None:
    text = render(model(platform, redirect=redirect))
    assert old in text
    assert expected <= kinds(platform, text.replace(old, new, _times(old)), redirect)


def _times(old: str) -> int:
    """The final accept of the first filter only: the other family's is of another kind."""
    return 1 if old == "then accept;" else -1


def test_a_finding_names_a_packet_and_the_entry() -> None:
    made = model("junos")
    text = render(made).replace("source-address 198.18.20.0/24", "source-address 198.18.20.0/25")
    text = text.replace("/* 198.18.20.0/24 > ", "/* 198.18.20.0/25 > ")
    (finding,) = check_structure(parse_config("junos", text, made.interfaces), PAIRS, alpha_queue=4)
    assert finding.subject == "198.18.20.0/24 > 203.0.113.0/24"
    assert "198.18.20.128 to 203.0.113.0 goes to queue 0" in finding.sentence


def test_differences_name_the_place() -> None:
    made = model("junos")
    text = render(made).replace("priority medium-high", "priority high")
    found = differences(parse_config("junos", text, made.interfaces), effective_of(made))
    assert found[0] == "text.ports[0].queues[2].priority: high, expected medium-high"


@pytest.mark.parametrize("platform", PLATFORMS)
def test_two_thousand_pairs_have_no_finding(platform: str) -> None:
    pairs = many_pairs()
    made = model(platform, redirect="next_hop", pairs=pairs)
    found = parse_config(made.platform, render(made), made.interfaces)
    assert check_structure(found, pairs, alpha_queue=4, is_redirected=True) == []


def test_next_lets_the_entries_below_decide() -> None:
    entries = (
        Entry((), (), Action("next", loss_priority="high")),
        Entry((), (), Action("next", queue=4, forwarding_class="alpha"), "mark"),
        Entry((), (), Action("accept")),
    )
    edge = Edge("xe-0/0/0", 0, 4, (Program("filter", entries, Action("discard")),))
    found = EffectiveModel("junos", (edge,), (), (), (), ())
    outcome = classify(found, "xe-0/0/0", 0, ip_address("192.0.2.1"), ip_address("192.0.2.2"))
    assert (outcome.queue, outcome.loss_priority, outcome.term, outcome.discarded) == (4, "high", "mark", False)
    with pytest.raises(KeyError):
        classify(found, "xe-0/0/0", 1, ip_address("192.0.2.1"), ip_address("192.0.2.2"))


@st.composite
def programs(draw: st.DrawFn) -> tuple[Entry, ...]:
    """Entries that overlap in all ways, some of which say `next`."""
    entries = []
    for number in range(draw(st.integers(0, 8))):
        sources = draw(st.lists(prefixes(4), max_size=2, unique=True))
        destinations = draw(st.lists(prefixes(4), max_size=2, unique=True))
        queue = draw(st.sampled_from([None, 0, 4]))
        disposition = draw(st.sampled_from(["accept", "accept", "discard", "next"]))
        entries.append(Entry(tuple(sources), tuple(destinations), Action(disposition, queue), str(number)))
    return tuple(entries)


def around(pairs: list[PrefixPair], entries: tuple[Entry, ...]) -> list[tuple[int, int]]:
    """Packets at the edges of all prefixes and one step outside."""
    sources = {0, (1 << 32) - 1}
    destinations = set(sources)
    for pair in pairs:
        sources |= _edges(pair.source)
        destinations |= _edges(pair.destination)
    for entry in entries:
        sources |= {one for each in entry.sources for one in _edges(each)}
        destinations |= {one for each in entry.destinations for one in _edges(each)}
    return [(source, destination) for source in sources for destination in destinations]


def _edges(network: Any) -> set[int]:
    first, last = int(network.network_address), int(network.broadcast_address)
    return {each for each in (first - 1, first, last, last + 1) if 0 <= each < 1 << 32}


def first_match(entries: tuple[Entry, ...], source: int, destination: int) -> tuple[bool, int]:
    """The definition: (discarded, queue), entry by entry."""
    queue = 0
    sender, receiver = ip_address(source), ip_address(destination)
    for each in entries:
        of_source = not each.sources or any(sender in one for one in each.sources)
        of_destination = not each.destinations or any(receiver in one for one in each.destinations)
        if of_source and of_destination:
            queue = queue if each.action.queue is None else each.action.queue
            if each.action.disposition != "next":
                return each.action.disposition == "discard", queue
    return True, queue


@given(entries=programs(), data=st.data())
def test_findings_are_exactly_what_packets_show(entries: tuple[Entry, ...], data: st.DataObject) -> None:
    """The regions against the definition: prefixes change only at edges, so packets there show everything."""
    drawn = data.draw(st.lists(st.tuples(prefixes(4), prefixes(4)), max_size=4, unique=True))
    pairs = [PrefixPair(source, destination) for source, destination in drawn]
    edge = Edge("xe-0/0/0", 0, 4, (Program("filter", entries, Action("discard")),))
    found = EffectiveModel("junos", (edge,), (), (), (), ())
    walker = FilterLookup(found, edge)
    expected: set[str] = set()
    for source, destination in around(pairs, entries):
        sender, receiver = ip_address(source), ip_address(destination)
        discarded, queue = first_match(entries, source, destination)
        outcome = walker.outcome(source, destination)
        assert (outcome.discarded, outcome.queue) == (discarded, queue)
        holding = any(each.contains(sender, receiver) for each in pairs)
        if holding and discarded:
            expected.add("pair_lost")
        elif holding and queue != 4:
            expected.add("pair_not_alpha")
        elif not holding and queue == 4 and not discarded:
            expected.add("other_alpha")
    listed = {each.kind for each in check_structure(found, pairs, alpha_queue=4)}
    # A pair with both kinds of wrong packets shows the first that is met.
    assert ("other_alpha" in listed) == ("other_alpha" in expected)
    assert bool(listed & {"pair_discarded", "pair_not_alpha"}) == bool(expected & {"pair_lost", "pair_not_alpha"})


@given(entries=programs())
def test_shadowed_entries_are_those_that_no_packet_reaches(entries: tuple[Entry, ...]) -> None:
    edge = Edge("xe-0/0/0", 0, 4, (Program("filter", entries, Action("discard")),))
    found = EffectiveModel("junos", (edge,), (), (), (), ())
    reached: set[str] = set()
    alone = [(dataclasses.replace(each, action=Action("accept")),) for each in entries]
    for source, destination in around([], entries):
        if len(reached) == len(entries):
            break
        for index, each in enumerate(entries):
            if not first_match(alone[index], source, destination)[0]:
                reached.add(str(index))
                if each.action.disposition != "next":
                    break
    last = len(entries) - 1
    shadowed = {
        str(index)
        for index, each in enumerate(entries)
        if str(index) not in reached and (index != last or each.sources or each.destinations)
    }
    listed = check_structure(found, [], alpha_queue=4)
    assert {each.subject for each in listed if each.kind == "shadowed_entry"} == shadowed
