"""Several passed changes are approved together, each as if alone; an approved text is proposed again."""

from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import update

from hntes import clock
from hntes.sql.changes import CHANGE
from hntes.sql.decisions import Person
from hntes.sql.session import transaction
from hntes.workflow.context import opened
from hntes.workflow.review.approve_passed import ApprovalRequest, approve_all_passed, bulk_approval
from hntes.workflow.review.propose_again import earlier_approved
from tests.support.installation import Installation
from tests.support.prepared_nights import NIGHT as FIRST
from tests.support.prepared_nights import PreparedNights
from tests.support.terminal import on_terminal

LAST, TODAY = "2026-11-23", "2026-12-01"
PAIR = "192.0.2.0/24>203.0.113.0/24"
REFUSED, FAILED = 4, 1


def hashes(site: Installation) -> dict[str, str]:
    return {entry["router"]: entry["candidate_hash"] for entry in site.json("change", "list")}


def named_again(site: Installation) -> list[str]:
    """The days that the review page and Airflow's form name as those whose text can be proposed again."""
    with opened(site.settings) as context:
        return [str(day) for day in earlier_approved(context, context.settings.router("r1"))]


def states(site: Installation, day: str = LAST) -> dict[str, str]:
    return {entry["router"]: entry["state"] for entry in site.json("change", "list", "--all") if entry["day"] == day}


@pytest.fixture
def site(tmp_path: Path, prepared_nights: PreparedNights, monkeypatch: pytest.MonkeyPatch) -> Installation:
    """On the first of December: r1 and r2 have an approved configuration and a pin more that waits, r3 its first."""
    monkeypatch.setattr(clock, "now_ms", lambda: 1_796_126_400_000)
    made = prepared_nights.site(tmp_path / "site")
    for router in ("r1", "r2"):
        made.run("change", "approve", "--router", router, "--hash", hashes(made)[router], "--who", "anna")
        made.pin(PAIR, LAST, router=router, reason="copy")
        made.run("nightly", "--day", LAST, "--router", router)
    return made


def test_what_needs_more_than_a_yes_is_left_out_by_name(site: Installation) -> None:
    first = f"skipped: r3 {FIRST}: first configuration of this router; approve it individually\n"
    status, seen = on_terminal(site.command("change", "approve", "--all-passed", "--router", "r1"), ["n"])
    assert (status, "approve 1 change?" in seen, states(site)["r1"]) == (0, True, "pending")
    site.run("change", "defer", "--router", "r2", "--until", "2026-12-24", "--reason", "freeze")
    done = site.run(
        "change", "approve", "--all-passed", "--yes", "--who", "anna", "--note", "as usual", expect=REFUSED
    ).stdout
    assert first in done
    assert f"skipped: r2 {LAST}: held until 2026-12-24" in done
    assert f"change of r1 on {LAST}: approved by anna\n" in done
    assert states(site) == {"r1": "approved", "r2": "pending"}
    site.run("change", "approve", "--all-passed", "--hash", "ab" * 6, expect=2)
    site.run("change", "approve", "--yes", "--router", "r2", "--hash", "ab" * 6, expect=2)
    site.run("change", "approve", expect=2)


def test_an_incomplete_day_and_one_after_a_rejection_are_looked_at_by_themselves(site: Installation) -> None:
    with opened(site.settings) as context:
        seen = bulk_approval(context, context.settings.routers).requests
        assert [each.router for each in seen] == ["r1", "r2"]
        with transaction(context.database) as session:
            of_r1 = (CHANGE.c.router == "r1") & (CHANGE.c.state == "pending")
            session.execute(update(CHANGE).where(of_r1).values(data_complete=False))
            of_r2 = (CHANGE.c.router == "r2") & (CHANGE.c.state == "approved")
            session.execute(update(CHANGE).where(of_r2).values(state="rejected"))
        found = bulk_approval(context, context.settings.routers)
        assert (found.ready, [each.reason for each in found.dropped if each.router != "r3"]) == (
            (),
            [
                "flow data incomplete; approve it individually",
                f"the change of {FIRST} was rejected; approve it individually",
            ],
        )
        done = approve_all_passed(context, seen, Person("anna"), 0)
        assert (done.approved, [each.outcome for each in done.dropped]) == ((), ["individual"] * 2)
    assert states(site) == {"r1": "pending", "r2": "pending"}


def test_one_that_changed_meanwhile_drops_out_and_does_not_hold_up_the_other(site: Installation) -> None:
    with opened(site.settings) as context:
        wanted = bulk_approval(context, context.settings.routers).requests
        assert [(each.router, str(each.day)) for each in wanted] == [("r1", LAST), ("r2", LAST)]
        other = replace(wanted[0], candidate_hash="0" * 64)
        done = approve_all_passed(
            context, [other, ApprovalRequest("r9", wanted[0].day, "0" * 64), *wanted[1:]], Person("anna"), 0
        )
        assert [decision.change.router for decision in done.approved] == ["r2"]
        assert [each.router for each in done.dropped] == ["r1", "r9"]
        assert f"its candidate is {wanted[0].candidate_hash}, not {'0' * 64}" in done.dropped[0].reason
        again = approve_all_passed(context, wanted[1:], Person("anna"), 0)
        assert "already approved by anna" in again.dropped[0].reason
    site.run("change", "withdraw", "--router", "r1", "--day", LAST, "--reason", "wrong")
    with opened(site.settings) as context:
        done = approve_all_passed(context, wanted[:1], Person("anna"), 0)
    assert (done.approved, "already withdrawn" in done.dropped[0].reason) == ((), True)


def test_a_second_person_is_needed_where_the_settings_say_so(site: Installation) -> None:
    text = site.settings.read_text()
    site.settings.write_text(text.replace("[review]\n", "[review]\napprovals = 2\nnew_pairs_limit = 0\n"))
    with opened(site.settings) as context:
        reasons = {each.router: each.reason for each in bulk_approval(context, context.settings.routers).dropped}
        assert "more than review.new_pairs_limit = 0" in reasons["r1"]
    site.settings.write_text(text.replace("[review]\n", "[review]\napprovals = 2\n"))
    site.run("change", "approve", "--router", "r1", "--hash", hashes(site)["r1"], "--who", "anna")
    with opened(site.settings) as context:
        alike = bulk_approval(context, context.settings.routers)
        assert [each.router for each in alike.dropped if "needs a second person" in each.reason] == ["r1", "r2"]
        wanted = bulk_approval(context, context.settings.routers, identity="airflow:bert").requests
        done = approve_all_passed(context, wanted, Person("bert", identity="airflow:bert"), 0)
    assert [decision.change.router for decision in done.approved] == ["r1"]


def test_an_approved_text_is_proposed_again_judged_and_approved(site: Installation) -> None:
    first = site.json("change", "list", "--all", "--router", "r1")[0]["candidate_hash"]
    again = ("stage", "propose", "--again", FIRST)
    assert named_again(site) == []
    assert "is in force; there is nothing to propose" in site.run(*again, "--router", "r1", expect=FAILED).stderr
    site.run("change", "approve", "--router", "r1", "--hash", hashes(site)["r1"], "--who", "anna")
    assert named_again(site) == [FIRST]
    site.run(*again, expect=2)
    assert f"nothing was approved for {LAST}" in site.run(
        "stage", "propose", "--again", LAST, "--router", "r3", expect=FAILED
    ).stderr  # fmt: skip
    said = site.run(*again, "--router", "r1").stdout
    assert f"the text approved for {FIRST} is proposed again" in said
    assert f"removed  192.0.2.0/24 > 203.0.113.0/24: not in the text approved for {FIRST}" in said
    (waiting,) = site.json("change", "list", "--router", "r1")
    assert (waiting["day"], waiting["candidate_hash"], waiting["standing"]) == (TODAY, first, "proposed")
    refused = site.run("change", "approve", "--router", "r1", "--hash", first[:12], "--who", "anna", expect=REFUSED)
    assert "run hntes stage judge --router r1" in refused.stdout
    site.run("stage", "judge", "--router", "r1")
    site.run("change", "approve", "--router", "r1", "--hash", first[:12], "--who", "anna")
    assert named_again(site) == [LAST]
    assert site.json("router", "deliver", "--router", "r1")["r1"]["change"]["candidate_hash"] == first
    assert f"the change of {TODAY} is approved already; propose it again tomorrow" in site.run(
        "stage", "propose", "--again", LAST, "--router", "r1", expect=FAILED
    ).stderr  # fmt: skip


def test_what_is_excluded_by_now_is_not_proposed_again(site: Installation) -> None:
    site.run("change", "approve", "--router", "r1", "--hash", hashes(site)["r1"], "--who", "anna")
    site.run(
        "override", "exclude", "add", "198.18.60.0/25", "--owner", "noc", "--reason", "ticket", "--until", "2026-12-24"
    )
    done = site.run("stage", "propose", "--again", FIRST, "--router", "r1", expect=FAILED)
    assert "198.18.60.0/24 > 203.0.113.0/24 is excluded by 198.18.60.0/25 (either)" in done.stderr
