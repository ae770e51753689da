"""The transition that an approval binds: shown with its commands, and refused where it changed while one looked."""

import hashlib
import re
from datetime import date

import pytest

from hntes.platforms.transition_errors import TransitionError
from hntes.sql.changes import nightly_change
from hntes.sql.decisions import Person, bind_transition
from hntes.sql.deliveries import report_removed
from hntes.sql.session import transaction
from hntes.workflow.context import opened
from tests.support.installation import Installation
from tests.support.prepared_nights import NIGHT
from tests.support.review_page import Browser, forms_in, words_in

NEXT = "2026-11-21"


def transitions(site: Installation) -> list[str]:
    return [f"{each['outcome']} {each['detail']}" for each in site.json("audit", "--kind", "transition")]


def no_transition(*_: object) -> None:
    raise TransitionError("policy hntes-in changes under its name <b>")


def approve(anna: Browser, day: str, page: str) -> int:
    """Sends the approval that a page shows."""
    address = f"/change/r1/{day}"
    (form,) = [each for each in forms_in(page) if each.action == f"{address}/approve"]
    return int(anna.post(form.action, {**form.fields, "confirm": "r1"}).status_code)


def test_an_approval_binds_the_transition_that_was_shown(site: Installation, anna: Browser) -> None:
    commands = site.json("change", "show", "--router", "r1", "--transition")["transition"]
    first = hashlib.sha256(f"nothing\n{commands}".encode()).hexdigest()
    page = anna.get(f"/change/r1/{NIGHT}").text
    assert f"Transition {first} from a router without HNTES configuration" in words_in(page)
    assert anna.get(f"/change/r1/{NIGHT}/transition.txt").text == commands
    assert approve(anna, NIGHT, page) == 303
    assert transitions(site) == [f"approved {first} from nothing"]

    # the next night's change leads from that text, until the log hears that the router holds nothing of it
    site.pin("198.18.99.0/24>203.0.113.0/24", NIGHT, owner="bert", reason="weekly")
    site.run("nightly", "--day", NEXT, "--router", "r1")
    before = anna.get(f"/change/r1/{NEXT}").text
    approved = site.json("change", "list", "--all", "--router", "r1", "--days", "30")[0]["candidate_hash"]
    supposed = rf"Transition [0-9a-f]{{64}} from {approved[:12]} , approved last, but not reported as loaded"
    assert re.search(supposed, words_in(before))
    site.run("router", "loaded", "--router", "r1", "--sha256", approved[:12], "--who", "bert")
    assert f"from {approved[:12]} , delivered last." in words_in(anna.get(f"/change/r1/{NEXT}").text)
    assert "transition.txt" in before
    with opened(site.settings) as context, transaction(context.database) as session:
        report_removed(session, "r1", "bert", "taken off the router")
    assert approve(anna, NEXT, before) == 409
    assert transitions(site) == [f"approved {first} from nothing"]
    after = anna.get(f"/change/r1/{NEXT}").text
    assert "from a router without HNTES configuration" in words_in(after)
    assert approve(anna, NEXT, after) == 303
    assert transitions(site)[-1].endswith(" from nothing")
    # what is not in force any more is not delivered
    assert anna.get(f"/change/r1/{NIGHT}/transition.txt").status_code == 404
    assert "Transition" not in words_in(anna.get(f"/change/r1/{NIGHT}").text)


@pytest.mark.parametrize(("named", "status"), [({}, 400), ({"transition": ""}, 400), ({"transition": "-"}, 409)])
def test_a_transition_that_nobody_was_shown_is_not_approved(
    site: Installation, anna: Browser, named: dict[str, str], status: int
) -> None:
    """A page that was loaded while no transition led to the change, or a form that does not say."""
    address = f"/change/r1/{NIGHT}"
    (form,) = [each for each in forms_in(anna.get(address).text) if each.action == f"{address}/approve"]
    del form.fields["transition"]
    assert anna.post(form.action, {**form.fields, **named, "confirm": "r1"}).status_code == status
    assert transitions(site) == []
    assert approve(anna, NIGHT, anna.get(address).text) == 303


def test_what_changed_after_the_approval_is_said_with_the_command_that_accepts_it(
    site: Installation, anna: Browser
) -> None:
    address = f"/change/r1/{NIGHT}"
    assert approve(anna, NIGHT, anna.get(address).text) == 303
    assert "The approval includes it." in words_in(anna.get(address).text)
    (bound,) = transitions(site)
    with opened(site.settings) as context, transaction(context.database) as session:
        entry = nightly_change(session, "r1", date.fromisoformat(NIGHT))
        assert entry is not None
        bind_transition(session, entry, ("0" * 64, None), "approved", Person("anna"))
    page = words_in(anna.get(address).text)
    assert "Transition 000000000000 was approved, but the last delivered configuration has changed" in page
    assert f"hntes router approve-transition --router r1 --hash {bound.split()[1][:12]}" in page


def test_where_no_transition_can_be_made_the_page_says_why(
    read_only: Installation, reader: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert read_only.json("change", "list")
    monkeypatch.setattr("hntes.workflow.review.transition_approval.transition_to", no_transition)
    page = reader.get(f"/change/r1/{NIGHT}").text
    assert "No transition leads to it: policy hntes-in changes under its name &lt;b&gt;" in page
    assert "It cannot be approved: no transition leads to it" in words_in(page)
    assert f"/change/r1/{NIGHT}/approve" not in [each.action for each in forms_in(page)]
    assert f"/change/r1/{NIGHT}/reject" in [each.action for each in forms_in(page)]
    refused = reader.get(f"/change/r1/{NIGHT}/transition.txt")
    assert refused.status_code == 404
    assert "no transition is possible: policy hntes-in" in words_in(refused.text)


@pytest.mark.parametrize("is_known", [True, False])
def test_an_approval_without_a_transition_shows_the_change_and_why(
    site: Installation, anna: Browser, monkeypatch: pytest.MonkeyPatch, is_known: bool
) -> None:
    """Whether the page that is sent had one or not."""
    address = f"/change/r1/{NIGHT}"
    held = next(each.fields for each in forms_in(anna.get(address).text) if each.action == f"{address}/approve")
    for where in ("decide", "transition_approval"):
        monkeypatch.setattr(f"hntes.workflow.review.{where}.transition_to", no_transition)
    answer = anna.post(f"{address}/approve", {**held, "confirm": "r1", **({} if is_known else {"transition": "-"})})
    assert answer.status_code == 409
    assert "not approved: no transition leads to it: policy hntes-in changes under its name" in words_in(answer.text)
    assert f"Change of r1 , flows of {NIGHT}" in words_in(answer.text)
    assert transitions(site) == []
