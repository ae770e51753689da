"""The morning's rows: the worst first, and only what needs no second look may be ticked."""

from dataclasses import replace
from datetime import date, timedelta

from hntes.sql.change import Change
from hntes.sql.entries import DayEntry
from hntes.sql.reasons import ChangeEffect
from hntes.web.dashboard import Row, night_of, row_of
from hntes.workflow.review.approval_needs import ApprovalNeeds
from hntes.workflow.review.changes import ListedChange

FINE = ApprovalNeeds((), None, ())
NOW_MS = 1_795_132_800_000
HOUR_MS = 3_600_000


def entry(router: str = "r1", **changed: object) -> Change:
    made = Change(
        router=router, day=date(2026, 11, 20), base_hash="b" * 64, candidate_hash="a" * 64, model_hash="m" * 64,
        state="pending", expires_ms=NOW_MS + HOUR_MS, pairs_added=1, pairs_kept=2,
    )  # fmt: skip
    return replace(made, **changed)


def row(needs: ApprovalNeeds = FINE, *, rejected: ListedChange | None = None, **changed: object) -> Row:
    return row_of(ListedChange(entry(**changed), "judged", effect=ChangeEffect(days=30)), needs, rejected, NOW_MS)


def test_a_usual_change_may_be_ticked() -> None:
    found = row()
    assert found.can_be_ticked
    assert (found.headline, found.effect) == ("1 pair added, 2 kept", "no alpha traffic in the last 30 days")
    assert found.expires == "1 h 0 min"


def test_the_effect_is_two_shares_and_a_sentence_only_where_there_are_none() -> None:
    effect = ChangeEffect(days=30, alpha_bytes=1000, queued_bytes_before=840, queued_bytes_after=899)
    found = row_of(ListedChange(entry(), "judged", effect=effect), FINE, None, NOW_MS)
    assert found.bars is not None
    assert (found.bars.before.share, found.bars.after.share, found.bars.is_worse) == ("84%", "89.9%", False)
    assert row().bars is None


def test_whatever_needs_a_look_may_not() -> None:
    rejected = ListedChange(
        replace(entry(), state="rejected", day=date(2026, 11, 19), decided_by="bert", decision_note="late"),
        "rejected",
    )
    rows = [
        row(ApprovalNeeds(("not judged",), None, ())),
        row(ApprovalNeeds((), "held", ())),
        row(ApprovalNeeds((), None, ("first configuration",))),
        row(data_complete=False),
        row(expires_ms=NOW_MS),
        row(rejected=rejected),
    ]
    assert not any(one.can_be_ticked for one in rows)
    assert rows[-1].flags == ("the change of 2026-11-19 was rejected by bert: late",)


def test_the_worst_stands_first() -> None:
    fine, leaving = row(router="r1"), row(router="r2", pairs_removed=4)
    unusual = row(ApprovalNeeds((), None, ("first configuration",)), router="r3")
    failed = row(ApprovalNeeds(("delay failed",), None, ()), router="r4")
    order = sorted([fine, leaving, unusual, failed], key=lambda one: one.rank)
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
