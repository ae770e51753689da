"""A deferral, a reopening and an acknowledgement hold for what was seen, even if it changes while they are asked."""

from collections.abc import Callable
from dataclasses import replace
from datetime import date
from typing import Any

import pytest

from hntes.sql import changes
from hntes.sql.session import reading, transaction
from hntes.web import change as change_page
from hntes.web.site import Site
from hntes.workflow.context import opened
from tests.support.api_program import Program, program
from tests.support.installation import Installation
from tests.support.prepared_nights import NIGHT
from tests.support.review_page import Browser
from tests.support.review_page import site as page_of

CHANGE = f"/change/r1/{NIGHT}"
AT = f"/api{CHANGE.replace('change', 'changes', 1)}"
LATER = "2199-12-31"
ANOTHER: list[dict[str, Any]] = [{"candidate_hash": "c" * 64}, {"base_hash": "d" * 64}]


@pytest.fixture
def server(site: Installation) -> Site:
    return page_of(site.settings)


@pytest.fixture
def deploy(server: Site) -> Program:
    return program(server)


def _number(site: Installation) -> int:
    (found,) = [each for each in site.json("change", "list", "--router", "r1") if each["day"] == NIGHT]
    return int(found["pairs_added"])


def _propose_between(site: Installation, monkeypatch: pytest.MonkeyPatch, module: str, changed: dict[str, Any]) -> None:
    """The change is another one as soon as the request has read it."""
    read = change_page.found_nightly

    def overtaken(*given: Any) -> Any:
        found = read(*given)
        with opened(site.settings) as context, transaction(context.database) as session:
            changes.write(session, replace(found, **changed))
        return found

    monkeypatch.setattr(f"{module}.found_nightly", overtaken)


def _require_nothing_recorded(site: Installation, changed: dict[str, Any]) -> None:
    kinds = ("hold", "reopen", "acknowledge")
    assert site.json("audit", *(word for kind in kinds for word in ("--kind", kind))) == []
    with opened(site.settings) as context, reading(context.database) as session:
        stored = changes.nightly_change(session, "r1", date.fromisoformat(NIGHT))
    assert stored is not None
    assert stored.acknowledged_pairs is None
    assert {name: getattr(stored, name) for name in changed} == changed


def _asked(verb: str, number: int) -> dict[str, Any]:
    asked: dict[str, dict[str, Any]] = {
        "defer": {"until": LATER, "note": "freeze"},
        "reopen": {"note": "after all"},
        "acknowledge": {"new_pairs": number},
    }
    return asked[verb]


@pytest.mark.parametrize("changed", ANOTHER, ids=["candidate", "base"])
@pytest.mark.parametrize("verb", ["defer", "reopen", "acknowledge"])
def test_a_program_decides_on_what_it_saw(
    site: Installation, deploy: Program, monkeypatch: pytest.MonkeyPatch, verb: str, changed: dict[str, Any]
) -> None:
    about, number = deploy.get(AT)["about"]["change"], _number(site)
    named = {name: about[name] for name in ("candidate_hash", "base_hash")}
    if verb == "reopen":
        assert deploy.ask("POST", f"{AT}/reject", body={**named, "note": "too early"}).status_code == 200
    _propose_between(site, monkeypatch, "hntes.web.api.decisions", changed)
    refused = deploy.ask("POST", f"{AT}/{verb}", body={**named, **_asked(verb, number)})
    assert (refused.status_code, refused.json()["outcome"]) == (409, "stale_hash"), refused.text
    assert {name: refused.json()[name] for name in changed} == changed
    _require_nothing_recorded(site, changed)


@pytest.mark.parametrize("changed", ANOTHER, ids=["candidate", "base"])
@pytest.mark.parametrize("verb", ["hold", "reopen", "acknowledge"])
def test_a_person_decides_on_what_the_page_showed(
    site: Installation, anna: Browser, monkeypatch: pytest.MonkeyPatch, verb: str, changed: dict[str, Any]
) -> None:
    if verb == "reopen":
        assert anna.send(CHANGE, f"{CHANGE}/reject", note="too early").status_code == 303
    if verb == "acknowledge":
        site.settings.write_text(
            site.settings.read_text(encoding="utf-8").replace("[review]", "[review]\nnew_pairs_limit = 0")
        )
    given: dict[str, Callable[[], dict[str, object]]] = {
        "hold": lambda: {"until": LATER, "note": "freeze"}, "reopen": lambda: {"note": "after all"},
        "acknowledge": lambda: {"new_pairs": _number(site)},
    }  # fmt: skip
    _propose_between(site, monkeypatch, "hntes.web.decisions", changed)
    refused = anna.send(CHANGE, f"{CHANGE}/{verb}", **given[verb]())
    assert refused.status_code == 409, refused.text
    assert "nothing was recorded: it was proposed again since" in refused.text
    _require_nothing_recorded(site, changed)


def test_a_form_names_what_the_candidate_replaces(anna: Browser) -> None:
    """As read when the page was loaded: the same candidate may replace something else when the form is sent."""
    for wrong in ("", "x", "-" * 64):
        refused = anna.send(CHANGE, f"{CHANGE}/hold", until=LATER, note="freeze", base=wrong)
        assert refused.status_code == 400
    other = anna.send(CHANGE, f"{CHANGE}/hold", until=LATER, note="freeze", base="e" * 64)
    assert other.status_code == 409
    assert anna.send(CHANGE, f"{CHANGE}/hold", until=LATER, note="freeze").status_code == 303
