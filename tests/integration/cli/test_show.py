"""`hntes change show` before a decision, after it, and after the next night."""

from pathlib import Path

import pytest

from tests.support.installation import Installation
from tests.support.prepared_nights import NIGHT, PreparedNights

NEXT = "2026-11-21"


@pytest.fixture
def site(tmp_path: Path, prepared_nights: PreparedNights) -> Installation:
    return prepared_nights.site(tmp_path / "site", router="r1")


def shown(site: Installation, day: str = NIGHT) -> str:
    return site.run("change", "show", "--router", "r1", "--day", day, "--no-diff").stdout


def decide(site: Installation, verb: str, day: str = NIGHT) -> None:
    (waiting,) = [entry for entry in site.json("change", "list") if entry["day"] == day]
    decided = ("--router", "r1", "--day", day, "--hash", waiting["candidate_hash"])
    site.run("change", verb, *decided, "--who", "bert", "--note", "late")


def test_a_change_that_waits_ends_with_the_commands_that_decide_it(site: Installation) -> None:
    (waiting,) = site.json("change", "list")
    said = site.run("change", "show", "--router", "r1").stdout.splitlines()
    options = f"--router r1 --day {NIGHT} --hash {waiting['candidate_hash'][:12]} --note '...'"
    assert said[-3:] == ["to decide it:", f"  hntes change approve {options}", f"  hntes change reject {options}"]


def test_a_change_to_look_at_twice_says_why_as_long_as_it_waits(site: Installation) -> None:
    twice = "check carefully: first configuration of this router"
    assert twice in shown(site).splitlines()
    assert site.json("change", "show", "--router", "r1")["unusual"] == ["first configuration of this router"]
    decide(site, "approve")
    assert "check carefully" not in shown(site)


def test_what_is_held_against_a_limit_is_named_and_stands_beside_it(site: Installation) -> None:
    said = shown(site)
    assert (
        "  delay passed (ping mean increase 0 ms, limit 1 ms): with hosts of 2010 and hosts of today, beside four "
        in said
    )
    assert "  reach passed (traffic " in said


def test_a_decided_change_still_says_its_pairs_and_who_decided_and_why(site: Installation) -> None:
    decide(site, "approve")
    said = shown(site)
    assert f"  added    198.18.10.0/24 > 203.0.113.0/24: seen on {NIGHT}: 2 alpha flows, 4.91 GB" in said
    assert "approved by bert (" in said
    assert said.split("approved by bert")[1].splitlines()[0].endswith("UTC: late")
    assert "to decide it" not in said


@pytest.mark.parametrize("lost", ["altered", "gone"])
def test_reasons_are_those_of_the_change_whatever_becomes_of_the_files_that_show_it(
    site: Installation, lost: str
) -> None:
    decide(site, "approve")
    before = shown(site)
    kept = site.output / "r1" / NIGHT / "summary.txt"
    kept.unlink() if lost == "gone" else kept.write_text("r1: another change", encoding="utf-8")
    assert shown(site) == before
    assert f"seen on {NIGHT}" in before


def test_a_change_that_is_proposed_anew_has_the_reasons_of_its_own_candidate(site: Installation) -> None:
    site.run("override", "exclude", "add",
             "198.18.10.0/24", "--router", "r1", "--owner", "bert", "--reason", "maintenance",
             "--from-day", NIGHT, "--until", "2099-12-31")  # fmt: skip
    site.run("stage", "propose", "--router", "r1", "--day", NIGHT)
    said = shown(site)
    assert f"  added    198.18.20.0/24 > 203.0.113.0/24: seen on {NIGHT}" in said
    assert "  added    198.18.10.0/24 > 203.0.113.0/24" not in said


def test_an_approved_change_keeps_its_reasons_when_the_night_is_run_again(site: Installation) -> None:
    decide(site, "approve")
    before = shown(site)
    site.pin("198.18.99.0/24>203.0.113.0/24", NIGHT, owner="bert", reason="weekly")
    site.run("stage", "propose", "--router", "r1", "--day", NIGHT)
    assert shown(site) == before


def test_a_rejection_stands_beside_the_next_change_until_one_is_approved(site: Installation) -> None:
    decide(site, "reject")
    site.run("nightly", "--day", NEXT, "--router", "r1")
    assert f"remark: the change of {NIGHT} was rejected by bert at 20" in shown(site, NEXT)
    assert "UTC: late" in shown(site, NEXT)
    decide(site, "approve", NEXT)
    site.run("nightly", "--day", "2026-11-22", "--router", "r1")
    assert "was rejected" not in shown(site, "2026-11-22")


def test_what_was_never_judged_is_not_said_to_have_failed(site: Installation) -> None:
    site.pin("198.18.99.0/24>203.0.113.0/24", NIGHT, owner="bert", reason="weekly")
    site.run("stage", "propose", "--day", NIGHT, "--router", "r1")
    (waiting,) = site.json("change", "list")
    assert (waiting["standing"], waiting["gate"]) == ("proposed", "not judged")
    assert "not judged yet: run hntes stage judge --router r1" in shown(site)


def test_the_same_for_machines(site: Installation) -> None:
    document = site.json("change", "show", "--router", "r1")
    assert document["is_passed"] is True
    assert document["state"] == "pending"
    assert "198.18.10.0/24 > 203.0.113.0/24" in document["summary"]
    assert document["difference"].startswith("--- ")
    assert "difference" not in site.json("change", "show", "--router", "r1", "--no-diff")


def test_what_was_superseded_before_the_gate_looked_at_it_did_not_fail_there(site: Installation) -> None:
    for day in (NEXT, "2026-11-22"):
        for stage in ("ingest", "detect", "propose"):
            site.run("stage", stage, "--day", day, "--router", "r1")
    (listed,) = [entry for entry in site.json("change", "list", "--all") if entry["day"] == NEXT]
    assert (listed["state"], listed["gate"]) == ("superseded", "not judged")


def test_the_one_that_waits_is_shown_without_being_named(tmp_path: Path, prepared_nights: PreparedNights) -> None:
    site = prepared_nights.site(tmp_path / "site")
    waiting = {entry["router"]: entry["candidate_hash"] for entry in site.json("change", "list")}
    several = site.run("change", "show", expect=1).stderr
    assert f"hntes: 3 changes wait for a decision: {waiting['r1'][:12]} of r1" in several
    assert several.endswith("; choose one with --router or --hash\n")
    assert site.json("change", "show", "--hash", waiting["r2"][:8])["router"] == "r2"
    assert "no change has a candidate abcdef" in site.run("change", "show", "--hash", "abcdef", expect=1).stderr
    for router in ("r1", "r3"):
        site.run("change", "approve", "--hash", waiting[router])
    assert site.json("change", "show")["candidate_hash"] == waiting["r2"]
    site.run("change", "approve", "--hash", waiting["r2"])
    assert "no change waits for a decision; choose one" in site.run("change", "show", expect=1).stderr
