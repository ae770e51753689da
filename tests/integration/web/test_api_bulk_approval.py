"""Several approvals by one request of a program: each on its own, as by the page's ticked boxes, none silently left."""

from pathlib import Path
from typing import Any

import pytest
from sqlalchemy.exc import OperationalError

from hntes.web.site import Site
from hntes.workflow.review.decide import decide
from tests.support.api_program import Program, program
from tests.support.installation import Installation
from tests.support.prepared_nights import NIGHT, PreparedNights
from tests.support.review_page import browser
from tests.support.review_page import site as page_of

AT = "/api/changes/approve"
NEXT = "2026-11-21"
PAIR = "192.0.2.0/24>203.0.113.0/24"


@pytest.fixture
def site(tmp_path: Path, prepared_nights: PreparedNights) -> Installation:
    """r1 and r2 have an approved configuration, and a pin more that waits; r3 has its first, which is unusual."""
    made = prepared_nights.site(tmp_path / "site")
    hashes = {each["router"]: each["candidate_hash"] for each in made.json("change", "list")}
    for router in ("r1", "r2"):
        made.run("change", "approve", "--router", router, "--hash", hashes[router], "--who", "anna")
        made.pin(PAIR, NEXT, router=router, reason="copy")
        made.run("nightly", "--day", NEXT, "--router", router)
    return made


@pytest.fixture
def server(site: Installation) -> Site:
    return page_of(site.settings)


@pytest.fixture
def deploy(server: Site) -> Program:
    return program(server)


def seen(asking: Program, router: str, day: str = NEXT) -> dict[str, Any]:
    shown = asking.get(f"/api/changes/{router}/{day}")
    change, transition = shown["about"]["change"], shown["transition"]
    return {
        "router": router, "day": day, "candidate_hash": change["candidate_hash"], "base_hash": change["base_hash"],
        "transition_hash": transition["identity"] if transition else None,
    }  # fmt: skip


def states(site: Installation) -> dict[tuple[str, str], str]:
    return {(each["router"], each["day"]): each["state"] for each in site.json("change", "list", "--all")}


def decisions(site: Installation) -> list[tuple[str, str, str]]:
    return [(each["router"], each["identity"], each["note"]) for each in site.json("audit", "--kind", "decide")]


def test_all_that_need_nothing_else_are_approved(site: Installation, deploy: Program) -> None:
    before = len(decisions(site))
    asked = [seen(deploy, "r2"), seen(deploy, "r1")]
    answer = deploy.ask("POST", AT, body={"changes": asked, "note": "ticket 42"})
    assert answer.status_code == 200, answer.text
    results = answer.json()["results"]
    assert [(each["router"], each["is_approved"], each["outcome"]) for each in results] == [
        ("r2", True, "decided"), ("r1", True, "decided"),
    ]  # fmt: skip
    assert [each["candidate_hash"] for each in results] == [each["candidate_hash"] for each in asked]
    assert [each["change_id"] for each in results] == [f"r2/{NEXT}", f"r1/{NEXT}"]
    assert decisions(site)[before:] == [("r2", "token:deploy", "ticket 42"), ("r1", "token:deploy", "ticket 42")]
    assert {router: states(site)[router, NEXT] for router in ("r1", "r2")} == {"r1": "approved", "r2": "approved"}
    site.run("audit", "--verify")


def test_the_page_and_a_program_leave_the_same(site: Installation, deploy: Program) -> None:
    """What the ticked boxes of the dashboard leave, the request leaves, in the same words."""
    anna = browser(site.settings)
    anna.log_in("anna")
    first = seen(deploy, "r3", NIGHT)
    fields = {"csrf": anna.token("/"), "change": f"r3 {NIGHT} {first['candidate_hash']} {first['transition_hash']}"}
    by_page = anna.post("/approve", fields)
    answer = deploy.ask("POST", AT, body={"changes": [first]})
    assert (by_page.status_code, answer.status_code) == (409, 409)
    (result,) = answer.json()["results"]
    assert (result["outcome"], result["is_approved"]) == ("individual", False)
    assert result["explanation"] == "first configuration of this router; approve it individually"
    assert result["explanation"] in by_page.text
    assert states(site)["r3", NIGHT] == "pending"


@pytest.mark.parametrize(
    ("changed", "outcome"),
    [
        ({"candidate_hash": "0" * 64}, "stale_hash"),
        ({"base_hash": "0" * 64}, "stale_hash"),
        ({"base_hash": None}, "stale_hash"),
        ({"transition_hash": "0" * 64}, "transition"),
        ({"transition_hash": None}, "transition"),
        ({"router": "r9"}, "refused"),
        ({"day": "2001-01-01"}, "refused"),
    ],
)
def test_one_that_is_not_what_was_seen_is_told_and_does_not_hold_up_the_other(
    site: Installation, deploy: Program, changed: dict[str, Any], outcome: str
) -> None:
    now = seen(deploy, "r1")
    answer = deploy.ask("POST", AT, body={"changes": [now | changed, seen(deploy, "r2")]})
    assert answer.status_code == 409
    assert answer.json()["detail"].startswith("1 of 2 changes were approved")
    left, taken = answer.json()["results"]
    assert (left["is_approved"], left["outcome"], taken["outcome"]) == (False, outcome, "decided")
    there = {"router", "day"} & {*changed} == set()
    assert (left["candidate_hash"], left["base_hash"]) == (
        (now["candidate_hash"], now["base_hash"]) if there else (None, None)
    )
    assert (states(site)["r1", NEXT], states(site)["r2", NEXT]) == ("pending", "approved")


def test_a_deferred_one_and_one_with_many_new_pairs_are_left(site: Installation) -> None:
    site.settings.write_text(site.settings.read_text().replace("[review]", "[review]\nnew_pairs_limit = 0"))
    site.run("change", "defer", "--router", "r2", "--until", "2199-12-24", "--reason", "freeze")
    asking = program(page_of(site.settings))
    answer = asking.ask("POST", AT, body={"changes": [seen(asking, "r1"), seen(asking, "r2")]})
    assert [each["outcome"] for each in answer.json()["results"]] == ["held", "deferred"]
    assert "more than review.new_pairs_limit = 0" in answer.json()["results"][0]["explanation"]
    number = asking.get(f"/api/changes/r1/{NEXT}")["about"]["change"]["pairs_added"]
    body = {name: value for name, value in seen(asking, "r1").items() if name in ("candidate_hash", "base_hash")}
    asking.ask("POST", f"/api/changes/r1/{NEXT}/acknowledge", body={**body, "new_pairs": number})
    answer = asking.ask("POST", AT, body={"changes": [seen(asking, "r1"), seen(asking, "r2")]})
    assert [each["outcome"] for each in answer.json()["results"]] == ["decided", "deferred"]


def test_two_people_approve_where_two_must(site: Installation) -> None:
    site.settings.write_text(site.settings.read_text().replace("[review]", "[review]\napprovals = 2"))
    server = page_of(site.settings)
    own, other = program(server), program(server, name="other", owner="bert")

    def outcomes(asking: Program) -> list[str]:
        answer = asking.ask("POST", AT, body={"changes": [seen(asking, "r1"), seen(asking, "r2")]})
        return [each["outcome"] for each in answer.json()["results"]]

    assert outcomes(own) == ["second_person"] * 2, "the first approval is given to one alone"
    for router in ("r1", "r2"):
        body = {name: value for name, value in seen(own, router).items() if name not in ("router", "day")}
        assert own.ask("POST", f"/api/changes/{router}/{NEXT}/approve", body=body).status_code == 200
    assert outcomes(own) == ["second_person"] * 2
    assert outcomes(program(server, name="spare")) == ["second_person"] * 2, "another token of the same person"
    assert {states(site)[router, NEXT] for router in ("r1", "r2")} == {"pending"}
    assert outcomes(other) == ["decided"] * 2


def test_each_counts_as_a_change_of_the_token(site: Installation, monkeypatch: pytest.MonkeyPatch) -> None:
    moment = [1000.0]
    monkeypatch.setattr("hntes.web.api.caller.now_s", lambda: moment[0])
    asking = program(page_of(site.settings, api_changes_per_hour=3))
    both = {"changes": [seen(asking, "r1"), seen(asking, "r2")]}
    stale = {"changes": [each | {"candidate_hash": "0" * 64} for each in both["changes"]]}
    assert asking.ask("POST", AT, body=stale).status_code == 409
    moment[0] += 600
    refused = asking.ask("POST", AT, body=both)
    assert (refused.status_code, "try again in 3000 s" in refused.json()["detail"]) == (429, True)
    assert asking.ask("POST", AT, body={"changes": both["changes"][:1]}).status_code == 200
    many = asking.ask("POST", AT, body={"changes": [both["changes"][0] | {"router": f"r{n}"} for n in range(4)]})
    assert (many.status_code, "these are 4 changes" in many.json()["detail"]) == (422, True)
    assert states(site)["r2", NEXT] == "pending"


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ([], "changes"),
        ([{"router": f"r{number}"} for number in range(41)], "changes"),
        ([{}, {}], "named twice"),
        ([{"day": "soon"}], "is not a day"),
        ([{"candidate_hash": "0" * 63}], "candidate_hash"),
        ([{"unknown": 1}], "unknown"),
    ],
)
def test_a_list_that_cannot_be_meant_is_refused_as_a_whole(
    site: Installation, deploy: Program, changes: list[dict[str, Any]], said: str
) -> None:
    before, now = site.json("audit"), seen(deploy, "r1")
    # 41 of them are within the length of a document, which is another limit
    answer = deploy.ask("POST", AT, body={"changes": [{**now, "base_hash": None} | each for each in changes]})
    assert (answer.status_code, said in answer.json()["detail"]) == (422, True), answer.text
    assert site.json("audit") == before


def test_forty_with_the_longest_names_fit_into_a_document(deploy: Program) -> None:
    hashes = dict.fromkeys(("candidate_hash", "base_hash", "transition_hash"), "0" * 64)
    answer = deploy.ask(
        "POST", AT, body={"changes": [{"router": f"{n:064d}", "day": NEXT, **hashes} for n in range(40)]}
    )
    assert {each["outcome"] for each in answer.json()["results"]} == {"refused"}


def test_a_database_that_fails_in_the_middle_leaves_nothing_untold(
    site: Installation, deploy: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = [seen(deploy, "r1"), seen(deploy, "r2"), seen(deploy, "r3", NIGHT)]
    calls: list[tuple[Any, ...]] = []

    def failing(*given: Any) -> Any:
        calls.append(given)
        if len(calls) == 2:
            raise OperationalError("commit", {}, Exception("server closed the connection"))
        return decide(*given)

    monkeypatch.setattr("hntes.workflow.review.approve_passed.decide", failing)
    answer = deploy.ask("POST", AT, body={"changes": asked})
    assert answer.status_code == 409
    assert [each["outcome"] for each in answer.json()["results"]] == ["decided", "unknown", "not_tried"]
    assert "server closed the connection" in answer.json()["results"][1]["explanation"]
    calls.append(())  # the next call fails, the first of its request
    del calls[1:]
    before = site.json("audit")
    answer = deploy.ask("POST", AT, body={"changes": asked[1:2]})
    assert answer.status_code == 503, "nothing was done, and it may be asked again"
    assert site.json("audit") == before
