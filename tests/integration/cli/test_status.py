"""From a change that waits to one that the router runs, as the commands tell it; and one that is held until a day."""

from datetime import date, timedelta
from pathlib import Path

import pytest

from hntes import clock
from tests.support.installation import Installation
from tests.support.prepared_nights import NIGHT, PreparedNights
from tests.support.terminal import on_terminal

REFUSED = 4
NEXT = "2026-11-21"


@pytest.fixture
def site(tmp_path: Path, prepared_nights: PreparedNights, database_url: str) -> Installation:
    return prepared_nights.site(tmp_path / "site", database_url, router="r1")


def change(site: Installation) -> dict[str, object]:
    (found,) = site.json("change", "list", "--all")
    return found


def gauge(site: Installation, name: str) -> list[str]:
    lines = site.run("metrics").stdout.splitlines()
    return [text.split()[-1] for text in lines if text.startswith(f'hntes_{name}{{router="r1"}}')]


def test_approved_delivered_and_confirmed_are_told_apart(site: Installation) -> None:
    hash_ = str(change(site)["candidate_hash"])
    assert (change(site)["standing"], change(site)["gate"]) == ("judged", "passed")
    assert site.run("router", "loaded", "--router", "r1", "--hash", hash_[:12], expect=REFUSED).stdout == (
        "router r1: nothing is approved, so nothing of HNTES can have been delivered\n"
    )
    site.run("change", "approve", "--router", "r1", "--hash", hash_, "--who", "anna")
    assert f"r1 approved:  {hash_[:12]} of {NIGHT}, at 20" in site.run("change", "list").stdout
    for told in (
        ("change", "list"),
        ("change", "show", "--router", "r1", "--no-diff"),
        ("rules", "--day", NIGHT, "--router", "r1"),
    ):
        assert "r1 delivered: approved, not delivered" in site.run(*told).stdout
    assert "state: approved, not delivered" in site.run("change", "show", "--router", "r1", "--no-diff").stdout
    assert gauge(site, "approved_is_delivered") == gauge(site, "approved_is_confirmed") == ["0.0"]
    site.run("router", "loaded", "--router", "r1", "--sha256", "0" * 64, expect=REFUSED)
    of_router = ("--router", "r1", "--hash", hash_[:6], "--who", "ansible")
    report = ("router", "loaded", *of_router)
    assert site.run(*report).stdout == f"router r1: {hash_[:12]} of {NIGHT} is delivered\n"
    assert site.run(*report).stdout.endswith("is delivered, as recorded before\n")
    assert change(site)["standing"] == "delivered"
    assert (
        "state: delivered, not confirmed by the router"
        in site.run("change", "show", "--router", "r1", "--no-diff").stdout
    )
    site.run("router", "verified", *of_router)
    assert change(site)["standing"] == "confirmed"
    assert gauge(site, "approved_is_delivered") == gauge(site, "approved_is_confirmed") == ["1.0"]
    assert "r1 confirmed" not in site.run("change", "list").stdout
    kinds = [event["kind"] for event in site.json("audit", "--router", "r1") if event["who"] == "ansible"]
    assert kinds == ["loaded", "verified"]
    site.run("audit", "--verify")


def test_a_held_change_is_shown_and_not_asked_about(site: Installation, monkeypatch: pytest.MonkeyPatch) -> None:
    until = clock.today() + timedelta(days=3)
    held = ("change", "defer", "--router", "r1", "--reason", "change freeze", "--who", "anna", "--until")
    assert f"is held until {until}" in site.run(*held, until.isoformat()).stdout
    assert change(site)["held_until"] == until.isoformat()
    assert f"held until {until} by anna (" in site.run("change", "list").stdout
    assert f"held until {until} by anna (" in site.run("change", "show", "--router", "r1", "--no-diff").stdout
    assert (gauge(site, "change_pending"), len(gauge(site, "change_held_until_timestamp_seconds"))) == (
        ["0.0"],
        1,
    )
    status, seen = on_terminal(site.command("change", "review"), [])
    assert (status, "no change waits for a decision" in seen) == (0, True)
    monkeypatch.setattr(clock, "today", lambda: until)
    assert change(site)["held_until"] is None
    monkeypatch.undo()
    site.run(*held, date.min.replace(year=2020).isoformat(), expect=1)
    site.run(*held, "today")
    assert change(site)["held_until"] is None
