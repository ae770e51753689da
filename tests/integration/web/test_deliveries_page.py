"""Deliveries: what is approved, delivered and verified, when the next may start, and the rounds so far."""

from datetime import date, timedelta
from urllib.parse import quote

import pytest

from hntes import clock
from hntes.delivery.journal import Entry
from hntes.format import minute
from hntes.settings.windows import WEEKDAYS
from hntes.web.headers import LIVE_POLICY, POLICY
from hntes.web.site import now_s
from hntes.workflow.context import opened
from hntes.workflow.delivery.push_request import router_journal
from tests.support.api_program import program
from tests.support.installation import Installation
from tests.support.prepared_nights import NIGHT
from tests.support.review_page import Browser, browser, words_in


def test_each_router_stands_where_the_command_line_says(site: Installation, anna: Browser) -> None:
    assert "Nothing is approved yet." in anna.get("/deliveries").text
    hashes = {each["router"]: each["candidate_hash"] for each in site.json("change", "list")}
    for name in ("r1", "r2"):
        site.run("change", "approve", "--router", name, "--day", NIGHT, "--hash", hashes[name])
    site.run("router", "loaded", "--router", "r1", "--hash", hashes["r1"][:12])
    site.run("router", "verified", "--router", "r1", "--hash", hashes["r1"][:12])
    seen = words_in(anna.get("/deliveries").text)
    (loaded,) = (each for each in site.json("audit", "--kind", "loaded") if each["router"] == "r1")
    assert f"r1 verified {hashes['r1'][:12]} of {NIGHT}" in seen
    assert f"{hashes['r1'][:12]} of {NIGHT}, {minute(loaded['time_ms'])}" in seen
    assert f"r2 approved, not delivered {hashes['r2'][:12]} of {NIGHT}" in seen
    assert "r3" not in seen
    assert f"event {loaded['number']}" in seen
    assert "none is set: at any time" in seen


def test_a_damaged_journal_is_no_push_under_way(site: Installation, anna: Browser) -> None:
    (waiting,) = [each for each in site.json("change", "list") if each["router"] == "r1"]
    site.run("change", "approve", "--router", "r1", "--day", NIGHT, "--hash", waiting["candidate_hash"])
    deploy = program(anna.server, "read")

    def told() -> tuple[str, str]:
        (one,) = deploy.get("/api/deliveries")["routers"]
        return one["unfinished"], one["problem"]

    assert told() == ("", "")
    assert "Now no push is under way" in words_in(anna.get("/deliveries").text)
    with opened(site.settings) as context:
        journal = router_journal(context, context.settings.router("r1"))
        journal.write(Entry("r1", "trial", None, waiting["candidate_hash"], date.fromisoformat(NIGHT)))
        (path,) = site.output.rglob("*journal*.json")
    assert told() == ("trial", "")
    assert "Now a push is under way" in words_in(anna.get("/deliveries").text)
    path.write_text("{", encoding="utf-8")
    unfinished, problem = told()
    assert (unfinished, "not a journal of a push" in problem) == ("", True)
    seen = words_in(anna.get("/deliveries").text)
    assert "Now not known: a journal cannot be read" in seen
    assert "r1 whether a push is under way is not known: " in seen
    assert "under way: " not in seen


def test_the_next_window_is_named(site: Installation, anna: Browser) -> None:
    opens = clock.today() + timedelta(days=3)
    window = f'{{ days = ["{WEEKDAYS[opens.weekday()]}"], start = "03:00", end = "03:30", time_zone = "UTC" }}'
    site.settings.write_text(f"{site.settings.read_text()}\n[delivery]\nwindows = [{window}]\n")
    assert f"Window opens {opens} 03:00 UTC" in words_in(anna.get("/deliveries").text)


@pytest.mark.parametrize("page", ["/deliveries", "/backtests/none"])
def test_a_page_that_loads_itself_again_keeps_no_session(
    read_only: Installation, monkeypatch: pytest.MonkeyPatch, page: str
) -> None:
    """As without scripts, and where there is no place for another stream of events."""
    vera, passed_s = browser(read_only.settings), [0.0]
    vera.log_in("vera")
    began_s, idle_s = now_s(), vera.server.web.idle_minutes * 60
    monkeypatch.setattr("hntes.web.visitor.now_s", lambda: began_s + passed_s[0])
    seen = []
    for passed_s[0] in (idle_s / 2, idle_s - 1, idle_s + 1):
        seen.append(vera.get(f"{page}?follow=1").headers.get("location", "shown"))
    assert seen == ["shown", "shown", f"/login?next={quote(f'{page}?follow=1')}"]
    vera.log_in("vera")
    began_s, passed_s[0] = now_s(), idle_s / 2
    assert "location" not in vera.get(page).headers, "a page that somebody asks for is a use"
    passed_s[0] = idle_s + 1
    assert "location" not in vera.get(page).headers


def test_progress_is_followed_on_request_alone(reader: Browser) -> None:
    unasked = reader.get("/deliveries")
    assert "<script" not in unasked.text
    assert "refresh" not in unasked.text
    assert unasked.headers["content-security-policy"] == POLICY
    followed = reader.get("/deliveries?follow=1")
    assert '<noscript><meta http-equiv="refresh" content="5"></noscript>' in followed.text
    assert '<script src="/live.js" defer></script>' in followed.text
    assert followed.headers["content-security-policy"] == LIVE_POLICY
