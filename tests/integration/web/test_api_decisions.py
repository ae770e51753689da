"""Decisions by programs: the same rows and events as by the page, bound by all that binds a person."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hntes.web.site import Site
from tests.support.api_program import Program, program
from tests.support.installation import Installation
from tests.support.page_addresses import CHANGE
from tests.support.prepared_nights import NIGHT, PreparedNights
from tests.support.review_page import Browser, browser
from tests.support.review_page import site as page_of

AT = f"/api/changes/r1/{NIGHT}"
LATER = "2199-12-31"
# What two events of one decision have in common, whoever took it where; hashes chain, numbers and times differ.
ABOUT = ("kind", "router", "day", "change_id", "candidate_hash", "judgement_id", "outcome", "content_hash", "detail",
         "who", "note")  # fmt: skip


@pytest.fixture
def server(site: Installation) -> Site:
    return page_of(site.settings)


@pytest.fixture
def deploy(server: Site) -> Program:
    """A token of anna's with all scopes."""
    return program(server)


def seen(asking: Program, at: str = AT) -> dict[str, Any]:
    """What an approval has to name, as the change's document shows it."""
    shown = asking.get(at)
    about = shown["about"]["change"]
    return {
        "candidate_hash": about["candidate_hash"], "base_hash": about["base_hash"],
        "transition_hash": shown["transition"]["identity"] if shown["transition"] else None,
    }  # fmt: skip


def named(asking: Program) -> dict[str, Any]:
    """The same without the transition."""
    return {name: value for name, value in seen(asking).items() if name != "transition_hash"}


def state(site: Installation) -> tuple[str, str | None]:
    (listed,) = [each for each in site.json("change", "list", "--all", "--router", "r1") if each["day"] == NIGHT]
    return listed["state"], listed["decided_by"]


def test_an_approval_is_recorded_in_the_tokens_name(site: Installation, deploy: Program) -> None:
    answer = deploy.ask("POST", f"{AT}/approve", body={**seen(deploy), "confirm": "r1", "note": "ticket 42"})
    assert answer.status_code == 200, answer.text
    assert (answer.json()["outcome"], answer.json()["change"]["state"]) == ("decided", "approved")
    assert state(site) == ("approved", "anna")
    (event,) = site.json("audit", "--kind", "decide")
    assert (event["identity"], event["who"], event["note"]) == ("token:deploy", "anna", "ticket 42")
    site.run("audit", "--verify")


Step = Callable[[Browser, Program], tuple[int, int]]


def approved(page: Browser, asking: Program) -> tuple[int, int]:
    sent = page.send(CHANGE, f"{CHANGE}/approve", confirm="r1", note="seen")
    answer = asking.ask("POST", f"{AT}/approve", body={**seen(asking), "confirm": "r1", "note": "seen"})
    return sent.status_code, answer.status_code


def rejected(page: Browser, asking: Program) -> tuple[int, int]:
    sent = page.send(CHANGE, f"{CHANGE}/reject", note="too early")
    answer = asking.ask("POST", f"{AT}/reject", body={**named(asking), "note": "too early"})
    return sent.status_code, answer.status_code


def held(page: Browser, asking: Program) -> tuple[int, int]:
    sent = page.send(CHANGE, f"{CHANGE}/hold", until=LATER, note="freeze")
    answer = asking.ask("POST", f"{AT}/defer", body={**named(asking), "until": LATER, "note": "freeze"})
    return sent.status_code, answer.status_code


def reopened(page: Browser, asking: Program) -> tuple[int, int]:
    sent = page.send(CHANGE, f"{CHANGE}/reopen", note="after all")
    answer = asking.ask("POST", f"{AT}/reopen", body={**named(asking), "note": "after all"})
    return sent.status_code, answer.status_code


def pinned(page: Browser, asking: Program) -> tuple[int, int]:
    address = f"/pin?router=r1&what=198.18.99.0/24>203.0.113.0/24&reason=weekly&from={NIGHT}"
    body = {"router": "r1", "source": "198.18.99.0/24", "destination": "203.0.113.0/24", "reason": "weekly"}
    sent = page.send(address, "/pin")
    return sent.status_code, asking.ask("POST", "/api/pins", body={**body, "from_day": NIGHT}).status_code + 102


def excluded(page: Browser, asking: Program) -> tuple[int, int]:
    address = f"/exclude?router=*&what=203.0.113.0/25&side=destination&reason=works&from={NIGHT}&until={LATER}"
    body = {"router": "*", "prefix": "203.0.113.0/25", "side": "destination", "reason": "works", "from_day": NIGHT}
    sent = page.send(address, "/exclude")
    return sent.status_code, asking.ask("POST", "/api/exclusions", body={**body, "until_day": LATER}).status_code + 102


@pytest.mark.parametrize(
    "steps", [[approved], [rejected, reopened, approved], [held, reopened, rejected], [pinned, excluded]],
    ids=["approve", "reject and reopen", "defer", "overrides"],
)  # fmt: skip
def test_a_program_decides_as_the_page_does(tmp_path: Path, prepared_nights: PreparedNights, steps: list[Step]) -> None:
    by_page, by_program = (prepared_nights.site(tmp_path / name / "site") for name in ("page", "program"))
    page = browser(by_page.settings)
    page.log_in("anna")
    asking = program(page_of(by_program.settings))
    for step in steps:
        sent, answered = step(page, asking)
        assert (sent, answered) in ((303, 200), (303, 303))
    # all that a decision writes but the log: states, notes, transitions, holds, pins, exclusions
    rows = [["change", "list", "--all"], ["override", "pin", "list"], ["override", "exclude", "list"]]
    for command in rows:
        one, other = ([_without_event(each) for each in one_of.json(*command)] for one_of in (by_page, by_program))
        assert one == other
    logs = [one_of.json("audit") for one_of in (by_page, by_program)]
    assert [[each[name] for name in ABOUT] for each in logs[0]] == [[each[name] for name in ABOUT] for each in logs[1]]
    of_people = [[each["identity"] for each in log if each["identity"].startswith(("web:", "token:"))] for log in logs]
    assert set(of_people[0]) == {"web:anna"}
    assert of_people[1] == ["token:deploy"] * len(of_people[0])


def _without_event(row: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name not in ("decision", "first_approval")}


@pytest.mark.parametrize(
    ("changed", "outcome"),
    [
        ({"candidate_hash": "0" * 64}, "stale_hash"),
        ({"base_hash": "0" * 64}, "stale_hash"),
        ({"transition_hash": "0" * 64}, "transition"),
        ({"transition_hash": None}, "transition"),
        ({"confirm": ""}, "unconfirmed"),
        ({"confirm": "R1"}, "unconfirmed"),
    ],
)
def test_nothing_is_approved_but_what_was_seen(
    site: Installation, deploy: Program, changed: dict[str, Any], outcome: str
) -> None:
    before = site.json("audit")
    candidate = seen(deploy)["candidate_hash"]
    answer = deploy.ask("POST", f"{AT}/approve", body={**seen(deploy), "confirm": "r1", **changed})
    assert (answer.status_code, answer.json()["outcome"]) == (409, outcome)
    assert (answer.json()["candidate_hash"], answer.json()["base_hash"]) == (candidate, None)
    assert (state(site)[0], site.json("audit")) == ("pending", before)


@pytest.mark.parametrize("verb", ["reject", "defer", "reopen", "acknowledge"])
@pytest.mark.parametrize("changed", [{"candidate_hash": "0" * 64}, {"base_hash": "0" * 64}])
def test_no_other_decision_is_taken_on_what_was_not_seen(
    site: Installation, deploy: Program, verb: str, changed: dict[str, Any]
) -> None:
    more: Any = {"defer": {"until": LATER}, "acknowledge": {"new_pairs": 1}}.get(verb, {})
    before = site.json("audit")
    answer = deploy.ask("POST", f"{AT}/{verb}", body={**named(deploy), "note": "no", **more, **changed})
    assert (answer.status_code, answer.json()["outcome"]) == (409, "stale_hash")
    assert site.json("audit") == before


@pytest.mark.parametrize("verb", ["reject", "defer", "reopen"])
@pytest.mark.parametrize("note", [None, "", "two\nlines"])
def test_what_needs_a_reason_is_refused_without_one(
    site: Installation, deploy: Program, verb: str, note: str | None
) -> None:
    body = named(deploy) | ({"until": LATER} if verb == "defer" else {}) | ({} if note is None else {"note": note})
    before = site.json("audit")
    assert deploy.ask("POST", f"{AT}/{verb}", body=body).status_code == 422
    assert site.json("audit") == before


@pytest.mark.parametrize("first", ["page", "token"])
def test_a_token_is_no_second_person_beside_its_owner(site: Installation, first: str) -> None:
    """Else whoever has a token approves alone, although two people must."""
    site.settings.write_text(site.settings.read_text().replace("[review]", "[review]\napprovals = 2"))
    page = browser(site.settings)
    page.log_in("anna")
    server = page.server
    own, other = program(server), program(server, name="other", owner="bert")

    def by_token(asking: Program) -> Any:
        return asking.ask("POST", f"{AT}/approve", body={**seen(asking), "confirm": "r1"})

    if first == "page":
        assert page.send(CHANGE, f"{CHANGE}/approve", confirm="r1").status_code == 303
    else:
        assert by_token(own).json()["outcome"] == "pending_second_approval"
    if first == "token":
        assert page.send(CHANGE, f"{CHANGE}/approve", confirm="r1").status_code == 409
    refused = by_token(own)
    assert (refused.status_code, refused.json()["outcome"]) == (409, "same_person")
    refused = by_token(program(server, name="spare"))
    assert (refused.status_code, refused.json()["outcome"]) == (409, "same_person")
    assert state(site)[0] == "pending"
    assert by_token(other).json()["outcome"] == "decided"
    assert state(site) == ("approved", "bert")


def test_many_new_pairs_are_acknowledged_before_an_approval(site: Installation) -> None:
    site.settings.write_text(site.settings.read_text().replace("[review]", "[review]\nnew_pairs_limit = 0"))
    asking = program(page_of(site.settings))
    about = asking.get(AT)
    assert "more than review.new_pairs_limit" in about["hold"]
    approval = {**seen(asking), "confirm": "r1"}
    refused = asking.ask("POST", f"{AT}/approve", body=approval)
    assert (refused.status_code, refused.json()["outcome"]) == (409, "held")
    number = about["about"]["change"]["pairs_added"]
    wrong = [asking.ask("POST", f"{AT}/acknowledge", body={**named(asking), "new_pairs": n}) for n in (number + 1, 0.5)]
    assert [each.status_code for each in wrong] == [400, 422]
    # a fraction of zero is an integer to JSON Schema
    body = {**named(asking), "new_pairs": float(number), "note": "new site"}
    assert f'"new_pairs": {number}.0' in json.dumps(body)
    right = asking.ask("POST", f"{AT}/acknowledge", body=body)
    assert right.json()["outcome"] == "acknowledged"
    assert asking.ask("POST", f"{AT}/approve", body=approval).status_code == 200


def test_a_token_decides_so_often_an_hour(site: Installation, monkeypatch: pytest.MonkeyPatch) -> None:
    moment = [1000.0]
    monkeypatch.setattr("hntes.web.api.caller.now_s", lambda: moment[0])
    server = page_of(site.settings, api_changes_per_hour=2)
    one, other = program(server), program(server, name="other")
    body = {**named(one), "note": "no"}
    assert [one.ask("POST", f"{AT}/{verb}", body=body).status_code for verb in ("reject", "reopen")] == [200, 200]
    refused = one.ask("POST", f"{AT}/reject", body=body)
    assert refused.status_code == 429
    assert "web.api_changes_per_hour" in refused.json()["detail"]
    assert other.ask("POST", f"{AT}/reject", body=body).status_code == 200
    assert one.ask("GET", AT).status_code == 200
    moment[0] += 3600
    assert one.ask("POST", f"{AT}/reopen", body=body).status_code == 200


def test_what_is_over_is_not_decided_again(deploy: Program) -> None:
    body = {**named(deploy), "note": "no"}
    assert deploy.ask("POST", f"{AT}/reject", body=body).status_code == 200
    again = deploy.ask("POST", f"{AT}/reject", body=body)
    assert (again.status_code, again.json()["outcome"]) == (409, "already_decided")
    for at in (f"/api/changes/r9/{NIGHT}", "/api/changes/r1/2001-01-01", "/api/changes/r1/never"):
        assert deploy.ask("POST", f"{at}/reject", body=body).status_code == 404


def test_overrides_are_previewed_and_withdrawn_with_a_reason(site: Installation, deploy: Program) -> None:
    pair = {"router": "r1", "source": "198.18.99.0/24", "destination": "203.0.113.0/24", "reason": "weekly"}
    shown = deploy.ask("POST", "/api/pins/preview", body={**pair, "from_day": NIGHT})
    assert [each["becomes"] for each in shown.json()["previews"][0]["pairs"]] == ["added"]
    assert deploy.get("/api/pins?all=1")["pins"] == []
    assert deploy.ask("POST", "/api/pins", body={**pair, "from_day": NIGHT}).json()["owner"] == "anna"
    assert deploy.get("/api/pins")["total"] == 1
    out = {"router": "*", "prefix": "203.0.113.0/25", "reason": "works", "from_day": NIGHT, "until_day": LATER}
    assert deploy.ask("POST", "/api/exclusions/preview", body=out).json()["previews"][0]["pairs_total"] > 0
    assert deploy.ask("POST", "/api/exclusions", body=out).status_code == 201
    ended = deploy.ask("POST", "/api/pins/withdraw", body={**pair, "reason": "done"})
    assert ended.json()["pins"][0]["withdrawn_day"] is not None
    gone = deploy.ask(
        "POST", "/api/exclusions/withdraw", body={"router": "*", "prefix": "203.0.113.0/25", "reason": "x"}
    )
    assert gone.json()["total"] == 1
    assert [deploy.get(f"/api/{each}")["total"] for each in ("pins", "exclusions")] == [0, 0]
    assert [deploy.get(f"/api/{each}?all=1")["total"] for each in ("pins", "exclusions")] == [1, 1]
    events = site.json("audit", "--kind", "unpin", "--kind", "unexclude")
    assert [(each["identity"], each["who"], each["note"]) for each in events] == [
        ("token:deploy", "anna", "done"), ("token:deploy", "anna", "x"),
    ]  # fmt: skip
    assert deploy.ask("POST", "/api/pins/withdraw", body=pair).status_code == 404
    assert deploy.ask("POST", "/api/pins", body={**pair, "router": "r9"}).status_code == 404
    assert deploy.ask("POST", "/api/pins", body={**pair, "source": "nowhere"}).status_code == 400


def test_the_zone_of_an_address_reaches_no_configuration(deploy: Program) -> None:
    ends = {"source": "2001:db8::%a\nb/64", "destination": "2001:db8:1::/64"}
    pair = {"router": "r1", "reason": "weekly", "from_day": NIGHT, **ends}
    assert deploy.ask("POST", "/api/pins", body=pair).status_code == 400
    out = {"router": "*", "prefix": ends["source"], "reason": "works", "from_day": NIGHT, "until_day": LATER}
    assert deploy.ask("POST", "/api/exclusions", body=out).status_code == 400
    assert [deploy.get(f"/api/{each}?all=1")["total"] for each in ("pins", "exclusions")] == [0, 0]


@pytest.mark.parametrize("address", ["/api/pins", "/api/pins/preview"])
@pytest.mark.parametrize("name", ["from_day", "until_day"])
def test_an_empty_day_is_no_day(deploy: Program, address: str, name: str) -> None:
    """A script whose variable is empty would otherwise pin without end."""
    pair = {"router": "r1", "source": "198.18.99.0/24", "destination": "203.0.113.0/24", "reason": "copy"}
    refused = deploy.ask("POST", address, body={**pair, name: ""})
    assert refused.status_code == 422
    assert name in refused.json()["detail"]
    assert deploy.get("/api/pins?all=1")["pins"] == []
