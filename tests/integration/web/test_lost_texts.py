"""A change whose candidate is lost, or was removed by retention: shown as far as it is known, and decided."""

import os
import re
from datetime import timedelta
from typing import Any

import pytest

from hntes import clock
from tests.support.api_program import program
from tests.support.installation import Installation
from tests.support.prepared_nights import NIGHT
from tests.support.review_page import Browser, browser, forms_in, words_in

CHANGE, OTHER = f"/change/r1/{NIGHT}", f"/change/r2/{NIGHT}"
DAY_MS = 86_400_000


def lose(site: Installation, router: str = "r1") -> dict[str, Any]:
    """Deletes the texts of a router's change, which it returns."""
    (change,) = (each for each in site.json("change", "list", "--all") if each["router"] == router)
    files = list((site.output / router / "candidates").glob(f"{change['candidate_hash']}.*"))
    assert len(files) == 2
    for each in files:
        each.unlink()
    return dict(change)


def actions(page: str) -> set[str]:
    return {each.action for each in forms_in(page) if each.method == "post"}


def added(page: str) -> list[tuple[str, str]]:
    """The pairs of the page with their reasons."""
    cells = re.compile(r'data-label="Pair"><a [^>]*>(.*?)</a></th>\s*<td data-label="Reason">(.*?)</td>')
    return cells.findall(page)


def test_it_is_shown_without_its_texts_and_rejected_or_deferred(site: Installation, anna: Browser) -> None:
    before, reasons = words_in(anna.get(CHANGE).text), added(anna.get(f"{CHANGE}?show=added").text)
    change = lose(site)
    assert len(reasons) == change["pairs_added"] > 0
    answer = anna.get(CHANGE)
    page = words_in(answer.text)
    assert answer.status_code == 200
    assert "Its texts cannot be read: " in page
    assert f"run `hntes nightly --router r1 --day {NIGHT}`, which proposes it again" in page
    assert actions(answer.text) >= {f"{CHANGE}/reject", f"{CHANGE}/hold"}
    assert f"{CHANGE}/approve" not in actions(answer.text)
    measures = re.search(r"All \d+ measures", before)
    assert measures is not None
    assert measures[0] in page, "the verdicts are of the database"
    assert added(anna.get(f"{CHANGE}?show=added").text) == reasons
    assert f"={change['pairs_kept']}" in page
    for address in ("difference", "difference.txt", "pairs.txt"):
        assert f'href="{CHANGE}/{address}"' not in answer.text
        refused = anna.get(f"{CHANGE}/{address}")
        assert refused.status_code == 404
        assert f"r1/{NIGHT}: its texts cannot be read: " in words_in(refused.text)
    assert anna.get("/").status_code == 200
    assert anna.send(CHANGE, f"{CHANGE}/reject", note="its text is gone").status_code == 303
    assert "Rejected" in words_in(anna.get(CHANGE).text)
    lose(site, "r2")
    assert anna.send(OTHER, f"{OTHER}/hold", note="later", until="2199-12-31").status_code == 303
    assert "Deferred until 2199-12-31" in words_in(anna.get(OTHER).text)


def test_the_night_that_the_page_names_brings_the_text_back(site: Installation, anna: Browser) -> None:
    before = anna.get(CHANGE).text
    lose(site)
    site.run("nightly", "--router", "r1", "--day", NIGHT)
    after = anna.get(CHANGE).text
    assert "texts cannot be read" not in after
    assert actions(after) == actions(before)


def test_a_program_is_told_what_is_known(site: Installation, anna: Browser) -> None:
    watch = program(anna.server, "read", "decide")
    at = f"/api/changes/r1/{NIGHT}"
    whole = watch.get(at)
    lose(site)
    found = watch.get(at)
    assert (whole["lost"], "its texts cannot be read" in found["lost"]) == ("", True)
    assert found["verdicts"] == whole["verdicts"]
    assert found["pairs"] == whole["pairs"][:2]
    assert [each["change"] for each in found["pairs"]] == ["added", "removed"]
    texts = {"difference.txt", "candidate.txt", "transition.txt"}
    assert set(whole["files"]) - set(found["files"]) == texts
    for name in ("files/difference.txt", "files/candidate.txt", "pairs", "pairs/groups"):
        assert watch.ask("GET", f"{at}/{name}").status_code == 404
    change = found["about"]["change"]
    body = {"candidate_hash": change["candidate_hash"], "base_hash": change["base_hash"], "note": "gone"}
    assert watch.ask("POST", f"{at}/reject", body=body).status_code == 200


def test_what_retention_removed_is_said_to_be_removed(site: Installation, monkeypatch: pytest.MonkeyPatch) -> None:
    site.settings.write_text(site.settings.read_text() + "\n[retention]\ncandidate_days = 5\n")
    anna = browser(site.settings)
    anna.log_in("anna")
    assert anna.send(CHANGE, f"{CHANGE}/reject", note="no").status_code == 303
    later_ms = clock.now_ms() + 30 * DAY_MS
    for each in (site.output / "r1" / "candidates").iterdir():
        written = each.stat().st_mtime - timedelta(days=3).total_seconds()
        os.utime(each, (written, written))
    monkeypatch.setattr(clock, "now_ms", lambda: later_ms)
    site.run("data", "prune")
    answer = anna.get(CHANGE)
    assert answer.status_code == 200
    page = words_in(answer.text)
    assert "Its candidate was never approved, and retention removed it: such candidates are kept for 5 days" in page
    assert "nightly --router" not in page
    assert "by anna" in page
    assert "retention removed it" in words_in(anna.get(f"{CHANGE}/difference").text)
