"""A night whose change the gate refuses: told, not approvable, and what was in force stays."""

import json
from pathlib import Path

import pytest

from hntes.simulator import UnsoundRunError
from tests.support.installation import Installation, demo_installation

FIRST, SECOND = "2026-11-20", "2026-11-21"
FAILED, FINISHED_WITH_PROBLEMS, REFUSED = 1, 3, 4
# Short runs: a single queue shows what it does within seconds.
SHORT_GATE = "[gate]\nrun_s = 20\nfairness_run_s = 20\nbeta_loads_pct = [30.0]\n"


def approve(site: Installation, candidate_hash: str, expect: int = 0) -> str:
    done = site.run(
        "change", "approve", "--router", "r1", "--hash", candidate_hash[:12], "--who", "anna", expect=expect
    )
    return done.stdout


@pytest.fixture
def site(tmp_path: Path, database_url: str) -> Installation:
    return demo_installation(tmp_path / "site", database_url)


@pytest.mark.slow
@pytest.mark.second_database_long
def test_a_harmful_plan_is_refused_and_what_is_in_force_stays(site: Installation) -> None:
    good = site.json("nightly", "--day", FIRST, "--router", "r1")["judged"]["r1"]
    assert good["passes"]
    approve(site, good["candidate_hash"])
    text = site.settings.read_text()
    harmful = text.replace('kind = "two_queue"', 'kind = "single_queue"')
    site.settings.write_text(harmful.replace("[gate]\n", SHORT_GATE))
    done = site.run("nightly", "--day", SECOND, "--router", "r1", expect=FINISHED_WITH_PROBLEMS)
    assert "gate: FAILED" in done.stdout
    assert "alpha and other traffic share queue 0" in done.stdout
    assert "the configuration in force stays" in done.stdout
    (waiting,) = site.json("change", "list")
    assert waiting["day"] == SECOND
    told = approve(site, waiting["candidate_hash"], expect=REFUSED)
    assert "the gate has not passed candidate" in told
    assert "delay failed: with hosts of " in told
    assert "beside four alpha flows a ping of other traffic would take" in told
    states = {entry["day"]: entry["state"] for entry in site.json("change", "list", "--all")}
    assert states == {FIRST: "approved", SECOND: "pending"}
    shown = site.run("change", "show", "--router", "r1", "--no-diff").stdout
    assert "gate: not passed" in shown
    page = site.output / "r1" / SECOND / "gate.html"
    assert page.read_text().count("<svg") == 2
    # judged again: the same verdicts, stored once
    before = site.state()
    site.run("stage", "judge", "--router", "r1", expect=FINISHED_WITH_PROBLEMS)
    assert site.state() == before


@pytest.mark.slow
@pytest.mark.second_database_long
def test_a_file_is_judged_as_the_routers_and_nothing_is_stored(site: Installation, tmp_path: Path) -> None:
    site.run("nightly", "--day", FIRST, "--router", "r1")
    before = site.state()
    candidate = site.output / "r1" / FIRST / "candidate.conf"
    (same,) = site.json("stage", "judge", "--router", "r1", "--file", str(candidate), "--out", str(tmp_path / "report"))
    assert same["passes"]
    assert Path(same["files"]["gate page"]).exists()
    edited = tmp_path / "edited.conf"
    edited.write_text(candidate.read_text().replace("transmit-rate percent 30;", "transmit-rate percent 65;"))
    done = site.run("stage", "judge", "--router", "r1", "--file", str(edited), "--json", expect=FINISHED_WITH_PROBLEMS)
    (other,) = json.loads(done.stdout)
    assert not other["passes"]
    assert "shares of the rate add up to 135%" in other["verdicts"][0]["sentence"]
    assert site.state() == before


def test_a_file_needs_a_router_and_a_router_a_change_set(tmp_path: Path) -> None:
    site = demo_installation(tmp_path / "site")
    path = tmp_path / "some.conf"
    path.write_bytes(b"\xff\xfe")
    assert "exactly one --router" in site.run("stage", "judge", "--file", str(path), expect=2).stderr
    assert "--platform and --out require --file" in site.run("stage", "judge", "--out", str(tmp_path), expect=2).stderr
    assert "not UTF-8 text" in site.run("stage", "judge", "--router", "r1", "--file", str(path), expect=FAILED).stderr
    assert "has no change" in site.run("stage", "judge", "--router", "r1", expect=FAILED).stderr


def _unsound(*_: object, **__: object) -> None:
    raise UnsoundRunError("two_queue: the books do not balance")


def test_where_the_simulator_fails_changes_are_proposed_but_cannot_be_approved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hntes.gate.lab.run_all", _unsound)
    site = demo_installation(tmp_path / "site")
    done = site.run("nightly", "--day", FIRST, "--router", "r1", expect=FINISHED_WITH_PROBLEMS)
    assert "router r1 failed: two_queue: the books do not balance" in done.stderr
    (waiting,) = site.json("change", "list")
    assert "not judged yet: run hntes stage judge --router r1" in approve(
        site, waiting["candidate_hash"], expect=REFUSED
    )
    assert "not judged yet" in site.run("change", "show", "--router", "r1", "--no-diff").stdout
    # what the simulator would have been asked is not needed to reject
    digits = waiting["candidate_hash"][:12]
    site.run("change", "reject", "--router", "r1", "--hash", digits, "--who", "anna", "--note", "no")
