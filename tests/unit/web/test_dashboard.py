"""The morning's rows: the worst first, and only what needs no second look may be ticked."""

from dataclasses import replace
from datetime import date, timedelta

from hntes.settings.model import Review
from hntes.sql.change import Change
from hntes.sql.entries import AuditEventEntry, DayEntry
from hntes.sql.holds import Hold
from hntes.sql.reasons import ChangeEffect
from hntes.web.dashboard import Row, night_of, row_of, with_transition
from hntes.workflow.review.approval_needs import ApprovalNeeds, unusual
from hntes.workflow.review.changes import ListedChange
from hntes.workflow.review.transition_approval import KnownTransition
from hntes.workflow.transitions import Transition

ONE_APPROVAL = Review()
NOW_MS = 1_795_132_800_000
HOUR_MS = 3_600_000


def entry(router: str = "r1", **changed: object) -> Change:
    made = Change(
        router=router, day=date(2026, 11, 20), base_hash="b" * 64, candidate_hash="a" * 64, model_hash="m" * 64,
        state="pending", expires_ms=NOW_MS + HOUR_MS, pairs_added=1, pairs_kept=2,
    )  # fmt: skip
    return replace(made, **changed)


def row(
    *,
    rejected: ListedChange | None = None,
    review: Review = ONE_APPROVAL,
    said: ListedChange | None = None,
    **changed: object,
) -> Row:
    """As anna sees it: `said` has what the gate and people said of it."""
    change = entry(**changed)
    listed = replace(said or ListedChange(change, "judged"), change=change, effect=ChangeEffect(days=30))
    hold = "held" if change.pairs_added > review.new_pairs_limit else None
    needs = ApprovalNeeds(listed.blocking_reasons, hold, unusual(change))
    return row_of(listed, needs, rejected, review, "web:anna", NOW_MS)


def by(identity: str, who: str) -> AuditEventEntry:
    return AuditEventEntry(
        1, NOW_MS, "decide", "r1", date(2026, 11, 20), "r1/2026-11-20", "a" * 64, None, "approved", None, "", identity,
        who, "1", None, "", "",
    )  # fmt: skip


def first_approved(identity: str, who: str) -> ListedChange:
    return ListedChange(entry(), "judged", first_approval=by(identity, who))


def test_a_usual_change_may_be_ticked() -> None:
    found = row()
    assert found.can_be_ticked
    assert (found.headline, found.effect) == ("1 pair added, 2 kept", "no alpha traffic in the last 30 days")
    assert found.expires == "1 h 0 min"


def test_the_effect_is_two_shares_and_a_sentence_only_where_there_are_none() -> None:
    effect = ChangeEffect(days=30, alpha_bytes=1000, queued_bytes_before=840, queued_bytes_after=899)
    listed = ListedChange(entry(), "judged", effect=effect)
    found = row_of(listed, ApprovalNeeds((), None, ()), None, Review(), "web:anna", NOW_MS)
    assert found.bars is not None
    assert (found.bars.before.share, found.bars.after.share, found.bars.is_worse) == ("84%", "89.9%", False)
    assert row().bars is None


def test_whatever_needs_a_look_may_not() -> None:
    rejected = ListedChange(
        replace(entry(), state="rejected", day=date(2026, 11, 19), decided_by="bert", decision_note="late"),
        "rejected",
    )
    rows = [
        row(said=ListedChange(entry(), "judged", gate_reasons=("not judged",))),
        row(said=ListedChange(entry(), "judged", hold=Hold(date(2026, 11, 22), by("web:bert", "bert")))),
        row(pairs_added=101),
        row(base_hash=None),
        row(data_complete=False),
        row(expires_ms=NOW_MS),
        row(rejected=rejected),
    ]
    assert not any(one.can_be_ticked for one in rows)
    assert rows[-1].flags == ("the change of 2026-11-19 was rejected by bert: late",)


def test_with_two_approvals_who_may_give_the_second_may_tick() -> None:
    two = Review(approvals=2)
    assert row(review=two).can_be_ticked is False, "the first is given on its own page"
    assert row(review=two, said=first_approved("web:anna", "anna")).can_be_ticked is False
    assert row(review=two, said=first_approved("token:deploy", "anna")).can_be_ticked is False
    second = row(review=two, said=first_approved("web:bert", "bert"))
    assert second.can_be_ticked
    assert second.flags == ("approved by bert, waits for a second approver",)


def test_a_tick_holds_for_a_transition() -> None:
    leading = Transition("set groups hntes", "b" * 64)
    ready = with_transition(row(), KnownTransition(leading, None))
    assert (ready.can_be_ticked, ready.transition) == (True, leading.identity)
    lost = with_transition(row(), KnownTransition(None, None, "a text is\x1b lost"))
    assert (lost.can_be_ticked, lost.flags) == (False, ("no transition leads to it: a text is\\x1b lost",))


def test_the_worst_stands_first() -> None:
    fine, leaving = row(router="r1"), row(router="r2", pairs_removed=1, pairs_kept=9)
    first = row(base_hash=None, router="r3")
    failed = row(said=ListedChange(entry(), "judged", gate_reasons=("delay failed",)), router="r4")
    order = sorted([fine, leaving, first, failed], key=lambda one: one.rank)
    assert [one.entry.router for one in order] == ["r4", "r3", "r2", "r1"]


def test_routers_without_the_newest_night_are_named() -> None:
    newest = DayEntry("r1", date(2026, 11, 20), 86_400, 86_400, 288, 2, 9, True, "")
    days = [
        ("r1", newest),
        ("r2", replace(newest, router="r2", day=date(2026, 11, 19))),
        ("r3", replace(newest, router="r3", files=0, quarantined_files=0, complete=False)),
        ("r4", None),
    ]
    night = night_of(days, None)
    assert (night.day, night.well, night.files_set_aside) == (date(2026, 11, 20), 1, 2)
    assert [name for name, _ in night.troubled] == ["r2", "r3", "r4"]


def test_before_the_first_night_nothing_of_it_is_well() -> None:
    night = night_of([("r1", None), ("r2", None)], None, date(2026, 11, 29))
    assert [(each.name, each.state) for each in night.chain[:3]] == [
        ("Last night", "unknown"), ("Flow files", "unknown"), ("Exporters", "unwell"),
    ]  # fmt: skip


def test_nights_that_no_router_has_are_named() -> None:
    day = date(2026, 11, 20)
    days = [("r1", DayEntry("r1", day, 86_400, 86_400, 288, 0, 9, True, ""))]
    said = [night_of(days, None, day + timedelta(days=late)).overdue for late in range(4)]
    assert said == [
        "",
        "No router has flow data of 2026-11-21: its night has not run yet, or failed.",
        "No router has flow data of 2026-11-21 to 2026-11-22: their nights have not run yet, or failed.",
        "No router has flow data of 2026-11-21 to 2026-11-23: their nights have not run yet, or failed.",
    ]
    assert night_of(days, None).overdue == ""
    assert night_of([("r1", None)], None, day).overdue == ""
