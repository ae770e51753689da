"""The replay of all evenings in one pass, against the nights' own decisions taken evening by evening."""

from dataclasses import replace
from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hntes.rules.backtest.filters import Reading, daily_filters
from hntes.rules.backtest.queued import always, queued
from hntes.rules.columns import PairColumns
from hntes.rules.lifetime.evenings import Policy
from hntes.rules.lifetime.history import PrefixLengths
from hntes.rules.pairs import PrefixPair
from hntes.sql.entries import ExclusionEntry, PinEntry
from tests.support.backtest_oracle import ROUTER, Flow, World, filters, is_held

FIRST = date(2026, 1, 1)
SPAN = 16
HOSTS = {
    4: (("10.0.0.1", "10.0.0.2", "10.0.1.1", "10.0.1.200"), ("10.9.0.1", "10.9.0.77", "10.9.1.1")),
    6: (("2001:db8::1", "2001:db8:0:1::1", "2001:db8::8000:0:0:1"), ("2001:db8:9::1", "2001:db8:9::2")),
}
PINNED = (
    "10.0.0.0/23>10.9.0.0/16",
    "10.0.0.0/24>10.9.0.0/24",
    "10.0.0.1/32>10.9.0.1/32",
    "2001:db8::/48>2001:db8:9::/64",
)
EXCLUDED = ("10.0.0.2/32", "10.9.0.0/24", "10.0.1.128/25", "2001:db8::/32")
NUMBERS = st.integers(0, SPAN - 1)
LENGTHS = st.sampled_from(
    [PrefixLengths((24, 24), (64, 64)), PrefixLengths((32, 32), (128, 128)), PrefixLengths((32, 24), (128, 64))]
)


def on(number: int) -> date:
    return FIRST + timedelta(days=number)


@st.composite
def ends(draw: st.DrawFn) -> tuple[str, str]:
    sources, destinations = HOSTS[draw(st.sampled_from([4, 4, 6]))]
    return draw(st.sampled_from(sources)), draw(st.sampled_from(destinations))


@st.composite
def flows(draw: st.DrawFn) -> Flow:
    kind = draw(st.sampled_from(["firm", "firm", "weak", "implausible"]))
    source, destination = draw(ends())
    return Flow(on(draw(NUMBERS)), source, destination, draw(st.integers(1, 9)), kind == "weak", kind == "implausible")


@st.composite
def pins(draw: st.DrawFn) -> PinEntry:
    pair = PrefixPair.parse(draw(st.sampled_from(PINNED)))
    begin = draw(NUMBERS)
    end = draw(st.none() | st.integers(begin, SPAN))
    withdrawn = draw(st.none() | st.integers(begin, SPAN))
    return PinEntry(
        ROUTER, str(pair.source), str(pair.destination), "anna", "copy", on(begin), None if end is None else on(end),
        None if withdrawn is None else on(withdrawn),
    )  # fmt: skip


@st.composite
def exclusions(draw: st.DrawFn) -> ExclusionEntry:
    side = draw(st.sampled_from(["source", "destination", "either"]))
    begin = draw(NUMBERS)
    return ExclusionEntry(
        "*", side, draw(st.sampled_from(EXCLUDED)), "ben", "lab", on(begin), on(draw(st.integers(begin, SPAN)))
    )


@st.composite
def worlds(draw: st.DrawFn) -> World:
    drawn = draw(st.lists(flows(), max_size=14))
    believed = {(flow.source, flow.destination) for flow in drawn if not flow.is_implausible}
    kept = tuple(flow for flow in drawn if (flow.source, flow.destination) in believed)
    days = draw(st.lists(st.booleans(), min_size=SPAN, max_size=SPAN))
    beta = draw(st.lists(st.tuples(NUMBERS.map(on), ends(), st.integers(1, 9)), max_size=5))
    return World(
        kept,
        frozenset(on(number) for number, is_complete in enumerate(days) if is_complete),
        tuple(draw(st.lists(pins(), max_size=2))),
        tuple(draw(st.lists(exclusions(), max_size=2))),
        tuple((day, *hosts, carried) for day, hosts, carried in beta),
    )


POLICIES = st.builds(
    Policy, LENGTHS, st.integers(1, 5), st.sampled_from(["second_sighting", "accept", "ignore"]),
    st.sampled_from([0, 1, 2, 3, 100]),
)  # fmt: skip


@given(worlds(), POLICIES, st.sampled_from(["approved", "never_approved"]), st.integers(0, SPAN - 1))
def test_one_pass_gives_the_filters_and_the_traffic_of_every_evening(
    world: World, policy: Policy, reading: Reading, begin: int
) -> None:
    days = [on(number) for number in range(begin, SPAN)]
    found = daily_filters(world.inputs(policy.lengths), policy, days[0], days[-1], reading)
    if reading == "approved" and not found.depends_on_approvals:
        other = daily_filters(world.inputs(policy.lengths), policy, days[0], days[-1], "never_approved")
        assert [column.tolist() for column in vars(other.spans).values()] == [
            column.tolist() for column in vars(found.spans).values()
        ]
    wanted = filters(world, policy, days, every_one_approved=reading == "approved", begins=FIRST)
    assert found.used.tolist() == [len(wanted[day]) for day in days]
    traffic = _of_days(world, days)
    got = queued(traffic.traffic(), found.pairs, found.spans)
    assert got.alpha.tolist() == [
        is_held(f.source, f.destination, wanted[f.day]) for f in traffic.flows if not f.is_implausible
    ]
    assert got.beta.tolist() == [
        is_held(source, destination, wanted[day]) for day, source, destination, _ in traffic.beta
    ]


@given(
    worlds(), st.lists(st.sampled_from((*PINNED, "10.0.1.0/24>10.9.1.0/24", "10.0.0.2/32>10.9.0.0/24")), unique=True)
)
def test_a_flow_is_queued_where_some_pair_holds_both_its_hosts(world: World, texts: list[str]) -> None:
    pairs = [PrefixPair.parse(text) for text in texts]
    columns = PairColumns.of(pairs)
    traffic = world.traffic()
    got = queued(traffic, columns, always(columns))
    held = frozenset(pairs)
    seen = [flow for flow in world.flows if not flow.is_implausible]
    assert got.alpha.tolist() == [is_held(flow.source, flow.destination, held) for flow in seen]
    assert got.beta.tolist() == [is_held(source, destination, held) for _, source, destination, _ in world.beta]


@given(worlds(), st.integers(1, 5))
def test_wider_prefixes_and_longer_ageing_never_queue_less(world: World, ageing_days: int) -> None:
    """Any /32 rule that held implies the /24 rule: provable where no exclusion, pin or budget interferes."""
    bare = replace(world, pins=(), exclusions=())
    days = (on(1), on(SPAN - 1))
    narrow = Policy(PrefixLengths((32, 32), (128, 128)), ageing_days, "accept", 100)
    wide = replace(narrow, lengths=PrefixLengths((24, 24), (64, 64)))
    traffic = bare.traffic()
    counts = []
    for policy in (narrow, wide, replace(wide, ageing_days=ageing_days + 1)):
        found = daily_filters(bare.inputs(policy.lengths), policy, *days, "approved")
        counts.append(queued(traffic, found.pairs, found.spans).alpha)
    assert (counts[0] <= counts[1]).all()
    assert (counts[1] <= counts[2]).all()


@pytest.mark.parametrize("text", PINNED)
def test_the_order_of_terms_is_that_of_the_filter(text: str) -> None:
    pairs = [PrefixPair.parse(each) for each in (text, *(other for other in PINNED if other != text))]
    places = PairColumns.of(pairs).filter_order().tolist()
    ordered = [pair for _, pair in sorted(zip(places, pairs, strict=True))] if len(set(places)) == len(pairs) else []
    assert ordered == sorted(pairs, key=lambda pair: pair.sort_key)


def _of_days(world: World, days: list[date]) -> World:
    return replace(
        world,
        flows=tuple(flow for flow in world.flows if flow.day in days),
        beta=tuple(row for row in world.beta if row[0] in days),
    )
