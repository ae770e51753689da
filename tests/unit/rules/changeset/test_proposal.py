"""What an operator reads of a change: few lines that say all, however many pairs there are."""

import dataclasses
from collections.abc import Iterable
from datetime import date
from ipaddress import ip_network

import pytest

from hntes.rules.changeset import wording
from hntes.rules.changeset.candidate import Candidate
from hntes.rules.changeset.proposal import Proposal, propose
from hntes.rules.pairs import PrefixPair
from hntes.rules.qos.model import RouterModel
from hntes.sql.entries import DayEntry, ExclusionEntry
from tests.support.qos_models import PAIRS, model
from tests.support.rule_sets import PairDay, rule_set, within_budget

DAY, LONG_AGO = date(2026, 11, 20), date(2026, 11, 18)
MANY = tuple(
    PrefixPair(ip_network(f"198.18.{number // 250}.{number % 250}/32"), ip_network("203.0.113.0/24"))
    for number in range(2000)
)


def headline(proposal: Proposal) -> str:
    return wording.headline(proposal.change("pending", 0))


def summary(proposal: Proposal) -> str:
    return wording.summary(proposal.change("pending", 0), proposal.facts, proposal.other_changes)


def _candidate(of: RouterModel) -> Candidate:
    return Candidate(of, repr(of))  # texts differ where models do


def _proposal(
    old: RouterModel | None,
    new: RouterModel,
    *,
    aged: Iterable[PrefixPair] = (),
    incomplete: str = "",
    excluded: Iterable[PrefixPair] = (),
) -> Proposal:
    """The change from one model to another; `aged` were last seen so long ago that they have no rule.

    `excluded` had flows on the day, and an exclusion of their sources holds.
    """
    candidate = _candidate(new)
    history = [PairDay(pair, DAY, 1, 2 * 10**9, 10**9) for pair in candidate.pairs]
    history += [PairDay(pair, LONG_AGO, 1, 2 * 10**9, 10**9) for pair in aged]
    history += [PairDay(pair, DAY, 1, 2 * 10**9, 10**9) for pair in excluded]
    exclusions = [
        ExclusionEntry("*", "source", str(pair.source), "noc", "ticket", LONG_AGO, date(2026, 12, 24))
        for pair in excluded
    ]
    statuses = [DayEntry("wr", day, 86_400, 86_400, 288, 0, 1, True, "") for day in (date(2026, 11, 19), DAY)]
    rules = rule_set(history, statuses, [], exclusions, router="wr", day=DAY, ageing_days=1)
    return propose(
        rules,
        within_budget(rules.rules, 4000),
        None if old is None else _candidate(old),
        candidate,
        data_complete=not incomplete,
        data_reason=incomplete,
    )


def test_a_plan_change_of_two_thousand_pairs_is_a_few_lines_that_name_it() -> None:
    proposal = _proposal(model(pairs=MANY), model(plan="wred_policer", pairs=MANY))
    lines = summary(proposal).splitlines()
    assert len(lines) < 20
    assert lines[0] == "wr, flows of 2026-11-20: 2000 pairs kept, other settings changed"
    assert "  changed  2000 pairs: policer: (none) -> hntes-wred" in lines
    assert "  changed  plan_kind: two_queue -> wred_policer" in lines


def test_two_thousand_pairs_in_another_order_are_one_line() -> None:
    old = model(pairs=MANY)
    backwards = dataclasses.replace(old.filters[0], terms=old.filters[0].terms[::-1])
    proposal = _proposal(old, dataclasses.replace(old, filters=(backwards, *old.filters[1:])))
    assert proposal.other_changes == ("order of 1999 pairs changes",)


def test_a_change_of_few_pairs_names_them() -> None:
    proposal = _proposal(model(pairs=PAIRS[:2]), model(plan="wred_policer", pairs=PAIRS[:2]))
    assert f"  changed  pair {PAIRS[0]}: policer: (none) -> hntes-wred\n" in summary(proposal)


def test_each_pair_added_or_removed_has_its_reason() -> None:
    proposal = _proposal(model(pairs=PAIRS[:2]), model(pairs=PAIRS[1:3]), aged=PAIRS[:1])
    assert summary(proposal).splitlines() == [
        "wr, flows of 2026-11-20: 1 pair added, 1 pair removed, 1 kept",
        (
            f"  added    {PAIRS[2]}: seen on 2026-11-20: 1 alpha flow, 2.00 GB, at most 1.00 GB per window; "
            "ages out after 2 complete days without being seen"
        ),
        f"  removed  {PAIRS[0]}: aged out: last seen 2026-11-18, 2 complete days ago",
    ]


def test_pairs_that_an_exclusion_keeps_out_are_named() -> None:
    """What is rejected for a pair, and the pair then excluded: the next change says where it is."""
    named = f"  note: 1 pair with alpha flows on the day is excluded: {MANY[0]}"
    assert named in summary(_proposal(model(), model(), excluded=MANY[:1])).splitlines()
    many = summary(_proposal(model(), model(), excluded=MANY[:5])).splitlines()
    assert f"  note: 5 pairs with alpha flows on the day are excluded: {MANY[0]}, {MANY[1]}, {MANY[2]}, ..." in many
    gone = summary(_proposal(model(), model(pairs=PAIRS[1:]), excluded=PAIRS[:1]))
    assert f"  removed  {PAIRS[0]}: excluded by noc until 2026-12-24" in gone
    assert "on the day" not in gone, "it stands among the removed already"
    assert "excluded" not in summary(_proposal(model(), model()))


def test_a_pair_that_the_history_does_not_know_says_so() -> None:
    (gone,) = _proposal(model(pairs=PAIRS[:2]), model(pairs=PAIRS[1:2])).removed
    assert gone.cause == "unknown"
    assert gone.words.startswith("the history no longer knows it")


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (None, model(pairs=PAIRS[:1]), "first configuration, 1 pair added, 0 kept"),
        (None, model(), "first configuration, 9 pairs added, 0 kept"),
        (None, model(pairs=()), "first configuration, 0 pairs kept"),
        (model(), model(), "no change, 9 pairs kept"),
        (model(), model(pairs=PAIRS[2:]), "2 pairs removed, 7 kept"),
        (model(pairs=PAIRS[:1]), model(plan="wred_policer", pairs=PAIRS[:1]), "1 pair kept, other settings changed"),
    ],
)
def test_the_headline(old: RouterModel | None, new: RouterModel, said: str) -> None:
    assert headline(_proposal(old, new)) == said


def test_the_same_model_in_another_text_says_so() -> None:
    proposal = _proposal(model(), model())
    rendered_before = dataclasses.replace(proposal, base=Candidate(model(), "by another version"))
    assert headline(rendered_before) == "9 pairs kept, the same model rendered as another text"


def test_a_first_configuration_lists_no_settings_as_changed() -> None:
    assert _proposal(None, model()).other_changes == ()


@pytest.mark.parametrize(("count", "said"), [(1, "1 pair seen"), (4, "4 pairs seen")])
def test_pairs_that_wait_for_a_second_sighting_are_a_note(count: int, said: str) -> None:
    history = [PairDay(pair, DAY, 1, 2 * 10**9, 10**9, is_weak=True) for pair in MANY[:count]]
    rules = rule_set(history, [], [], [], router="wr", day=DAY, ageing_days=1)
    candidate = _candidate(model(pairs=()))
    proposal = propose(
        rules, within_budget(rules.rules, 9), candidate, candidate, data_complete=True, data_reason=""
    )  # fmt: skip
    (note,) = proposal.notes
    assert note.startswith(said)
    assert note.endswith(", ..." if count > 3 else str(MANY[0]))
    assert note.count(" > ") == min(count, 3)


def test_incomplete_data_are_a_note() -> None:
    proposal = _proposal(model(), model(), incomplete="10 minutes are missing")
    assert not proposal.data_complete
    assert "  note: the day's flow data is incomplete (10 minutes are missing)" in summary(proposal)


@pytest.mark.parametrize(("limit", "is_held"), [(2, True), (3, False), (None, False)])
def test_many_new_pairs_hold_the_change_set_and_say_what_to_do(limit: int | None, is_held: bool) -> None:
    history = [PairDay(pair, DAY, 1, 2 * 10**9, 10**9) for pair in MANY[:3]]
    rules = rule_set(history, [], [], [], router="wr", day=DAY, ageing_days=1)
    proposal = propose(
        rules, within_budget(rules.rules, 9), _candidate(model(pairs=())), _candidate(model(pairs=MANY[:3])),
        data_complete=True, data_reason="", new_pairs_limit=limit,
    )  # fmt: skip
    assert proposal.held_above == (limit if is_held else None)
    assert headline(proposal) == "3 pairs added, 0 kept" + is_held * ", held until the new pairs are acknowledged"
    assert ("hntes change acknowledge --router wr --day 2026-11-20 --new-pairs 3" in summary(proposal)) == is_held
