"""The reservations of programs: what the API answers, and what an attacker gets."""

import json
from pathlib import Path
from typing import Any

import pytest

from hntes.settings.web import Web
from hntes.web.api.bodies import MOST_BYTES
from hntes.web.api.tokens import add_token, read_tokens, remove_token
from hntes.web.errors import WebError
from hntes.web.login_throttle import LIMIT_PER_ADDRESS
from hntes.web.site import Site
from tests.support.api_program import Program
from tests.support.installation import Installation
from tests.support.reserving import OTHER_PAIR, P1, P2, PAIR, reserving_installation, set_clock
from tests.support.review_page import site

AT = "/api/reservations"
SOURCE, DESTINATION = PAIR.split(">")
ASKED: dict[str, Any] = {
    "source": SOURCE, "destination": DESTINATION, "rate_bps": 3 * 10**9, "ports": [P1],
    "start": "2026-11-24T12:00Z", "length_s": 7200, "ticket": "T-1", "external_id": "copy-1",
}  # fmt: skip
NONE: dict[str, Any] = {"reservations": [], "next_offset": None}


@pytest.fixture
def installation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Installation:
    set_clock(monkeypatch)
    return reserving_installation(tmp_path)


@pytest.fixture
def server(installation: Installation) -> Site:
    return site(installation.settings)


@pytest.fixture
def anna(server: Site) -> Program:
    return Program(server, add_token(server.web.tokens, "copies", "anna"))


@pytest.fixture
def bert(server: Site) -> Program:
    return Program(server, add_token(server.web.tokens, "others", "bert"))


def test_a_reservation_is_made_seen_and_cancelled(anna: Program, installation: Installation) -> None:
    made_one = anna.ask("POST", AT, body=ASKED)
    assert made_one.status_code == 201
    assert made_one.headers["location"] == f"{AT}/1"
    assert made_one.headers["content-type"] == "application/json"
    assert {"owner": "anna", "state": "booked", "start": "2026-11-24T12:00:00Z"}.items() <= made_one.json().items()
    assert anna.ask("GET", AT).json() == {"reservations": [made_one.json()], "next_offset": None}
    shown = anna.ask("GET", f"{AT}/1").json()
    assert "fq maxrate 3000000000bit" in shown["sheet"]
    assert anna.ask("DELETE", f"{AT}/1").json()["state"] == "cancelled"
    assert anna.ask("GET", AT).json() == NONE
    assert [each["state"] for each in anna.ask("GET", f"{AT}?all=1").json()["reservations"]] == ["cancelled"]
    events = installation.json("audit", "--kind", "reserve", "--kind", "cancel")
    assert [(each["kind"], each["who"], each["identity"]) for each in events] == [
        ("reserve", "anna", "token:copies"), ("cancel", "anna", "token:copies"),
    ]  # fmt: skip


def test_past_and_cancelled_ones_are_asked_for_by_any_word_for_true(anna: Program) -> None:
    anna.ask("POST", AT, body=ASKED)
    anna.ask("DELETE", f"{AT}/1")
    for word, count in (("true", 1), ("1", 1), ("false", 0), ("0", 0)):
        assert len(anna.get(f"{AT}?all={word}")["reservations"]) == count, word
    assert anna.ask("GET", f"{AT}?all=some").status_code == 400


def test_the_same_again_is_not_made_twice(anna: Program) -> None:
    first = anna.ask("POST", AT, body=ASKED)
    again = anna.ask("POST", AT, body=ASKED)
    assert (again.status_code, again.json()) == (200, first.json())
    assert anna.ask("POST", AT, body=ASKED | {"rate_bps": 1}).status_code == 400


def test_what_does_not_fit_is_answered_with_the_nearest_start(anna: Program, bert: Program) -> None:
    anna.ask("POST", AT, body=ASKED)
    source, destination = OTHER_PAIR.split(">")
    refused = bert.ask("POST", AT, body=ASKED | {"source": source, "destination": destination})
    assert refused.status_code == 409
    assert refused.headers["content-type"] == "application/problem+json"
    assert refused.json()["nearest_start"] == "2026-11-24T14:00:00Z"
    assert "over its cap by 2 Gb/s" in refused.json()["reasons"][0]
    assert (
        bert.ask("POST", AT, body=ASKED | {"source": source, "start": refused.json()["nearest_start"]}).status_code
        == 201
    )


def test_a_background_transfer_is_told_what_it_gets(anna: Program) -> None:
    anna.ask("POST", AT, body=ASKED | {"kind": "background", "floor_bps": 10**9, "ports": [P1, P2]})
    assert anna.ask("GET", f"{AT}/1").json()["shares"] == [
        {"start": "2026-11-24T12:00:00Z", "end": "2026-11-24T14:00:00Z", "rate_bps": 3 * 10**9}
    ]


@pytest.mark.parametrize(
    "header",
    ["", "Bearer", "Bearer ", "Basic YW5uYTph", "Bearer wrong", f"Bearer {'A' * 43}", "Bearer \u00e9", "token x"],
)
def test_nobody_gets_in_without_a_token(anna: Program, header: str) -> None:
    anna.ask("POST", AT, body=ASKED)
    for method, address in (("GET", AT), ("POST", AT), ("GET", f"{AT}/1"), ("DELETE", f"{AT}/1")):
        answer = anna.ask(method, address, body=ASKED, Authorization=header)
        assert answer.status_code == 401
        assert answer.headers["www-authenticate"] == "Bearer"
        assert answer.json()["status"] == 401
    assert anna.ask("GET", f"{AT}/1").json()["state"] == "booked"


def test_two_tokens_at_once_are_none(anna: Program) -> None:
    headers = [("Authorization", f"Bearer {anna.token}"), ("Authorization", f"Bearer {anna.token}")]
    assert anna.client.get(AT, headers=headers).status_code == 401


def test_a_browsers_session_is_no_token(server: Site, anna: Program) -> None:
    secret = server.sessions.begin("anna", "digest", 0.0)
    answer = anna.client.get(AT, headers={"Cookie": f"{server.session_cookie}={secret}"})
    assert answer.status_code == 401
    assert "set-cookie" not in anna.ask("GET", AT).headers


def test_others_reservations_are_not_there(anna: Program, bert: Program) -> None:
    anna.ask("POST", AT, body=ASKED)
    missing = bert.ask("GET", f"{AT}/7")
    for method in ("GET", "DELETE"):
        answer = bert.ask(method, f"{AT}/1")
        assert answer.status_code == 404
        assert answer.json() == missing.json() | {"detail": missing.json()["detail"].replace("7", "1")}
    assert bert.ask("GET", f"{AT}?all=1").json() == NONE
    assert anna.ask("GET", f"{AT}/1").json()["state"] == "booked"


def test_an_owner_cannot_be_named(anna: Program) -> None:
    answer = anna.ask("POST", AT, body=ASKED | {"owner": "bert"})
    assert answer.status_code == 422
    assert "owner: Extra inputs are not permitted" in answer.json()["detail"]


def test_guesses_count_for_their_address(server: Site, anna: Program) -> None:
    guesser = Program(server, "x", peer="192.0.2.66")
    answers = []
    for number in range(LIMIT_PER_ADDRESS + 2):
        guesser.token = f"{number:043d}"
        answers.append(guesser.ask("GET", AT).status_code)
    assert answers == [401] * LIMIT_PER_ADDRESS + [429] * 2
    assert anna.ask("GET", AT).status_code == 200


def test_a_removed_token_opens_nothing(server: Site, anna: Program) -> None:
    assert anna.ask("GET", AT).status_code == 200
    remove_token(server.web.tokens, "copies")
    assert anna.ask("GET", AT).status_code == 401


MALFORMED: list[tuple[bytes, int]] = [
    (b"", 400),
    (b"{", 400),
    (b"\xff", 400),
    (b"[" * 10_000, 400),
    (b"9" * 5000, 400),
    (b"[]", 422),
    (b"null", 422),
    (b'"x"', 422),
    (b"{}", 422),
    # the second could pass a filter before this program that looks at the first, and the other way round
    (json.dumps(ASKED)[:-1].encode() + b', "source": "198.18.11.0/24"}', 400),
    (b"x" * (MOST_BYTES + 1), 413),
]


@pytest.mark.parametrize(("raw", "status"), MALFORMED, ids=range(len(MALFORMED)))
def test_documents_that_cannot_be_read(anna: Program, raw: bytes, status: int) -> None:
    answer = anna.ask("POST", AT, raw=raw)
    assert answer.status_code == status
    assert answer.headers["content-type"] == "application/problem+json"


@pytest.mark.parametrize(
    ("changes", "status", "said"),
    [
        ({"rate_bps": "3G"}, 422, "rate_bps"),
        ({"rate_bps": True}, 422, "rate_bps"),
        ({"rate_bps": 1.5}, 422, "rate_bps"),
        ({"rate_bps": 10**30}, 422, "rate_bps"),
        ({"ports": []}, 422, "ports"),
        ({"ports": ["r1:xe-0/0/9"]}, 400, "does not allow reservations"),
        ({"ports": [P1] * 33}, 422, "ports"),
        ({"kind": "premium"}, 422, "kind"),
        ({"start": "noon"}, 422, "start: 'noon' is not a timestamp"),
        ({"start": "2026-11-24T09:00Z"}, 400, "is in the past"),
        ({"start": "2026-11-24T12:00"}, 422, "with UTC offset"),  # the hour that summer time repeats is which?
        ({"start": "2026-11-24T12:00:00.5Z"}, 422, "write whole seconds"),
        ({"start": "2026-11-24T23:59:60Z"}, 422, "is not a timestamp"),
        ({"start": "2026-11-24T10:30+01:00"}, 400, "is in the past"),
        ({"start": "0001-01-01T00:00+14:00"}, 422, "start"),
        ({"start": "9999-12-31T23:59-14:00"}, 400, "more than 366 days from now"),
        ({"end": "2026-11-24T13:00Z"}, 400, "its end or its length"),
        ({"length_s": 10**9}, 400, "longer than 720 h"),
        ({"rate_bps": 1}, 400, "cannot police it"),
        ({"rtt_ms": 2000}, 400, "is above 300"),
        ({"ports": ["r1:*"]}, 400, "list each egress port"),
        ({"ports": [P1, P1]}, 400, "once"),
        ({"source": "198.18.10.0/24' OR '1'='1"}, 400, "198.18.10.0/24"),
        ({"source": "\ud800"}, 422, "source"),
        ({"source": "<script>"}, 400, ""),
        ({"destination": "203.0.113.7/24"}, 400, "203.0.113.7/24"),
        ({"ticket": "x\nforged"}, 400, "its ticket holds U+000A"),
        ({"external_id": "\u202e"}, 400, "its external_id holds U+202E"),
        ({"unknown": 1}, 422, "unknown"),
    ],
)
def test_fields_that_cannot_be(anna: Program, changes: dict[str, Any], status: int, said: str) -> None:
    answer = anna.ask("POST", AT, body=ASKED | changes)
    assert answer.status_code == status
    assert said in answer.json()["detail"]
    assert answer.content.isascii()
    assert anna.ask("GET", AT).json() == NONE


@pytest.mark.parametrize("number", ["0", "x", "-1", "1e3", "9" * 15, "9" * 16, "%D9%A1", "1;--"])
def test_numbers_that_are_none(anna: Program, number: str) -> None:
    assert anna.ask("GET", f"{AT}/{number}").status_code == 404
    assert anna.ask("DELETE", f"{AT}/{number}").status_code == 404


@pytest.mark.parametrize(
    ("method", "address", "status", "allowed"),
    [
        ("PUT", AT, 405, "GET, HEAD, POST"),
        ("PATCH", f"{AT}/1", 405, "DELETE, GET, HEAD"),
        ("GET", "/api/other", 404, None),
    ],
)
def test_what_the_api_does_not_have(anna: Program, method: str, address: str, status: int, allowed: str | None) -> None:
    answer = anna.ask(method, address)
    assert answer.status_code == status
    assert answer.json()["status"] == status
    assert answer.headers.get("allow") == allowed


def test_a_form_of_another_site_is_no_document(anna: Program) -> None:
    answer = anna.ask("POST", AT, raw=b"source=x", **{"Content-Type": "text/plain"})
    assert answer.status_code == 415


def test_where_reservations_are_off_it_says_so(anna: Program, installation: Installation) -> None:
    text = installation.settings.read_text(encoding="utf-8")
    installation.settings.write_text(text.replace("[reservations]\ncap_pct = 40\n", ""), encoding="utf-8")
    answer = anna.ask("POST", AT, body=ASKED)
    assert answer.status_code == 400
    assert "reservations are off" in answer.json()["detail"]


def test_the_file_of_tokens_holds_no_token(server: Site, anna: Program) -> None:
    path = server.web.tokens
    assert anna.token not in path.read_text(encoding="utf-8")
    assert path.stat().st_mode & 0o777 == 0o600
    path.chmod(0o640)
    with pytest.raises(WebError, match="others may read or write the tokens"):
        read_tokens(path)
    assert anna.ask("GET", AT).status_code == 503
    path.chmod(0o600)
    path.write_text('{"tokens": [{"name": 1, "owner": "a", "sha256": ""}]}', encoding="utf-8")
    with pytest.raises(WebError, match="is not a file of tokens"):
        read_tokens(path)


def test_commands_make_list_and_remove_tokens(installation: Installation) -> None:
    secret = installation.run("user", "add-token", "copies", "--owner", "anna").stdout.strip()
    assert len(secret) == 43
    assert installation.json("user", "list-tokens") == [
        {"name": "copies", "owner": "anna", "scopes": ["reserve"], "prefixes": []}
    ]
    installation.run("user", "remove-token", "copies")
    assert installation.json("user", "list-tokens") == []
    assert "there is none" in installation.run("user", "remove-token", "copies", expect=1).stderr
    assert "use up to 64 letters" in installation.run("user", "add-token", ".x", "--owner", "a", expect=1).stderr


@pytest.mark.parametrize(
    ("changes", "status"),
    [
        ({}, 201),
        ({"source": "198.18.10.7/32"}, 201),
        ({"source": "198.19.0.0/24", "destination": "198.18.10.0/24"}, 201),  # what comes to its hosts
        ({"source": "198.18.0.0/16"}, 403),  # more than its own
        ({"source": "198.19.0.0/24"}, 403),
        ({"source": "2001:db8::/64", "destination": "2001:db8:1::/64"}, 403),
        ({"source": "198.18.10.0/24 "}, 403),
    ],
)
def test_a_token_polices_no_pair_but_of_its_own_hosts(server: Site, changes: dict[str, Any], status: int) -> None:
    """A reservation polices its pair: of others' pairs it would be a way to throttle them."""
    program = Program(server, add_token(server.web.tokens, "own", "anna", ["198.18.10.0/24"]))
    answer = program.ask("POST", AT, body=ASKED | changes)
    assert answer.status_code == status
    assert status == 201 or "within this token's prefixes, 198.18.10.0/24" in answer.json()["detail"]


def test_tokens_of_before_reserve_any_pair_and_prefixes_are_prefixes(server: Site, anna: Program) -> None:
    path = server.web.tokens
    stored = json.loads(path.read_text(encoding="utf-8"))
    for each in stored["tokens"]:
        del each["prefixes"], each["scopes"]
    path.write_text(json.dumps(stored), encoding="utf-8")
    assert anna.ask("POST", AT, body=ASKED).status_code == 201
    with pytest.raises(WebError, match=r"'198\.18\.10\.7/24' is not a prefix"):
        add_token(path, "other", "anna", ["198.18.10.7/24"])


def test_one_instant_is_one_whatever_its_offset(anna: Program) -> None:
    first = anna.ask("POST", AT, body=ASKED)
    again = anna.ask("POST", AT, body=ASKED | {"start": "2026-11-24T21:00+09:00"})
    assert (first.status_code, again.status_code, again.json()) == (201, 200, first.json())
    # the same wall clock before and after summer time ends is two instants
    changes = {"external_id": None, "length_s": 3600, "source": "198.18.40.0/24"}
    for offset, begins in (("+02:00", "00:30"), ("+01:00", "01:30")):
        booked = anna.ask("POST", AT, body=ASKED | changes | {"start": f"2027-10-31T02:30{offset}", "rate_bps": 10**9})
        assert (booked.status_code, booked.json()["start"]) == (201, f"2027-10-31T{begins}:00Z")


def limited(installation: Installation, limits: str) -> None:
    text = installation.settings.read_text(encoding="utf-8")
    assert "[reservations]\n" in text
    installation.settings.write_text(text.replace("[reservations]\n", f"[reservations]\n{limits}\n"), encoding="utf-8")


def test_a_token_makes_so_many_changes_an_hour_and_another_token_its_own(
    installation: Installation, anna: Program, bert: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    limited(installation, "api_changes_per_hour = 4")
    moment = [1000.0]
    monkeypatch.setattr("hntes.web.api.reservations.now_s", lambda: moment[0])
    changing = ASKED | {"external_id": None}
    for number in (1, 2):
        assert anna.ask("POST", AT, body=changing).status_code == 201
        assert anna.ask("DELETE", f"{AT}/{number}").status_code == 200
    before = len(installation.json("audit"))
    refused = anna.ask("POST", AT, body=changing)
    assert refused.status_code == 429
    assert "makes at most 4 changes within an hour: try again in 3600 s" in refused.json()["detail"]
    assert anna.ask("DELETE", f"{AT}/1").status_code == 429
    assert len(installation.json("audit")) == before
    assert anna.ask("GET", AT).status_code == 200
    assert bert.ask("POST", AT, body=changing).status_code == 201
    moment[0] += 3600
    assert anna.ask("POST", AT, body=changing | {"source": "198.18.40.0/24", "rate_bps": 1_000_000}).status_code == 201


def test_a_repeated_request_is_no_change(installation: Installation, anna: Program) -> None:
    limited(installation, "api_changes_per_hour = 1\napi_max_standing = 1")
    assert [anna.ask("POST", AT, body=ASKED).status_code for _ in range(3)] == [201, 200, 200]


@pytest.mark.parametrize(
    "times", [{"length_s": 59}, {"length_s": None, "end": "2026-11-24T12:00:59Z"}], ids=["length", "end"]
)
def test_nothing_shorter_than_a_minute_is_booked(anna: Program, times: dict[str, Any]) -> None:
    refused = anna.ask("POST", AT, body=ASKED | times)
    assert refused.status_code == 422
    assert "59 s is shorter than 60 s" in refused.json()["detail"]
    assert anna.ask("POST", AT, body=ASKED | {"length_s": 60}).status_code == 201


def test_an_owner_has_so_many_at_once(installation: Installation, anna: Program, bert: Program) -> None:
    limited(installation, "api_max_standing = 2")
    small = ASKED | {"rate_bps": 1_000_000, "external_id": None}
    others = [small | {"source": f"198.18.{40 + number}.0/24"} for number in range(3)]
    assert [anna.ask("POST", AT, body=each).status_code for each in others] == [201, 201, 409]
    assert bert.ask("POST", AT, body=small | {"source": "198.18.60.0/24"}).status_code == 201
    anna.ask("DELETE", f"{AT}/1")
    again = anna.ask("POST", AT, body=small)
    assert again.status_code == 201, again.text


def test_a_stranger_behind_the_proxy_on_this_machine_locks_no_program_out(
    server: Site, anna: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Web, "is_secure", True)  # browsers come by HTTPS, which the proxy alone speaks
    stranger = Program(server, "A" * 43)
    heard = [stranger.ask("GET", AT, **{"X-Forwarded-For": "203.0.113.66"}).status_code for _ in range(12)]
    stranger.token = "B" * 43
    heard += [stranger.ask("GET", AT, **{"X-Forwarded-For": "203.0.113.66"}).status_code for _ in range(3)]
    assert heard == [401] * 10 + [429] * 5
    assert anna.ask("GET", AT, **{"X-Forwarded-For": "198.51.100.8"}).status_code == 200
    # what a client writes before the proxy's own entry says nothing
    assert stranger.ask("GET", AT, **{"X-Forwarded-For": "198.51.100.9, 203.0.113.66"}).status_code == 429
