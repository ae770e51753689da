"""Rules as of a day, from stored totals, follow from the observations; `why` of few pairs says what all rules say."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date, timedelta
from ipaddress import ip_network
from types import SimpleNamespace
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import delete

from hntes import clock
from hntes.rules.lifetime.pair_search import PairSearch
from hntes.rules.lifetime.why import explain
from hntes.rules.pairs import PrefixPair
from hntes.sql import day_status, observations, overrides
from hntes.sql.entries import DayEntry, ExclusionEntry, ObservationEntry, PinEntry
from hntes.sql.schema import METADATA
from hntes.sql.session import reading, transaction
from hntes.workflow.context import Context, opened
from hntes.workflow.review.queries import explain_pairs
from hntes.workflow.stages.rules_as_of import RulesAsOf, rules_as_of
from tests.support.entries import observation
from tests.support.rule_sets import PairDay, rule_set, within_budget

SPAN = 8
DAY = clock.today() - timedelta(days=2)
SOURCES = ("10.0.0.1", "10.0.0.9", "10.0.1.1", "10.0.2.1", "2001:db8::1")
DESTINATIONS = {4: ("10.9.0.1", "10.9.1.1"), 6: ("2001:db8:9::1", "2001:db8:9:1::1")}
HOSTS = [(one, other) for one in SOURCES for other in DESTINATIONS[6 if ":" in one else 4]]
PINNED = (
    "10.0.0.0/24>10.9.0.0/24",
    "10.0.0.0/23>10.9.0.0/16",
    "10.7.0.0/24>10.9.0.0/24",
    "2001:db8::/64>2001:db8:9::/64",
)
EXCLUDED = ("10.0.0.9/32", "10.0.0.0/23", "10.9.1.0/24", "2001:db8::/32")
KINDS = ("firm", "firm", "weak", "odd")
TABLES = ("observation", "observation_day", "day_status", "pin", "exclusion")
SEARCHES = ("10.0.0.1", "10.0.0.1>10.9.0.1", "10.0.0.0/22", ">10.9.0.0/16", "2001:db8::/64>", "192.0.2.1>192.0.2.2",
            "10.0.0.0/23>10.9.0.0/16")  # fmt: skip
NUMBERS = st.integers(0, SPAN - 1)


@dataclass(frozen=True)
class Flow:
    number: int
    hosts: tuple[str, str]
    bytes: int
    kind: str


FLOWS = st.lists(
    st.builds(Flow, NUMBERS, st.sampled_from(HOSTS), st.integers(1, 4), st.sampled_from(KINDS)),
    max_size=20,
)
COMPLETE = st.lists(st.booleans(), min_size=SPAN, max_size=SPAN)
PINS = st.lists(
    st.tuples(st.sampled_from(PINNED), NUMBERS, st.none() | st.integers(0, SPAN), st.none() | NUMBERS), max_size=2
)
EXCLUSIONS = st.lists(
    st.tuples(st.sampled_from(EXCLUDED), st.sampled_from(["source", "destination", "either"]), NUMBERS), max_size=2
)


def on(number: int) -> date:
    return DAY - timedelta(days=SPAN - 1 - number)


@pytest.fixture(scope="module")
def context(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Context]:
    folder = tmp_path_factory.mktemp("site")
    path = folder / "hntes.toml"
    path.write_text(_SETTINGS.format(folder=folder), encoding="utf-8")
    with opened(path) as made:
        yield made


_SETTINGS = """
[paths]
lake = "{folder}/lake"
output = "{folder}/output"
[database]
url = "sqlite:///{folder}/hntes.db"
[plans.recommended]
kind = "two_queue"
[[routers]]
name = "r1"
platform = "junos"
flow_folder = "flows"
term_budget = 2
[[routers.interfaces]]
name = "xe-0/0/0"
role = "edge"
rate_bps = 10_000_000_000
[[routers.interfaces]]
name = "xe-0/1/0"
role = "core"
rate_bps = 10_000_000_000
"""


@settings(max_examples=40)
@given(
    before=FLOWS, after=FLOWS, replaced=st.sets(NUMBERS), is_complete=COMPLETE,
    pins=PINS, exclusions=EXCLUSIONS, ageing_days=st.sampled_from([30, 30, 2]), weak=st.sampled_from(
        ["second_sighting", "second_sighting", "accept", "ignore"]), number=st.sampled_from([SPAN - 1, SPAN - 3]),
    in_force=st.sets(st.sampled_from([*HOSTS, ("10.8.0.1", "10.9.0.1")])),
)  # fmt: skip
def test_rules_follow_from_the_observations_stored_last(
    context: Context, before: list[Flow], after: list[Flow], replaced: set[int], is_complete: list[bool],
    pins: list[tuple[str, int, int | None, int | None]], exclusions: list[tuple[str, str, int]], ageing_days: int,
    weak: str, number: int, in_force: set[tuple[str, str]],
) -> None:  # fmt: skip
    router, day = context.settings.router("r1"), on(number)
    _forget(context)
    _observe(context, before, set(range(SPAN)), [True] * SPAN)
    _observe(context, after, replaced, is_complete)
    _enter(context, pins, exclusions)
    changed = replace(context, settings=_changed(context, ageing_days, weak))
    pairs = frozenset(_pair(*hosts) for hosts in in_force)
    base = SimpleNamespace(pairs=pairs)
    with (
        patch("hntes.workflow.stages.rules_as_of.base_hash", return_value="named"),
        patch("hntes.workflow.stages.rules_as_of.known_candidate", return_value=base),
        patch("hntes.workflow.review.queries.changes.in_force", return_value=SimpleNamespace(candidate_hash="named")),
        patch("hntes.workflow.review.queries.known_candidate", return_value=base),
    ):
        found = rules_as_of(changed, router, day)
        assert (found.rule_set, found.selection) == _computed(changed, pairs, day)
        for search in SEARCHES:
            explained = explain_pairs(changed, router, search, day, SPAN).explanations
            assert explained == _explained(changed, search, found, pairs, day)


def test_rules_of_a_router_do_not_see_another_routers_flows(context: Context) -> None:
    _forget(context)
    router = context.settings.router("r1")
    _observe(context, [Flow(7, HOSTS[0], 3, "firm")], {7}, [True] * SPAN)
    retired = router.model_copy(update={"name": "r9"})
    assert rules_as_of(context, retired, DAY).rule_set.rules == ()
    assert len(rules_as_of(context, router, DAY).rule_set.rules) == 1


def _forget(context: Context) -> None:
    with transaction(context.database) as session:
        for name in TABLES:
            session.execute(delete(METADATA.tables[name]))


def _observe(context: Context, flows: list[Flow], days: set[int], complete: list[bool]) -> None:
    with transaction(context.database) as session:
        for number in range(SPAN):
            entry = DayEntry(
                "r1", on(number), 86_400, 86_400, 1, 0, 1, complete[number], "" if complete[number] else "gap"
            )
            day_status.replace_day_status(session, entry)
            if number in days:
                seen = {flow.hosts: _observation(flow) for flow in flows if flow.number == number}
                observations.replace_day(session, "r1", on(number), seen.values())


def _observation(flow: Flow) -> ObservationEntry:
    source, destination = flow.hosts
    carried = flow.bytes * 10**9
    return observation(
        router="r1", day=on(flow.number), flow_id=f"{source} > {destination}", source=source, destination=destination,
        ip_version=6 if ":" in source else 4, flow_bytes=carried, burst_bytes=carried, peak_bytes=carried,
        borderline=flow.kind == "weak", implausible=flow.kind == "odd",
    )  # fmt: skip


def _enter(
    context: Context, pins: list[tuple[str, int, int | None, int | None]], exclusions: list[tuple[str, str, int]]
) -> None:
    with transaction(context.database) as session:
        for pair, start, lasting, withdrawn in pins:
            source, destination = pair.split(">")
            expires = on(start + lasting) if lasting is not None else None
            withdrawn_day = on(withdrawn) if withdrawn is not None else None
            overrides.add_pin(
                session, PinEntry("r1", source, destination, "anna", "why", on(start), expires, withdrawn_day)
            )
        for prefix, side, start in exclusions:
            entry = ExclusionEntry("r1", side, prefix, "bob", "why", on(start), DAY)
            overrides.add_exclusion(session, entry)


def _changed(context: Context, ageing_days: int, weak: str):  # type: ignore[no-untyped-def]
    given = context.settings
    return given.model_copy(
        update={
            "ageing": given.ageing.model_copy(update={"days": ageing_days}),
            "detection": given.detection.model_copy(update={"weak_evidence": weak}),
        }
    )


def _computed(context: Context, in_force: frozenset[PrefixPair], day: date) -> tuple[object, object]:
    """From the observations, one by one."""
    with reading(context.database) as session:
        statuses = day_status.day_statuses(session, "r1", day)
        seen = observations.history(session, "r1", DAY)
        believed = {(each.source, each.destination) for each in seen if not each.implausible}
        whole = rule_set(
            [_pair_day(each) for each in seen if each.day <= day and (each.source, each.destination) in believed],
            statuses, overrides.pins(session, "r1"), overrides.exclusions(session, "r1"), router="r1", day=day,
            ageing_days=context.settings.ageing.days, weak_evidence=context.settings.detection.weak_evidence,
            in_force=in_force, day_complete=statuses[-1].complete,
        )  # fmt: skip
    return whole, within_budget(whole.rules, 2, in_force)


def _pair_day(seen: ObservationEntry) -> PairDay:
    pair = _pair(seen.source, seen.destination)
    if seen.implausible:
        return PairDay(pair, seen.day, 0, 0, 0, is_implausible=True)
    return PairDay(pair, seen.day, 1, seen.flow_bytes, seen.peak_bytes, seen.borderline)


def _explained(
    context: Context, text: str, whole: RulesAsOf, in_force: frozenset[PrefixPair], day: date
) -> tuple[object, ...]:
    """From all rules, whatever is asked."""
    with reading(context.database) as session:
        pins = overrides.pins(session, "r1")
        seen = observations.history(session, "r1", day, on(0))
    known = {rule.pair for rule in whole.rule_set.rules} | {gone.pair for gone in whole.rule_set.left}
    pinned = {PrefixPair.parse(f"{pin.source}>{pin.destination}") for pin in pins}
    found = PairSearch.parse(text).among(known | pinned | in_force)
    return tuple(
        explain(
            pair, whole.rule_set, whole.selection, in_force_pairs=in_force, pins=pins,
            observations=seen if len(found) == 1 else (), evidence_days=SPAN,
        )
        for pair in found
    )  # fmt: skip


def _pair(source: str, destination: str) -> PrefixPair:
    length = 64 if ":" in source else 24
    one, other = (ip_network(f"{end}/{length}", strict=False) for end in (source, destination))
    return PrefixPair(one, other)
