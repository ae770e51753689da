"""Decisions by forms of the page do what the command line does, in the authenticated name, and nothing else."""

import re
from datetime import date, timedelta

import pytest
from sqlalchemy import update

from hntes.sql.changes import CHANGE as CHANGES
from hntes.sql.deliveries import report_removed
from hntes.sql.reservations import ReservationEntry, add
from hntes.sql.session import transaction
from hntes.workflow.context import opened as opened_context
from tests.support.databases import opened
from tests.support.installation import Installation
from tests.support.prepared_nights import NIGHT
from tests.support.review_page import Browser, browser, forms_in, token_in, words_in

NEXT = "2026-11-21"
STRICTER = "[gate]\nthroughput_pct = 96\n"
CHANGE = f"/change/r1/{NIGHT}"
LATER = "2099-12-31"


def states(site: Installation) -> dict[tuple[str, str], tuple[str, str | None, str | None]]:
    listed = site.json("change", "list", "--all")
    return {
        (each["router"], each["day"]): (each["state"], each["decided_by"], each["decision_note"]) for each in listed
    }


def approve(anna: Browser, router: str, day: str = NIGHT, **changed: object) -> int:
    address = f"/change/{router}/{day}"
    return int(anna.send(address, f"{address}/approve", **changed).status_code)


def hash_of(site: Installation, router: str) -> str:
    """The candidate of the router's pending change."""
    (found,) = (str(each["candidate_hash"]) for each in site.json("change", "list") if each["router"] == router)
    return found


def ticks(anna: Browser) -> list[str]:
    """What the boxes of the dashboard send."""
    return re.findall(r'name="change" value="([^"]+)"', anna.get("/").text)


def test_an_approval_is_recorded_in_the_authenticated_name(site: Installation, anna: Browser) -> None:
    assert approve(anna, "r1", confirm="r1", note="ticket 42", who="somebody else", identity="os:root") == 303
    assert states(site)["r1", NIGHT] == ("approved", "anna", "ticket 42")
    (event,) = [each for each in site.json("audit") if each["kind"] == "decide"]
    assert (event["identity"], event["who"], event["outcome"]) == ("web:anna", "anna", "approved")
    site.run("audit", "--verify")
    page = words_in(anna.get(CHANGE).text)
    assert "approved by anna (web:anna) at" in page
    assert f'action="{CHANGE}/approve"' not in anna.get(CHANGE).text


def test_a_rejection_keeps_its_note(site: Installation, anna: Browser) -> None:
    assert anna.send(CHANGE, f"{CHANGE}/reject", note="too early").status_code == 303
    assert states(site)["r1", NIGHT] == ("rejected", "anna", "too early")


@pytest.mark.parametrize("typed", ["", "r2", "R1", "r1 r1"])
def test_a_first_configuration_needs_the_routers_name(site: Installation, anna: Browser, typed: str) -> None:
    answer = anna.send(CHANGE, f"{CHANGE}/approve", confirm=typed)
    assert answer.status_code == 409
    assert "not approved: first configuration of this router. Type the router&#39;s name, r1" in answer.text
    assert states(site)["r1", NIGHT][0] == "pending"


def test_a_candidate_that_changed_meanwhile_is_refused(site: Installation, anna: Browser) -> None:
    shown = anna.get(CHANGE).text
    site.run("override", "exclude", "add",
             "203.0.113.0/24", "--router", "r1", "--owner", "bert", "--reason", "maintenance",
             "--from-day", NIGHT, "--until", "2099-12-31")  # fmt: skip
    before = site.json("change", "list")[0]["candidate_hash"]
    site.run("stage", "propose", "--day", NIGHT, "--router", "r1")
    now = site.json("change", "list")[0]["candidate_hash"]
    assert now != before
    (form,) = [each for each in forms_in(shown) if each.action == f"{CHANGE}/approve"]
    answer = anna.post(form.action, {**form.fields, "confirm": "r1", "note": "seen before"})
    assert answer.status_code == 409
    assert states(site)["r1", NIGHT][0] == "pending"
    rejection = anna.post(f"{CHANGE}/reject", {"csrf": token_in(shown), "hash": before, "note": "no"})
    assert rejection.status_code == 409
    assert f"its candidate is {now}, not {before}" in words_in(rejection.text)
    assert states(site)["r1", NIGHT][0] == "pending"


@pytest.mark.parametrize("digits", ["", "12", "prefix", "g" * 64])
def test_no_part_of_a_hash_decides(site: Installation, anna: Browser, digits: str) -> None:
    candidate = site.json("change", "list")[0]["candidate_hash"]
    given = candidate[:12] if digits == "prefix" else digits
    assert approve(anna, "r1", hash=given, confirm="r1") == 400
    assert states(site)["r1", NIGHT][0] == "pending"


def test_what_the_gate_has_not_passed_has_no_button_and_is_refused(site: Installation, anna: Browser) -> None:
    (form,) = [each for each in forms_in(anna.get(CHANGE).text) if each.action == f"{CHANGE}/approve"]
    site.settings.write_text(site.settings.read_text().replace("[gate]\n", STRICTER))  # not what was judged
    anna = browser(site.settings)
    anna.log_in("anna")
    shown = anna.get(CHANGE).text
    assert f'action="{CHANGE}/approve"' not in shown
    assert f'action="{CHANGE}/reject"' in shown
    answer = anna.post(form.action, {**form.fields, "csrf": token_in(shown), "confirm": "r1"})
    assert answer.status_code == 409
    assert "the gate has not passed candidate" in words_in(answer.text)
    assert states(site)["r1", NIGHT][0] == "pending"


def test_many_new_pairs_are_acknowledged_by_their_number(site: Installation) -> None:
    site.settings.write_text(site.settings.read_text().replace("[review]", "[review]\nnew_pairs_limit = 0"))
    anna = browser(site.settings)
    anna.log_in("anna")
    added = next(each["pairs_added"] for each in site.json("change", "list") if each["router"] == "r1")
    page = anna.get(CHANGE).text
    assert f'action="{CHANGE}/approve"' not in page
    # the gate has passed it, and is not the reason
    assert "It can be approved once its new pairs are acknowledged." in words_in(page)
    assert "It cannot be approved" not in words_in(page)
    assert "more than review.new_pairs_limit = 0. Look where they come from, then enter their number." in words_in(page)
    assert anna.send(CHANGE, f"{CHANGE}/acknowledge", new_pairs=str(added + 1)).status_code == 400
    assert anna.send(CHANGE, f"{CHANGE}/acknowledge", new_pairs=str(added), note="a new site").status_code == 303
    (event,) = [each for each in site.json("audit") if each["kind"] == "acknowledge"]
    assert (event["identity"], event["who"]) == ("web:anna", "anna")
    assert approve(anna, "r1", confirm="r1") == 303
    assert states(site)["r1", NIGHT][0] == "approved"


@pytest.mark.parametrize("verb", ["acknowledge", "hold"])
def test_nothing_is_recorded_of_a_candidate_that_was_not_shown(site: Installation, verb: str) -> None:
    site.settings.write_text(site.settings.read_text().replace("[review]", "[review]\nnew_pairs_limit = 0"))
    anna = browser(site.settings)
    anna.log_in("anna")
    (held,) = [each for each in forms_in(anna.get(CHANGE).text) if each.action == f"{CHANGE}/{verb}"]
    # one pair leaves and another comes: their number is the same
    site.run("override", "exclude", "add",
             "198.51.100.0/24", "--router", "r1", "--owner", "bert", "--reason", "maintenance",
             "--side", "source", "--from-day", NIGHT, "--until", "2099-12-31")  # fmt: skip
    site.pin("198.18.99.0/24>203.0.113.0/24", NIGHT, owner="bert", reason="weekly")
    before = site.json("change", "list")[0]
    site.run("stage", "propose", "--day", NIGHT, "--router", "r1")
    now = site.json("change", "list")[0]
    assert (now["pairs_added"], now["candidate_hash"] != before["candidate_hash"]) == (before["pairs_added"], True)
    fields = {**held.fields, "new_pairs": before["pairs_added"], "until": "2199-12-31", "note": "seen"}
    answer = anna.post(held.action, fields)
    assert answer.status_code == 409
    assert "nothing was recorded: it was proposed again since the page was loaded" in words_in(answer.text)
    assert site.json("audit", "--kind", verb) == []
    assert anna.post(held.action, {**fields, "hash": now["candidate_hash"]}).status_code == 303


def test_ticked_changes_are_approved_each_by_itself(site: Installation, anna: Browser) -> None:
    for router in ("r1", "r2"):
        assert approve(anna, router, confirm=router) == 303
        site.pin("198.18.99.0/24>203.0.113.0/24", NIGHT, router=router, owner="bert")
        site.run("nightly", "--day", NEXT, "--router", router)
    waiting = {each["router"]: each["candidate_hash"] for each in site.json("change", "list") if each["day"] == NEXT}
    assert anna.get("/").text.count('name="change"') == 2
    (fine,) = [each for each in ticks(anna) if each.startswith("r2 ")]
    stale, unknown = (f"{router} {NEXT} {'0' * 64} {'0' * 64}" for router in ("r1", "r9"))
    answer = anna.post("/approve", {"csrf": anna.token("/"), "change": [stale, unknown, fine]})
    assert answer.status_code == 409
    told = words_in(answer.text)
    assert f"r1 {NEXT}: not taken change of r1 on {NEXT}: its candidate is {waiting['r1']}" in told
    assert f"r9 {NEXT}: not taken router 'r9' is not in the settings" in told
    assert states(site)["r2", NEXT][:2] == ("approved", "anna")
    assert states(site)["r1", NEXT][0] == "pending"


def test_an_unusual_change_is_never_approved_among_others(site: Installation, anna: Browser) -> None:
    waiting = {each["router"]: each["candidate_hash"] for each in site.json("change", "list")}
    assert 'name="change"' not in anna.get("/").text
    token = token_in(anna.get("/").text)
    tick = f"r1 {NIGHT} {waiting['r1']} {'0' * 64}"
    answer = anna.post("/approve", {"csrf": token, "change": [tick]})
    assert answer.status_code == 409
    assert "first configuration of this router; approve it individually" in words_in(answer.text)
    assert states(site)["r1", NIGHT][0] == "pending"
    assert anna.post("/approve", {"csrf": token, "change": [tick, "r2"]}).status_code == 400
    without_transition = f"r1 {NIGHT} {waiting['r1']}"
    assert anna.post("/approve", {"csrf": token, "change": [without_transition]}).status_code == 400


def test_ticks_of_before_a_day_became_incomplete_or_a_delivery_are_refused(site: Installation, anna: Browser) -> None:
    for router in ("r1", "r2"):
        assert approve(anna, router, confirm=router) == 303
        site.pin("198.18.99.0/24>203.0.113.0/24", NIGHT, router=router, owner="bert")
        site.run("nightly", "--day", NEXT, "--router", router)
    shown = ticks(anna)
    assert [each.split()[0] for each in shown] == ["r1", "r2"]
    with opened_context(site.settings) as context, transaction(context.database) as session:
        session.execute(update(CHANGES).where(CHANGES.c.router == "r1").values(data_complete=False))
        report_removed(session, "r2", "bert", "taken off the router")
    assert [each.split()[0] for each in ticks(anna)] == ["r2"]
    answer = anna.post("/approve", {"csrf": anna.token("/"), "change": shown})
    told = words_in(answer.text)
    assert (answer.status_code, told.count(": taken")) == (409, 0)
    assert f"r1 {NEXT}: not taken flow data incomplete; approve it individually" in told
    assert f"r2 {NEXT}: not taken not approved: the last delivered configuration has changed since" in told
    assert {states(site)[router, NEXT][0] for router in ("r1", "r2")} == {"pending"}
    again = anna.post("/approve", {"csrf": anna.token("/"), "change": ticks(anna)})
    assert (again.status_code, states(site)["r2", NEXT][0]) == (200, "approved")


def test_a_held_change_says_until_when_and_why(site: Installation, anna: Browser) -> None:
    address = f"/change/r1/{NIGHT}"
    today = date.today()
    later = today + timedelta(days=3)
    asked: dict[str, object] = {"until": later.isoformat(), "note": "freeze <b>"}
    assert anna.send(address, f"{address}/hold", **asked | {"until": "2026-11-21"}).status_code == 400
    assert anna.send(address, f"{address}/hold", **asked | {"note": ""}).status_code == 400
    assert anna.send(address, f"{address}/hold", **asked).status_code == 303
    assert f"held until {later}" in words_in(anna.get(address).text)
    assert f"held until {later} by anna: freeze &lt;b&gt;" in anna.get("/").text
    (held,) = site.json("audit", "--kind", "hold")
    assert (held["identity"], held["note"]) == ("web:anna", "freeze <b>")


def test_what_is_delivered_stands_beside_what_is_approved(site: Installation, anna: Browser) -> None:
    assert approve(anna, "r1", confirm="r1") == 303
    assert "the approved configuration was not reported as delivered" in anna.get("/router/r1").text
    approved = site.json("change", "list", "--all", "--router", "r1")[0]["candidate_hash"]
    site.run("router", "verified", "--router", "r1", "--sha256", approved)
    page = anna.get("/router/r1").text
    assert page.count(f"<code>{approved}</code>") == 3  # approved, delivered, confirmed
    assert "not reported" not in page
    assert "State confirmed" in words_in(anna.get(f"/change/r1/{NIGHT}").text)


def test_an_exclusion_is_shown_before_it_is_stored(site: Installation, anna: Browser) -> None:
    address = f"/exclude?router=*&what=203.0.113.0/25&side=destination&reason=maintenance&from={NIGHT}&until=2099-12-31"
    shown = words_in(anna.get(address).text)
    assert "198.18.10.0/24 > 203.0.113.0/24" in shown
    removed = anna.get(address).text.count('data-label="Rule">removed<')
    # the button stands before the tables, whatever their number
    assert f"Preview {removed} rules removed on 3 routers Exclude r1 of 22.1 GB" in shown
    assert site.json("override", "exclude", "list") == []
    assert anna.send(address, "/exclude").status_code == 303
    (stored,) = site.json("override", "exclude", "list")
    assert (stored["prefix"], stored["side"], stored["owner"]) == ("203.0.113.0/25", "destination", "anna")
    (event,) = [each for each in site.json("audit") if each["kind"] == "exclude"]
    assert event["identity"] == "web:anna"


def preview_in(page: str) -> str:
    return words_in(page).partition("Preview Preview ")[2]


def test_the_preview_of_an_entry_that_began_long_ago_shows_what_it_will_do(reader: Browser) -> None:
    """It is what one that begins with the newest night would do; before its rules no pair is known."""
    excluded = f"/exclude?router=*&what=203.0.113.0/25&side=destination&reason=x&until={LATER}&from="
    pinned = "/pin?router=r1&what=198.18.99.0/24>203.0.113.0/24&reason=x&from="
    for address, change in ((excluded, "removed"), (pinned, "added")):
        now, early = (preview_in(reader.get(address + day).text) for day in (NIGHT, "2026-01-01"))
        assert f" {change} " in early
        assert early.replace("2026-01-01", NIGHT) == now


@pytest.mark.parametrize(
    "address",
    ["/exclude?router=r1&what=203.0.113.0/25&side=destination", "/pin?router=r1&what=198.18.99.0/24>203.0.113.0/24"],
)
def test_the_preview_of_an_entry_whose_last_day_is_over_says_so(reader: Browser, address: str) -> None:
    shown = preview_in(reader.get(f"{address}&reason=x&from=2026-01-01&until=2026-02-01").text)
    assert "it has ended; nothing changes No pair is affected." in shown


def test_an_exclusion_is_shown_with_what_is_reserved_there(site: Installation, anna: Browser) -> None:
    start_s = 4_102_444_800  # 2100-01-01
    booked = ReservationEntry(
        0, None, "bert <b>", "T-1", "198.18.10.0/24", "203.0.113.0/24", 3 * 10**9, start_s, start_s + 7200,
        "foreground", 0, "advance", 100,
    )  # fmt: skip
    engine = opened(site.database_url)
    with transaction(engine) as session:
        add(session, booked, [("r1", "xe-0/0/0")])
    engine.dispose()
    address = f"/exclude?router=*&what=203.0.113.0/25&side=destination&reason=maintenance&from={NIGHT}&until="
    told = "1 of bert <b>: 198.18.10.0/24 > 203.0.113.0/24, 3 Gb/s, 2100-01-01 00:00 to 2100-01-01 02:00 UTC"
    shown = words_in(anna.get(address + "2100-01-01").text)
    assert shown.count(told) == 1  # not on the other router
    assert "Reservations" not in words_in(anna.get(address + "2099-12-31").text).partition("Preview")[2]


def test_the_morning_says_that_a_change_has_notes(site: Installation, anna: Browser) -> None:
    """That of an exclusion which keeps out what had alpha flows on the day."""
    link = f'<a href="/change/r1/{NIGHT}#notes">1 note<span class="unseen"> on the change of r1</span></a>'
    assert link not in anna.get("/").text
    site.run("override", "exclude", "add",
             "203.0.113.0/24", "--router", "r1", "--owner", "bert", "--reason", "maintenance",
             "--from-day", NIGHT, "--until", "2099-12-31")  # fmt: skip
    site.run("stage", "propose", "--day", NIGHT, "--router", "r1")
    assert link in anna.get("/").text
    page = anna.get(CHANGE).text
    assert '<h2 id="notes">' in page
    assert "note: " not in page
    assert "note: " in site.run("change", "show", "--router", "r1", "--day", NIGHT).stdout


def test_a_pin_is_shown_before_it_is_stored(site: Installation, anna: Browser) -> None:
    address = f"/pin?router=r1&what=198.18.99.0/24>203.0.113.0/24&reason=weekly+copy&from={NIGHT}"
    assert "added" in words_in(anna.get(address).text)
    assert site.json("override", "pin", "list") == []
    assert anna.send(address, "/pin").status_code == 303
    (stored,) = site.json("override", "pin", "list")
    assert (stored["source"], stored["owner"], stored["expires_day"]) == ("198.18.99.0/24", "anna", None)


def test_a_second_person_must_be_another(site: Installation) -> None:
    site.settings.write_text(site.settings.read_text().replace("[review]", "[review]\napprovals = 2"))
    anna = browser(site.settings)
    anna.log_in("anna")
    assert approve(anna, "r1", confirm="r1") == 303
    assert "waits for a second person" in words_in(anna.get(CHANGE).text)
    assert approve(anna, "r1", confirm="r1") == 409
    assert states(site)["r1", NIGHT][0] == "pending"


def test_the_second_approval_is_given_by_ticks(site: Installation, anna: Browser) -> None:
    for router in ("r1", "r2"):
        assert approve(anna, router, confirm=router) == 303
        site.pin("198.18.99.0/24>203.0.113.0/24", NIGHT, router=router, owner="bert")
        site.run("nightly", "--day", NEXT, "--router", router)
    site.settings.write_text(site.settings.read_text().replace("[review]", "[review]\napprovals = 2"))
    first = browser(site.settings)
    first.log_in("anna")
    assert ticks(first) == []
    site.run("change", "approve", "--router", "r2", "--day", NEXT, "--hash", hash_of(site, "r2"), "--who", "bert")
    assert approve(first, "r1", NEXT) == 303
    shown = ticks(first)
    assert [each.split()[0] for each in shown] == ["r2"], "of r1 she has given the first herself"
    answer = first.post("/approve", {"csrf": first.token("/"), "change": shown})
    assert (answer.status_code, states(site)["r2", NEXT][:2]) == (200, ("approved", "anna"))


def test_nothing_ticked_is_said_on_the_page_where_one_ticks(site: Installation, anna: Browser) -> None:
    for router in ("r1", "r2"):
        assert approve(anna, router, confirm=router) == 303
        site.pin("198.18.99.0/24>203.0.113.0/24", NIGHT, router=router, owner="bert")
        site.run("nightly", "--day", NEXT, "--router", router)
    answer = anna.post("/approve", {"csrf": anna.token("/")})
    assert answer.status_code == 400
    assert "nothing was approved: tick the changes first" in words_in(answer.text)
    assert answer.text.count('name="change"') == 2
    assert " checked>" not in answer.text
    assert 'href="/?tick=all#waiting">Tick all 2<' in answer.text
    assert anna.get("/?tick=all").text.count(" checked>") == 2
