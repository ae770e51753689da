"""A change that is approved for the day that is not over: the regular nights around it say what is so."""

import hashlib
from pathlib import Path

from tests.support.installation import Installation
from tests.support.prepared_nights import NIGHT as FIRST
from tests.support.prepared_nights import PreparedNights

YESTERDAY, TODAY = "2026-11-21", "2026-11-22"
# Every night has an alpha flow of this pair; see demo/README.md.
SOURCE, PAIR = "198.18.60.0/24", "198.18.60.0/24 > 203.0.113.0/24"


def approve(site: Installation, day: str) -> str:
    (entry,) = site.json("change", "list")
    assert entry["day"] == day
    site.run("change", "approve", "--router", "r1", "--hash", entry["candidate_hash"], "--who", "anna")
    return str(entry["candidate_hash"])


def test_the_nights_around_an_emergency(tmp_path: Path, prepared_nights: PreparedNights) -> None:
    site = prepared_nights.site(tmp_path / "site", router="r1")
    approve(site, FIRST)
    site.run(
        *("override", "exclude", "add", SOURCE, "--owner", "noc", "--reason", "ticket 4711"),
        *("--from-day", TODAY, "--until", TODAY),
    )
    site.run("nightly", "--day", TODAY, "--router", "r1")
    in_force = approve(site, TODAY)

    said = site.run("nightly", "--day", YESTERDAY, "--router", "r1").stdout
    assert "  change: no change, 8 pairs kept\n" in said
    assert f"note: the change of {TODAY}, approved since then, is in force" in said

    site.run("override", "exclude", "withdraw", SOURCE, "--day", TODAY)
    said = site.run("nightly", "--day", TODAY, "--router", "r1").stdout
    assert f"r1, flows of {TODAY}: approved already, with candidate {in_force[:12]}: " in said
    assert "comes with the next night's change" in said
    text = (site.output / "r1" / TODAY / "candidate.conf").read_bytes()
    assert hashlib.sha256(text).hexdigest() == in_force

    done = site.json("nightly", "--day", "2026-11-23", "--router", "r1")
    assert PAIR in [change["pair"] for change in done["proposed"]["r1"]["added"]]
