"""Texts at edges are decided on the page as by the command: by an operator, on what was shown, with the evidence."""

import re
import secrets
from pathlib import Path

import pytest
from sqlalchemy import update

from hntes.sql.changes import CHANGE
from hntes.sql.judgements import clear
from hntes.sql.session import transaction
from hntes.web.accounts import add_account
from hntes.web.change import change_address
from hntes.workflow.context import settings_of
from hntes.workflow.reservations.scheduled_changes import scheduled_changes_of
from tests.support.api_program import program
from tests.support.installation import Installation
from tests.support.reserving import NOW_S, set_clock
from tests.support.review_page import PASSWORD, Browser, browser, token_in, words_in
from tests.support.scheduled_site import SECOND, at, pass_gate, propose, reserve, reserved, standing, waiting_site

HOUR = 3600


@pytest.fixture
def there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Installation:
    """A text that the gate has passed waits from 11:00 to 12:00, and the rules' own from then on."""
    set_clock(monkeypatch)
    return waiting_site(tmp_path)


def _logged_in(site: Installation, name: str = "anna") -> Browser:
    made = browser(site.settings)
    assert made.log_in(name).status_code == 303
    return made


def _address(site: Installation) -> str:
    with at(site) as context:
        return change_address(standing(context)[0])


def _state(site: Installation) -> tuple[str, str | None, str | None]:
    with at(site) as context:
        entries = scheduled_changes_of(context, context.settings.router("r1"), with_past=True)
        found = next(
            each for each, text in zip(entries, reserved(context, entries), strict=True) if "reservation-1" in text
        )
    return found.state, found.decided_by, found.decision_note


def test_it_shows_what_a_person_decides_by(there: Installation) -> None:
    vera, address = _logged_in(there, "vera"), _address(there)
    words = words_in(vera.get(address).text)
    assert "Change of r1 from 2026-11-24 11:00 UTC" in words
    assert "Reserved: reservation-1 1 Gb/s" in words
    assert "Until 2026-11-24 12:00 UTC Based on the rules of 2026-11-23 Gate Passed" in words
    assert "Gate Passed." in words
    assert "+ policer hntes-premium-reservation-1" in words
    assert "vera may view, not decide." in words
    assert f'href="{address}"' in vera.get("/reservations").text
    assert "2 scheduled changes of reservations wait as well" in words_in(vera.get("/").text)


def test_an_approval_is_recorded_in_the_authenticated_name_and_bound_to_the_text(there: Installation) -> None:
    anna, address = _logged_in(there), _address(there)
    sent = {"note": "ticket <b>42</b>", "who": "somebody else", "identity": "os:root"}
    assert anna.send(address, f"{address}/approve", **sent).headers["location"] == f"{address}#decided"
    assert _state(there) == ("approved", "anna", "ticket <b>42</b>")
    event = there.json("audit", "--kind", "decide")[-1]
    with at(there) as context:
        entry = standing(context)[0]
    assert (event["identity"], event["who"], event["candidate_hash"]) == ("web:anna", "anna", entry.candidate_hash)
    assert event["judgement_id"]
    assert (event["change_id"], event["outcome"]) == (entry.change_id, "approved")
    there.run("audit", "--verify")
    page = anna.get(address).text
    assert "ticket <b>" not in page
    assert "approved by anna (web:anna) at 2026-11-24 10:00 UTC: ticket <b>42</b>" in words_in(page)
    assert f'action="{address}' not in page


def test_it_says_when_an_approved_one_begins_and_what_else_waits(
    there: Installation, monkeypatch: pytest.MonkeyPatch
) -> None:
    anna, address = _logged_in(there), _address(there)
    anna.send(address, f"{address}/approve")
    words = words_in(anna.get(address).text)
    assert "It begins at 2026-11-24 11:00 UTC. Next: hntes reserve deliver --commit writes it" in words
    assert "1 scheduled change of reservations waits" in words
    set_clock(monkeypatch, NOW_S + HOUR)
    assert "It began at 2026-11-24 11:00 UTC." in words_in(anna.get(address).text)


def test_a_rejection_keeps_its_note(there: Installation) -> None:
    anna, address = _logged_in(there), _address(there)
    assert anna.send(address, f"{address}/reject", note="two\nlines").status_code == 400
    assert anna.send(address, f"{address}/reject", note="too early").status_code == 303
    assert _state(there) == ("rejected", "anna", "too early")


@pytest.mark.parametrize(("field", "value"), [("hash", "0" * 64), ("until", "-"), ("until", str(NOW_S + 3 * HOUR))])
def test_another_text_or_stretch_than_was_shown_is_refused(there: Installation, field: str, value: str) -> None:
    anna, address = _logged_in(there), _address(there)
    for verb in ("approve", "reject"):
        answer = anna.send(address, f"{address}/{verb}", note="seen", **{field: value})
        assert answer.status_code == 409
        assert "look at it again" in words_in(answer.text)
    assert _state(there)[0] == "pending"


def test_a_book_that_changed_meanwhile_is_not_approved_by_the_old_form(there: Installation) -> None:
    anna, address = _logged_in(there), _address(there)
    shown = anna.get(address).text
    with at(there) as context:
        old = standing(context)[0]
        reserve(context, NOW_S + HOUR, NOW_S + 2 * HOUR, pair=SECOND)
        propose(context)
        pass_gate(context)
    fields = {"csrf": token_in(shown), "hash": old.candidate_hash, "until": str(NOW_S + 2 * HOUR)}
    answer = anna.post(f"{address}/approve", fields)
    assert answer.status_code == 409
    assert "reservation-2 1 Gb/s" in words_in(answer.text), "the page shows what waits now"
    assert _state(there)[0] == "pending"


def test_what_the_gate_has_not_passed_has_no_button_and_is_refused(there: Installation) -> None:
    anna, address = _logged_in(there), _address(there)
    with at(there) as context:
        entry = standing(context)[0]
        with transaction(context.database) as session:
            clear(session, "r1", entry.candidate_hash)
    shown = anna.get(address).text
    assert f'action="{address}/approve"' not in shown
    assert f'action="{address}/reject"' in shown
    fields = {"csrf": token_in(shown), "hash": entry.candidate_hash, "until": str(NOW_S + 2 * HOUR)}
    answer = anna.post(f"{address}/approve", fields)
    assert answer.status_code == 409
    assert "Not passed." in words_in(answer.text)
    assert _state(there)[0] == "pending"


def test_nobody_decides_without_the_role_and_a_form_of_the_session(there: Installation) -> None:
    anna, vera, address = _logged_in(there), _logged_in(there, "vera"), _address(there)
    with at(there) as context:
        fields = {"hash": standing(context)[0].candidate_hash, "until": str(NOW_S + 2 * HOUR)}
    refused = [
        vera.post(f"{address}/approve", fields | {"csrf": vera.token("/pair")}),
        anna.post(f"{address}/approve", fields),
        anna.post(f"{address}/approve", fields | {"csrf": vera.token("/pair")}),
        anna.post(f"{address}/approve", fields | {"csrf": anna.token(address)}, origin="https://elsewhere.example"),
        browser(there.settings).post(f"{address}/approve", fields),
    ]
    assert [each.status_code for each in refused] == [403] * 5
    assert _state(there)[0] == "pending"


def test_two_approvals_need_two_persons(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    set_clock(monkeypatch)
    there = waiting_site(tmp_path, sections="[review]\napprovals = 2\n")
    anna, address = _logged_in(there), _address(there)
    add_account(settings_of(there.settings).web.accounts, "otto", "operator", PASSWORD)
    assert anna.send(address, f"{address}/approve").status_code == 303
    assert "approved by anna (web:anna) at 2026-11-24 10:00 UTC, waits for a second person" in words_in(
        anna.get(address).text
    )
    assert anna.send(address, f"{address}/approve").status_code == 409
    assert _state(there)[0] == "pending"
    assert _logged_in(there, "otto").send(address, f"{address}/approve").status_code == 303
    assert _state(there)[:2] == ("approved", "otto")


def test_rules_that_wait_themselves_come_first(there: Installation) -> None:
    """Texts are made on rules that wait, too, so that they are there when these are approved."""
    with at(there) as context, transaction(context.database) as session:
        session.execute(update(CHANGE).where(CHANGE.c.effective_s.is_(None)).values(state="pending"))
    anna, address = _logged_in(there), _address(there)
    page = anna.get(address).text
    words = words_in(page)
    assert "its rules are those of 2026-11-23, which are not approved" in words
    assert f'action="{address}/approve"' not in page
    # the gate's result stands apart, in the summary and with the measures
    assert "Gate Passed , " in words
    assert "Gate Passed. " in words
    assert "Not passed" not in words


def test_what_waits_for_an_approval_is_counted_alike_everywhere(there: Installation) -> None:
    """Those on rules that are not approved wait for these first."""
    anna = _logged_in(there)

    def counted() -> tuple[int, int, int, int, int]:
        listed, shown = words_in(anna.get("/reservations").text), words_in(anna.get("/").text)
        told = re.search(r"(\d) scheduled changes? of reservations waits? as well", shown)
        now = program(anna.server, "read", name=secrets.token_hex(4)).get("/api/routers/r1")["now"]
        metric = re.search(r'hntes_reservation_texts_waiting{router="r1"} (\d)', there.run("metrics").stdout)
        assert metric is not None
        return (
            listed.count("waits for approval"), listed.count("waits for the rules of 2026-11-23"),
            int(told[1]) if told else 0, now["scheduled_waiting"], int(metric[1]),
        )  # fmt: skip

    assert counted() == (2, 0, 2, 2, 2)
    with at(there) as context, transaction(context.database) as session:
        session.execute(update(CHANGE).where(CHANGE.c.effective_s.is_(None)).values(state="pending"))
    assert counted() == (0, 2, 0, 0, 0)


def test_other_addresses_are_none(there: Installation) -> None:
    vera, address = _logged_in(there, "vera"), _address(there)
    name, _, base, moment = address.removeprefix("/change/").split("/")
    for other in (
        f"/change/r9/from/{base}/{moment}", f"/change/{name}/from/{'0' * 16}/{moment}",
        f"/change/{name}/from/{base[:12]}/{moment}",
        f"/change/{name}/from/{base}/2026-11-24T11:00:01Z", f"/change/{name}/from/{base}/2026-11-24T12:00:00+01:00",
        f"/change/{name}/from/{base}/yesterday", f"{address}/figure/1",
    ):  # fmt: skip
        assert vera.get(other).status_code == 404, other
    anna = _logged_in(there)
    fields = {"csrf": anna.token(address), "hash": "0" * 64, "until": "-"}
    assert anna.post(f"{address}/hold", fields).status_code == 404
