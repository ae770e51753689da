"""Rules from what was kept of a history are those computed from all of it, whatever was changed since it was kept."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date, timedelta
from ipaddress import ip_network
from types import SimpleNamespace
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import delete, select, update

from hntes import clock
from hntes.rules.lifetime.budget import within_budget
from hntes.rules.lifetime.pair_days import pair_days
from hntes.rules.lifetime.pair_search import PairSearch
from hntes.rules.lifetime.rule_set import never_remove_when_incomplete, rule_set
from hntes.rules.lifetime.why import explain
from hntes.rules.pairs import PrefixPair
from hntes.sql import day_status, observations, overrides, rules_by_history
from hntes.sql.entries import DayEntry, ExclusionEntry, ObservationEntry, PinEntry
from hntes.sql.rules_by_history import RULES_BY_HISTORY
from hntes.sql.schema import METADATA
from hntes.sql.session import reading, transaction
from hntes.workflow.context import Context, opened
from hntes.workflow.review.queries import explain_pairs
from hntes.workflow.stages.history_rules import keep_history_rules
from hntes.workflow.stages.rules_as_of import RulesAsOf, rules_as_of
from tests.support.entries import observation

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
TABLES = ("observation", "observation_digest", "rules_by_history", "day_status", "pin", "exclusion")
SEARCHES = ("10.0.0.1", "10.0.0.1>10.9.0.1", "10.0.0.0/22", ">10.9.0.0/16", "2001:db8::/64>", "192.0.2.1>192.0.2.2",
            "10.0.0.0/23>10.9.0.0/16")  # fmt: skip
NUMBERS = st.integers(0, SPAN - 1)


@dataclass(frozen=True)
class Flow:
    number: int
    hosts: tuple[str, str]
    octets: int
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


@settings(max_examples=25)
@given(
    before=FLOWS, after=FLOWS, replaced=st.sets(NUMBERS), was_complete=COMPLETE, is_complete=COMPLETE,
    pins=PINS, exclusions=EXCLUSIONS, ageing_days=st.sampled_from([30, 30, 2]), weak=st.sampled_from(
        ["second_sighting", "second_sighting", "accept", "ignore"]),
    in_force=st.sets(st.sampled_from([*HOSTS, ("10.8.0.1", "10.9.0.1")])), few=st.sampled_from([0, 200]),
)  # fmt: skip
def test_what_was_kept_gives_what_the_whole_history_gives(
    context: Context, before: list[Flow], after: list[Flow], replaced: set[int], was_complete: list[bool],
    is_complete: list[bool], pins: list[tuple[str, int, int | None, int | None]],
    exclusions: list[tuple[str, str, int]], ageing_days: int, weak: str, in_force: set[tuple[str, str]], few: int,
) -> None:  # fmt: skip
    router = context.settings.router("r1")
    _forget(context)
    _observe(context, before, set(range(SPAN)), was_complete)
    keep_history_rules(context, router, DAY)
    _observe(context, after, replaced, is_complete)
    _enter(context, pins, exclusions)
    changed = replace(context, settings=_changed(context, ageing_days, weak))
    pairs = frozenset(_pair(*hosts) for hosts in in_force)
    base = SimpleNamespace(pairs=pairs)
    with (
        patch("hntes.workflow.stages.rules_as_of._base_hash", return_value="named"),
        patch("hntes.workflow.stages.rules_as_of.known_candidate", return_value=base),
        patch("hntes.workflow.stages.rules_as_of.FEW", few),
        patch("hntes.workflow.review.queries.changes.in_force", return_value=SimpleNamespace(candidate_hash="named")),
        patch("hntes.workflow.review.queries.known_candidate", return_value=base),
    ):
        found = rules_as_of(changed, router, DAY)
        wanted = _computed(changed, pairs)
        assert (found.rule_set, found.selection) == wanted
        keep_history_rules(changed, router, DAY)
        assert rules_as_of(changed, router, DAY) == found
        for search in SEARCHES:
            assert explain_pairs(changed, router, search, DAY, SPAN).explanations == _explained(
                changed, search, found, pairs
            )


def test_what_is_kept_is_read_while_nothing_has_changed(context: Context) -> None:
    router = context.settings.router("r1")
    _forget(context)
    _observe(context, [Flow(7, HOSTS[0], 3, "firm")], {7}, [True] * SPAN)
    keep_history_rules(context, router, DAY)
    with patch("hntes.workflow.stages.history_rules.rule_set", side_effect=AssertionError("computed anew")):
        assert len(rules_as_of(context, router, DAY).rule_set.rules) == 1
        keep_history_rules(context, router, DAY)
        other_code = patch("hntes.rules.lifetime.by_history.code_digest", return_value="other code")
        with other_code, pytest.raises(AssertionError, match="computed anew"):
            rules_as_of(context, router, DAY)
        _observe(context, [Flow(7, HOSTS[0], 4, "firm")], {7}, [True] * SPAN)
        with pytest.raises(AssertionError, match="computed anew"):
            rules_as_of(context, router, DAY)


@pytest.mark.parametrize("content", ["", "{}", None])
def test_what_was_damaged_or_edited_is_computed_anew(context: Context, content: str | None) -> None:
    router = context.settings.router("r1")
    _forget(context)
    _observe(context, [Flow(7, HOSTS[0], 3, "firm")], {7}, [True] * SPAN)
    keep_history_rules(context, router, DAY)
    wanted = rules_as_of(context, router, DAY)
    with transaction(context.database) as session:
        kept = session.execute(select(RULES_BY_HISTORY.c.content)).scalar_one()
        edited = kept.replace('"flows":[1]', '"flows":[2]') if content is None else content
        session.execute(update(RULES_BY_HISTORY).values(content=edited))
    assert rules_as_of(context, router, DAY) == wanted
    keep_history_rules(context, router, DAY)
    with patch("hntes.workflow.stages.history_rules.rule_set", side_effect=AssertionError("computed anew")):
        assert rules_as_of(context, router, DAY) == wanted


def test_the_newest_day_is_kept(context: Context) -> None:
    router = context.settings.router("r1")
    _forget(context)
    for day, kept in ((on(3), on(3)), (on(5), on(5)), (on(4), on(5))):
        keep_history_rules(context, router, day)
        with reading(context.database) as session:
            assert rules_by_history.day_of(session, "r1") == kept


def test_nobody_can_ask_of_a_router_that_is_gone_and_its_rules_stay_apart(context: Context) -> None:
    _forget(context)
    router = context.settings.router("r1")
    _observe(context, [Flow(7, HOSTS[0], 3, "firm")], {7}, [True] * SPAN)
    retired = router.model_copy(update={"name": "r9"})
    for each in (retired, router):
        keep_history_rules(context, each, DAY)
    assert rules_as_of(context, retired, DAY).rule_set.rules == ()
    assert len(rules_as_of(context, router, DAY).rule_set.rules) == 1


def _forget(context: Context) -> None:
    with transaction(context.database) as session:
        for table in METADATA.tables.values():
            if table.name in (
                "observation",
                "observation_digest",
                "rules_by_history",
                "day_status",
                "pin",
                "exclusion",
            ):
                session.execute(delete(table))


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
    octets = flow.octets * 10**9
    return observation(
        router="r1", day=on(flow.number), flow_id=f"{source} > {destination}", source=source, destination=destination,
        ip_version=6 if ":" in source else 4, flow_bytes=octets, burst_bytes=octets, peak_bytes=octets,
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


def _computed(context: Context, in_force: frozenset[PrefixPair]) -> tuple[object, object]:
    """As nights did before anything was kept."""
    with reading(context.database) as session:
        statuses = day_status.day_statuses(session, "r1", DAY)
        whole = rule_set(
            pair_days(observations.daily_totals(session, "r1", DAY), 24, 64), statuses,
            overrides.pins(session, "r1"), overrides.exclusions(session, "r1"), router="r1", day=DAY,
            ageing_days=context.settings.ageing.days, weak_evidence=context.settings.detection.weak_evidence,
        )  # fmt: skip
    whole = never_remove_when_incomplete(whole, in_force, statuses[-1].complete)
    return whole, within_budget(whole.rules, 2, in_force)


def _explained(context: Context, text: str, whole: RulesAsOf, in_force: frozenset[PrefixPair]) -> tuple[object, ...]:
    """From all rules, whatever is asked."""
    with reading(context.database) as session:
        pins = overrides.pins(session, "r1")
        seen = observations.history(session, "r1", DAY, on(0))
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
