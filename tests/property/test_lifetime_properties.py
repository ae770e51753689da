"""Invariants of rule lifetime for any history, compared with a separate day-by-day simulation."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import date, timedelta
from ipaddress import IPv4Address, IPv4Network, ip_network
from itertools import pairwise
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from hntes.rules.columns import HostPairs, whole
from hntes.rules.lifetime.history import PrefixLengths, Sightings, pair_history
from hntes.rules.lifetime.rule import Rule, RuleSet, excludes
from hntes.rules.pairs import PrefixPair
from hntes.sql.entries import DayEntry, ExclusionEntry, PinEntry, WeakEvidence
from tests.support.rule_sets import PairDay, pair_days, rule_set, within_budget

FIRST = date(2026, 1, 1)
SPAN = 40
SOURCES = ("10.0.0.0/24", "10.0.1.0/24", "10.0.1.128/25", "2001:db8::/64")
DESTINATIONS = {4: ("10.9.0.0/24", "10.0.0.0/16"), 6: ("2001:db8:9::/64",)}
PAIRS = [
    PrefixPair(ip_network(source), ip_network(destination))
    for source in SOURCES
    for destination in DESTINATIONS[ip_network(source).version]
]
EXCLUDED = ("10.0.0.7/32", "10.0.0.0/23", "10.9.0.0/24", "0.0.0.0/0", "2001:db8::/32", "192.0.2.0/24")


@dataclass(frozen=True)
class Given:
    """One drawn world: a router's history with its days, pins and exclusions."""

    history: tuple[PairDay, ...]
    statuses: tuple[DayEntry, ...]
    pins: tuple[PinEntry, ...]
    exclusions: tuple[ExclusionEntry, ...]
    ageing_days: int
    weak_evidence: WeakEvidence = "second_sighting"

    def as_of(self, number: int, in_force: Iterable[PrefixPair] = (), *, day_complete: bool = True) -> RuleSet:
        return rule_set(
            self.history,
            self.statuses,
            self.pins,
            self.exclusions,
            router="r1",
            day=on(number),
            ageing_days=self.ageing_days,
            weak_evidence=self.weak_evidence,
            in_force=in_force,
            day_complete=day_complete,
        )


def on(number: int) -> date:
    return FIRST + timedelta(days=number)


NUMBERS = st.integers(0, SPAN - 1)
PAIR_DAYS = st.builds(
    lambda pair, n, total, kind: (
        PairDay(pair, on(n), 0, 0, 0, is_implausible=True)
        if kind == "implausible"
        else PairDay(pair, on(n), 1, total, total, kind == "weak")
    ),
    st.sampled_from(PAIRS), NUMBERS, st.integers(1, 9), st.sampled_from(["firm", "weak", "implausible"]),
)  # fmt: skip
STATUSES = st.lists(st.sampled_from(["complete", "complete", "incomplete", "missing"]), min_size=SPAN, max_size=SPAN)


def _statuses(words: list[str]) -> tuple[DayEntry, ...]:
    return tuple(
        DayEntry("r1", on(n), 1, 1, 1, 0, 1, word == "complete", "")
        for n, word in enumerate(words)
        if word != "missing"
    )


@st.composite
def pins(draw: st.DrawFn) -> PinEntry:
    pair, start = draw(st.sampled_from(PAIRS)), draw(NUMBERS)
    expires = draw(st.none() | st.integers(start, SPAN).map(on))
    withdrawn = draw(st.none() | st.integers(0, SPAN).map(on))
    router = draw(st.sampled_from(["r1", "r1", "r2"]))
    return PinEntry(router, str(pair.source), str(pair.destination), "alice", "why", on(start), expires, withdrawn)


@st.composite
def exclusions(draw: st.DrawFn) -> ExclusionEntry:
    start = draw(NUMBERS)
    return ExclusionEntry(
        draw(st.sampled_from(["r1", "*", "r2"])),
        draw(st.sampled_from(["source", "destination", "either"])),
        draw(st.sampled_from(EXCLUDED)),
        "bob",
        "why",
        on(start),
        on(draw(st.integers(start, SPAN))),
        draw(st.none() | st.integers(0, SPAN).map(on)),
    )


WORLDS = st.builds(
    Given,
    history=st.lists(PAIR_DAYS, max_size=25).map(tuple),
    statuses=STATUSES.map(_statuses),
    pins=st.lists(pins(), max_size=3).map(tuple),
    exclusions=st.lists(exclusions(), max_size=2).map(tuple),
    ageing_days=st.integers(1, 8),
    weak_evidence=st.sampled_from(["second_sighting", "second_sighting", "accept", "ignore"]),
)


@given(WORLDS)
def test_the_rule_set_is_what_living_day_by_day_leads_to(world: Given) -> None:
    lived = _Lived(world)
    for number in range(SPAN):
        lived.next_day(on(number))
        rules = world.as_of(number)
        assert {rule.pair: _lived_facts(rule) for rule in rules.rules} == lived.rules(on(number))
        assert {gone.pair for gone in rules.left} == lived.known - set(lived.rules(on(number)))
        assert {gone.pair: gone.cause for gone in rules.left} == lived.causes(on(number))


@given(WORLDS, NUMBERS, st.randoms(use_true_random=False))
def test_the_order_of_what_is_given_does_not_matter(world: Given, number: int, random: Random) -> None:
    def shuffled(items: tuple) -> tuple:  # type: ignore[type-arg]
        return tuple(random.sample(items, len(items)))

    other = replace(
        world,
        history=shuffled(world.history),
        statuses=shuffled(world.statuses),
        pins=shuffled(world.pins),
        exclusions=shuffled(world.exclusions),
    )
    assert other.as_of(number) == world.as_of(number)


@given(WORLDS, NUMBERS)
def test_what_comes_later_does_not_matter(world: Given, number: int) -> None:
    day = on(number)
    known = replace(
        world,
        history=tuple(seen for seen in world.history if seen.day <= day),
        statuses=tuple(status for status in world.statuses if status.day <= day),
        pins=tuple(pin for pin in world.pins if pin.from_day <= day),
        exclusions=tuple(exclusion for exclusion in world.exclusions if exclusion.from_day <= day),
    )
    assert known.as_of(number) == world.as_of(number)


@given(WORLDS, NUMBERS)
def test_a_longer_ageing_interval_keeps_every_pair_that_a_shorter_one_keeps(world: Given, number: int) -> None:
    kept = {rule.pair for rule in world.as_of(number).rules}
    longer = {rule.pair for rule in replace(world, ageing_days=world.ageing_days + 1).as_of(number).rules}
    assert kept <= longer


@given(WORLDS)
def test_age_never_falls_while_a_pair_is_not_seen(world: Given) -> None:
    for number, following in pairwise(range(SPAN)):
        ages = {rule.pair: rule for rule in world.as_of(number).rules}
        for rule in world.as_of(following).rules:
            before = ages.get(rule.pair)
            if before is not None and rule.last_seen == before.last_seen:
                assert 0 <= rule.age_days - before.age_days <= 1


@given(WORLDS, NUMBERS)
def test_without_complete_days_nothing_ages_out(world: Given, number: int) -> None:
    statuses = tuple(replace(s, complete=False) for s in world.statuses)
    incomplete = replace(world, statuses=statuses, exclusions=(), weak_evidence="accept")
    rules = incomplete.as_of(number)
    seen = {seen.pair for seen in world.history if seen.day <= on(number) and not seen.is_implausible}
    assert seen <= {rule.pair for rule in rules.rules}
    assert all(gone.cause == "pin_ended" for gone in rules.left)


@given(WORLDS, NUMBERS, st.sets(st.sampled_from(PAIRS)))
def test_exclusions_win_on_every_night(world: Given, number: int, in_force: set[PrefixPair]) -> None:
    active = [e for e in world.exclusions if e.covers("r1") and e.active_on(on(number))]
    for night in (world.as_of(number, in_force), world.as_of(number, in_force, day_complete=False)):
        for rule in night.rules:
            assert not any(excludes(exclusion, rule.pair) for exclusion in active)


@given(WORLDS, NUMBERS, st.sets(st.sampled_from(PAIRS)))
def test_an_incomplete_night_removes_by_exclusion_only(world: Given, number: int, in_force: set[PrefixPair]) -> None:
    rules = world.as_of(number, in_force, day_complete=False)
    kept = {rule.pair for rule in rules.rules}
    removed = {gone.pair: gone.cause for gone in rules.left if gone.pair in in_force}
    assert removed == dict.fromkeys(in_force - kept, "excluded")
    assert {rule.pair for rule in world.as_of(number).rules} <= kept
    selected = {rule.pair for rule in within_budget(rules.rules, len(in_force), in_force).kept}
    assert in_force & kept <= selected


@given(WORLDS, NUMBERS, st.integers(0, 8), st.sets(st.sampled_from(PAIRS)))
def test_the_budget_is_kept_and_nothing_less_deserving_has_a_term(
    world: Given, number: int, budget: int, in_force: set[PrefixPair]
) -> None:
    rules = world.as_of(number, in_force, day_complete=number % 2 == 0).rules
    selection = within_budget(rules, budget, in_force)
    assert len(selection.kept) == min(budget, len(rules))
    assert sorted([*selection.kept, *selection.left_out], key=lambda rule: rule.pair.sort_key) == list(rules)
    for out in selection.left_out:
        for kept in selection.kept:
            assert kept.protected >= out.protected
            if kept.protected == out.protected:
                assert kept.pinned >= out.pinned
            if (kept.protected, kept.pinned) == (out.protected, out.pinned):
                newcomer = kept.days_seen < 2 and kept.pair not in in_force
                assert not newcomer or (out.days_seen < 2 and out.pair not in in_force)
                if newcomer or out.days_seen >= 2 or out.pair in in_force:
                    weights = [r.recent_bytes * (2 if r.pair in in_force else 1) for r in (kept, out)]
                    assert weights[0] >= weights[1]


@given(
    st.lists(st.tuples(NUMBERS, st.integers(0, 2**32 - 1), st.integers(0, 2**32 - 1), st.integers(1, 2**50))),
    st.integers(8, 32),
    st.randoms(use_true_random=False),
)
def test_widening_keeps_every_flow_and_byte_in_whatever_order(
    flows: list[tuple[int, int, int, int]],
    length: int,
    random: Random,
) -> None:
    found = _widened(flows, length)
    assert _widened(random.sample(flows, len(flows)), length) == found
    assert sum(entry.flows for entry in found) == len(flows)
    assert sum(entry.bytes for entry in found) == sum(flow[3] for flow in flows)
    assert len({(entry.pair, entry.day) for entry in found}) == len(found)


Facts = tuple[date | None, date | None, date, int, int, int, bool]


def _lived_facts(rule: Rule) -> Facts:
    return rule.first_seen, rule.last_seen, rule.since, rule.age_days, rule.frozen_days, rule.alpha_bytes, rule.pinned


class _Lived:
    """The oracle: state carried from day to day, as a router's table would be, with nothing of the code under test."""

    def __init__(self, world: Given) -> None:
        self.world = world
        self.complete = {status.day for status in world.statuses if status.complete}
        self.first: dict[PrefixPair, date] = {}
        self.last: dict[PrefixPair, date] = {}
        self.age: dict[PrefixPair, int] = {}
        self.frozen: dict[PrefixPair, int] = {}
        self.total: dict[PrefixPair, int] = {}
        self.since: dict[PrefixPair, date] = {}
        self.passed: dict[PrefixPair, list[PairDay]] = {}
        self.sighted: dict[PrefixPair, date] = {}
        self.unseen: dict[PrefixPair, int] = {}
        self.pinned: set[PrefixPair] = set()
        self.known: set[PrefixPair] = set()

    def next_day(self, day: date) -> None:
        for pair in self.last:
            self.age[pair] += day in self.complete
            self.frozen[pair] += day not in self.complete
        for pair in self.unseen:
            self.unseen[pair] += day in self.complete
        self._renew(day)
        today = [seen for seen in self.world.history if seen.day == day and not seen.is_implausible]
        counted = {seen.pair for seen in today if self._counts(seen, today)}
        self.sighted |= {seen.pair: day for seen in today}
        self.unseen |= {seen.pair: 0 for seen in today}
        for seen in today:
            if seen.pair not in counted:
                self.passed.setdefault(seen.pair, []).append(seen)
                self.known.add(seen.pair)
            else:
                self.first.setdefault(seen.pair, day)
                self.last[seen.pair] = day
                self.age[seen.pair] = self.frozen[seen.pair] = 0
                self.total[seen.pair] = self.total.get(seen.pair, 0) + seen.bytes
        self.pinned = {pair for pair in PAIRS if any(self._pins(pin, pair, day) for pin in self.world.pins)}
        young = {pair for pair, age in self.age.items() if age <= self.world.ageing_days}
        alive = young | self.pinned
        self.since = {pair: self.since.get(pair, day) for pair in alive}
        self.known |= alive

    def _renew(self, day: date) -> None:
        """What cannot be true keeps a pair young, and does nothing else."""
        today = [seen for seen in self.world.history if seen.day == day]
        believed = {seen.pair for seen in today if not seen.is_implausible}
        for pair in {seen.pair for seen in today} - believed:
            if pair in self.last and self.age[pair] <= self.world.ageing_days:
                self.last[pair] = self.sighted[pair] = day
                self.age[pair] = self.frozen[pair] = self.unseen[pair] = 0

    def _counts(self, seen: PairDay, today: list[PairDay]) -> bool:
        """Weak evidence needs a sighting before it, not longer ago than the ageing interval."""
        firm = self.world.weak_evidence == "accept" or any(o.pair == seen.pair and not o.is_weak for o in today)
        before = self.unseen.get(seen.pair)
        second = before is not None and before <= self.world.ageing_days
        return firm or (self.world.weak_evidence == "second_sighting" and second)

    def rules(self, day: date) -> dict[PrefixPair, Facts]:
        return {
            pair: self._facts(pair, since, day) for pair, since in self.since.items() if not self._excluded(pair, day)
        }

    def _facts(self, pair: PrefixPair, since: date, day: date) -> Facts:
        passed = self.passed.get(pair)
        if passed and pair not in self.last:
            # pinned, and seen on weak evidence only
            last = passed[-1].day
            frozen = (day - last).days - self.unseen[pair]
            total = sum(seen.bytes for seen in passed)
            return passed[0].day, last, since, self.unseen[pair], frozen, total, pair in self.pinned
        return (
            self.first.get(pair),
            self.last.get(pair),
            since,
            self.age.get(pair, 0),
            self.frozen.get(pair, 0),
            self.total.get(pair, 0),
            pair in self.pinned,
        )

    def causes(self, day: date) -> dict[PrefixPair, str]:
        causes = {}
        for pair in self.known:
            if self._excluded(pair, day):
                causes[pair] = "excluded"
            elif pair not in self.since:
                passed = self.passed.get(pair)
                is_latest = passed is not None and passed[-1].day == self.sighted[pair]
                may_wait = self.world.weak_evidence == "second_sighting" and is_latest
                if may_wait and self.unseen[pair] <= self.world.ageing_days:
                    causes[pair] = "waiting"
                elif pair in self.last:
                    causes[pair] = "aged_out"
                else:
                    causes[pair] = "weak_evidence" if passed else "pin_ended"
        return causes

    @staticmethod
    def _pins(pin: PinEntry, pair: PrefixPair, day: date) -> bool:
        if pin.router != "r1" or (pin.source, pin.destination) != (str(pair.source), str(pair.destination)):
            return False
        ended = pin.expires_day is not None and pin.expires_day < day
        withdrawn = pin.withdrawn_day is not None and pin.withdrawn_day <= day
        return pin.from_day <= day and not ended and not withdrawn

    def _excluded(self, pair: PrefixPair, day: date) -> bool:
        for e in self.world.exclusions:
            withdrawn = e.withdrawn_day is not None and e.withdrawn_day <= day
            if e.scope_router == "r2" or withdrawn or not e.from_day <= day <= e.expires_day:
                continue
            prefix = ip_network(e.prefix)
            sides = {"source": [pair.source], "destination": [pair.destination]}
            for side in sides.get(e.side, [pair.source, pair.destination]):
                if _common_host(prefix, side):
                    return True
        return False


def _common_host(one: object, other: object) -> bool:
    """Two prefixes have a host in common if the longer begins like the shorter: compared bit by bit."""
    assert hasattr(one, "version")
    assert hasattr(other, "version")
    if one.version != other.version:
        return False
    width = 32 if isinstance(one, IPv4Network) else 128
    bits = [f"{int(prefix.network_address):0{width}b}" for prefix in (one, other)]  # type: ignore[attr-defined]
    shorter = min(one.prefixlen, other.prefixlen)  # type: ignore[attr-defined]
    return bits[0][:shorter] == bits[1][:shorter]


def _widened(flows: list[tuple[int, int, int, int]], length: int) -> list[PairDay]:
    """Flows of a day, a source, a destination and a size."""
    hosts = HostPairs.of([(str(IPv4Address(source)), str(IPv4Address(end))) for _, source, end, _ in flows])
    sizes, ones = whole([flow[3] for flow in flows]), whole([1 for _ in flows])
    days = whole([on(flow[0]).toordinal() for flow in flows])
    seen = Sightings(whole(range(len(flows))), days, ones, 0 * ones, sizes, sizes, ones == 0)
    return pair_days(pair_history(hosts, seen, PrefixLengths((length, length), (64, 64))))
