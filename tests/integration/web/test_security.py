"""Attacks on the review page: forged forms, fixed sessions, spoofed names, guessed passwords."""

from dataclasses import replace
from pathlib import Path

import pytest
from starlette.requests import Request

from hntes.settings.web import Web
from hntes.web.accounts import add_account, read_accounts, remove_account
from hntes.web.app import made
from hntes.web.errors import WebError
from hntes.web.form import MOST_BYTES
from hntes.web.headers import POLICY
from hntes.web.login_throttle import LIMIT_PER_ADDRESS
from hntes.web.site import Site
from hntes.web.visitor import address_of
from tests.support.installation import Installation
from tests.support.page_addresses import CHANGE, EDGES, OPEN, PROGRAMS, STREAMS, TEXTS, VIEWS, private_addresses, routes
from tests.support.page_addresses import POSTS as ADDRESSES
from tests.support.prepared_nights import NIGHT
from tests.support.review_page import ORIGIN, PASSWORD, Browser, browser, site, token_in, words_in

PAGES = [next(iter(views.values())) for views in VIEWS.values()] + ["/log.csv"]
# those of people who are logged in, logging out last
POSTS = [address for of_route in ADDRESSES.values() for address in of_route if address != "/login"]
CHEAP = "/pair"  # any page has the token; this one asks the database nothing
MARK = "<script>alert(1)</script>\"'><img src=x onerror=alert(1)>{{7*7}}"


def pending(installed: Installation) -> set[str]:
    return {each["router"] for each in installed.json("change", "list")}


def test_no_address_of_the_page_is_unknown_to_these_tests() -> None:
    served = made(Site(None, Web()))
    assert routes(served, "GET") == {*VIEWS, *TEXTS, *STREAMS, *EDGES, *OPEN, *PROGRAMS["GET"]}
    assert routes(served, "POST") == {*ADDRESSES, *PROGRAMS["POST"]}
    assert POSTS[-1] == "/logout"
    for other in ("PUT", "DELETE", "PATCH", "HEAD", "OPTIONS", "TRACE", "CONNECT"):
        assert routes(served, other) == PROGRAMS.get(other, set())


@pytest.mark.parametrize("page", [*private_addresses(), *STREAMS.values()])
def test_nobody_sees_a_page_without_login(read_only: Installation, page: str) -> None:
    answer = browser(read_only.settings).get(page)
    assert answer.status_code == 303
    assert answer.headers["location"].startswith("/login?next=")
    assert "r1" not in answer.text


def test_with_leave_of_the_settings_everybody_looks_and_nobody_decides(read_only: Installation) -> None:
    server = site(read_only.settings, anonymous_read=True)
    anybody = browser(read_only.settings, server=server)
    assert anybody.get(CHANGE).status_code == 200
    assert '<form method="post"' not in anybody.get(CHANGE).text
    for address in POSTS[:-1]:
        assert anybody.post(address, {"csrf": "x"}).status_code == 403
    assert anybody.get("/exclude").status_code == 403


def test_a_form_without_this_sessions_token_is_refused(read_only: Installation, reader: Browser) -> None:
    other = browser(read_only.settings, server=reader.server)
    tokens: list[str | None] = [None, "", "0" * 64, other.token("/login")]
    other.log_in("anna")
    tokens.append(other.token(CHEAP))
    assert len(set(tokens)) == 5
    for address in POSTS:
        for token in tokens:
            fields = {"hash": "0" * 64} | ({} if token is None else {"csrf": token})
            answer = reader.post(address, fields)
            assert answer.status_code == 403, (address, token)
            assert "belongs to another session" in words_in(answer.text)
    assert pending(read_only) == {"r1", "r2", "r3"}


@pytest.mark.parametrize("origin", [None, "null", "https://elsewhere.example", "http://127.0.0.1:8441", f"{ORIGIN}.x"])
def test_a_form_of_another_site_is_refused(reader: Browser, origin: str | None) -> None:
    token = reader.token(CHEAP)
    for address in POSTS:
        answer = reader.post(address, {"csrf": token, "hash": "0" * 64}, origin=origin)
        assert answer.status_code == 403, address
        assert "must come from a page of" in words_in(answer.text)


def test_a_viewer_decides_nothing(read_only: Installation, viewer: Browser) -> None:
    token = viewer.token(CHEAP)
    for address in POSTS[:-1]:
        answer = viewer.post(address, {"csrf": token, "hash": "0" * 64, "confirm": "r1"})
        assert answer.status_code == 403
        assert "may view but not decide" in words_in(answer.text)
    assert f'action="{CHANGE}/approve"' not in viewer.get(CHANGE).text
    assert viewer.get("/pin").status_code == 403
    assert pending(read_only) == {"r1", "r2", "r3"}


def test_a_session_that_somebody_fixed_beforehand_is_never_logged_in(read_only: Installation) -> None:
    victim = browser(read_only.settings)
    victim.client.cookies.set("hntes", "fixed-by-an-attacker", domain="127.0.0.1", path="/")
    assert victim.log_in("anna").status_code == 303
    assert victim.client.cookies["hntes"] != "fixed-by-an-attacker"
    attacker = browser(read_only.settings, server=victim.server)
    attacker.client.cookies.set("hntes", "fixed-by-an-attacker")
    assert attacker.get("/").status_code == 303


def test_each_login_has_a_new_session_and_ends_the_one_before(read_only: Installation) -> None:
    anna = browser(read_only.settings)
    anna.log_in("anna")
    first = anna.client.cookies["hntes"]
    answer = anna.post("/logout", {"csrf": anna.token(CHEAP)})
    assert answer.status_code == 303
    anna.log_in("anna")
    assert anna.client.cookies["hntes"] != first
    other = browser(read_only.settings, server=anna.server)
    other.client.cookies.set("hntes", first)
    assert other.get("/").status_code == 303, "a session that was logged out"


def test_cookies_are_for_this_site_alone(read_only: Installation) -> None:
    anna = browser(read_only.settings)
    for answer in (anna.get("/login"), anna.log_in("anna")):
        (cookie, *_) = [each for each in answer.headers.get_list("set-cookie") if "Max-Age=0" not in each]
        assert "HttpOnly" in cookie
        assert "SameSite=strict" in cookie
        assert "Path=/" in cookie
        assert "Secure" not in cookie  # plain HTTP on this machine
    origin = "https://hntes.example.net"
    server = site(read_only.settings, origin=origin)
    far = browser(read_only.settings, server=server)
    far.client.base_url = origin
    shown = far.get("/login")
    assert "Secure" in shown.headers["set-cookie"]
    assert shown.headers["set-cookie"].startswith("__Host-hntes-login=")
    assert shown.headers["strict-transport-security"].startswith("max-age=")
    fields = {"csrf": token_in(shown.text), "name": "anna", "password": PASSWORD}
    done = far.post("/login", fields, origin=origin)
    assert done.headers.get_list("set-cookie")[0].startswith("__Host-hntes=")
    assert "Secure" in done.headers.get_list("set-cookie")[0]


def test_an_account_that_changed_ends_its_sessions(tmp_path: Path, read_only: Installation) -> None:
    accounts = tmp_path / "accounts.json"
    for change in ("demoted", "given another password", "removed"):
        add_account(accounts, "mary", "operator", PASSWORD)
        mary = browser(read_only.settings, server=site(read_only.settings, accounts=accounts))
        mary.log_in("mary")
        assert mary.get("/").status_code == 200
        if change == "removed":
            remove_account(accounts, "mary")
        elif change == "demoted":
            add_account(accounts, "mary", "viewer", PASSWORD)
        else:
            add_account(accounts, "mary", "operator", f"{PASSWORD} anew")
        assert mary.get("/").status_code == 303


def test_passwords_cannot_be_tried_out(read_only: Installation, monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[str] = []

    def refused(_account: object, password: str) -> bool:
        tried.append(password)
        return False

    monkeypatch.setattr("hntes.web.login.is_password", refused)
    guesser = browser(read_only.settings, peer="192.0.2.66")
    answers = [guesser.log_in("anna", f"guess {number}").status_code for number in range(LIMIT_PER_ADDRESS + 5)]
    assert answers == [403] * LIMIT_PER_ADDRESS + [429] * 5
    assert len(tried) == LIMIT_PER_ADDRESS
    last = guesser.log_in("anna")
    assert int(last.headers["retry-after"]) > 800
    assert "too many failed logins" in words_in(last.text)
    elsewhere = browser(read_only.settings, server=guesser.server)
    assert elsewhere.log_in("anna", "guess").status_code == 403, "another address may still try"


@pytest.mark.parametrize(
    ("origin", "peer", "counted"),
    [
        ("https://hntes.example", "127.0.0.1", "203.0.113.66"),
        ("https://hntes.example", "::1", "203.0.113.66"),
        ("https://hntes.example", "192.0.2.9", "192.0.2.9"),
        (None, "127.0.0.1", "127.0.0.1"),
    ],
    ids=["local proxy", "by IPv6", "another machine", "no proxy"],
)
def test_failed_logins_count_by_the_address_that_a_proxy_on_this_machine_names(
    read_only: Installation, origin: str | None, peer: str, counted: str
) -> None:
    """As in the set-up of docs/how-to/review-page.md, where all connections come from 127.0.0.1."""
    served = replace(site(read_only.settings), web=Web(origin=origin))
    headers = [(b"x-forwarded-for", b"198.51.100.9, 203.0.113.66")]
    request = Request({"type": "http", "client": (peer, 40_000), "headers": headers})
    assert address_of(request, served) == counted


def test_a_refused_login_says_the_same_of_a_wrong_name_and_a_wrong_password(read_only: Installation) -> None:
    guesser = browser(read_only.settings)
    told = {words_in(guesser.log_in(name, "wrong password").text) for name in ("anna", "nobody", "")}
    assert len(told) == 1


@pytest.mark.parametrize("header", ["X-Forwarded-User", "Remote-User", "X_Forwarded_User", "x-forwarded-user"])
def test_a_name_from_an_address_that_is_not_trusted_means_nothing(read_only: Installation, header: str) -> None:
    server = site(read_only.settings, trusted_proxies=("192.0.2.1/32",), operators=("anna",))
    forger = browser(read_only.settings, peer="192.0.2.2", server=server, **{header: "anna"})
    forger.headers["X-Forwarded-For"] = "192.0.2.1"
    assert forger.get("/").status_code == 303
    assert browser(read_only.settings, **{header: "anna"}).get("/").status_code == 303, "no proxy is trusted at all"


def test_a_name_from_a_trusted_proxy_decides_if_it_is_an_operators(site_copy: Installation) -> None:
    server = site(site_copy.settings, trusted_proxies=("192.0.2.1/32",), operators=("anna",))
    bert = browser(site_copy.settings, peer="192.0.2.1", server=server, **{"X-Forwarded-User": "bert"})
    assert bert.get(CHANGE).status_code == 200
    assert f'action="{CHANGE}/approve"' not in bert.get(CHANGE).text
    anna = browser(site_copy.settings, peer="192.0.2.1", server=server, **{"X-Forwarded-User": "anna"})
    token = anna.token(CHANGE)
    # the same browser, but the proxy names another person now: its token is not theirs
    anna.headers["X-Forwarded-User"] = "bert"
    assert anna.post(f"{CHANGE}/reject", {"csrf": token, "hash": "0" * 64}).status_code == 403
    anna.headers["X-Forwarded-User"] = "anna"
    assert anna.send(CHANGE, f"{CHANGE}/approve", confirm="r1").status_code == 303
    (event,) = [each for each in site_copy.json("audit") if each["kind"] == "decide"]
    assert (event["identity"], event["who"]) == ("proxy:anna", "anna")


@pytest.mark.parametrize("name", ["", " ", "a\u202eb", "x" * 201, "a\x7fb"])
def test_what_is_no_name_is_nobody(read_only: Installation, name: str) -> None:
    server = site(read_only.settings, trusted_proxies=("192.0.2.1/32",))
    anybody = browser(read_only.settings, peer="192.0.2.1", server=server)
    answer = anybody.client.get("/", headers=[(b"x-forwarded-user", name.encode())])
    assert answer.status_code == 403
    twice = [(b"x-forwarded-user", b"anna"), (b"x-forwarded-user", b"bert")]
    assert anybody.client.get("/", headers=twice).status_code == 403


@pytest.mark.parametrize(
    "address", [*PAGES, "/login", "/nothing", "/change/r1/2000-01-01", "/review.css", "/health", "/log?kind=x"]
)
def test_every_answer_is_guarded(reader: Browser, address: str) -> None:
    headers = reader.get(address).headers
    assert headers["content-security-policy"] == POLICY
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["x-frame-options"] == "DENY"
    assert headers["referrer-policy"] == "same-origin"
    assert headers["cache-control"] == "no-store"
    for part in ("default-src 'none'", "frame-ancestors 'none'", "form-action 'self'", "base-uri 'none'"):
        assert part in POLICY
    assert "unsafe" not in POLICY
    assert "script-src" not in POLICY


@pytest.mark.parametrize("page", [*PAGES, "/pair?router=r1&q=198.18.10.0/24>203.0.113.0/24"])
def test_no_page_has_script_or_style_of_its_own(reader: Browser, page: str) -> None:
    text = reader.get(page).text.lower()
    for sign in ("<script", " style=", "<style", " onclick", " onload", "javascript:", "http://", "https://"):
        assert sign not in text


def test_another_hosts_name_is_not_this_site(reader: Browser) -> None:
    assert reader.get("/", Host="attacker.example").status_code == 421
    assert reader.get("/", Host="localhost:8440").status_code in (200, 303)
    assert reader.get("/health", Host="attacker.example").status_code == 200


@pytest.mark.parametrize(
    "address",
    [
        f"/change/{MARK}/{NIGHT}", f"/change/r1/{MARK}", f"/router/{MARK}", f"/pair?router={MARK}&q=x",
        f"/pair?router=r1&q={MARK}", f"/log?kind={MARK}", f"/log?who={MARK}", f"/log?since={MARK}",
        f"/log?router={MARK}", f"/log?before={MARK}", f"/{MARK}", f"/login?next={MARK}",
        f"/exclude?router=*&what={MARK}&reason=x&until=2099-12-31",
        f"/exclude?router=*&what=198.18.10.0/24&reason={MARK}&until=2099-12-31",
        f"/exclude?router=*&what=198.18.10.0/24&side={MARK}&reason=x&until=2099-12-31",
        f"/exclude?router={MARK}&what=198.18.10.0/24&reason=x&until=2099-12-31",
        f"/pin?router=r1&what={MARK}&reason=x", f"/pin?router=r1&what=x&reason=x&until={MARK}",
    ],
)  # fmt: skip
def test_what_is_typed_is_shown_as_text(reader: Browser, address: str) -> None:
    answer = reader.get(address.replace("{{", "%7B%7B"))
    assert answer.status_code < 500
    assert "<script" not in answer.text
    assert "<img" not in answer.text
    assert ">49<" not in answer.text


def test_a_note_is_shown_as_text_wherever_it_is_repeated(site_copy: Installation) -> None:
    anna = browser(site_copy.settings)
    anna.log_in("anna")
    assert anna.send(CHANGE, f"{CHANGE}/reject", note=MARK).status_code == 303
    anna.send(f"/exclude?router=*&what=192.0.2.0/24&reason={MARK}&until=2099-12-31", "/exclude")
    for page in (CHANGE, "/log", "/router/r1", "/", "/router/r2"):
        text = anna.get(page).text
        assert "<script" not in text
        assert "<img src=x" not in text
    assert "<script>alert(1)</script>" in words_in(anna.get("/log").text.replace("&lt;", "<").replace("&gt;", ">")) or (
        "&lt;script&gt;" in anna.get("/log").text
    )


@pytest.mark.parametrize("note", ["two\nlines", "\x1b[2J", "right \u202e left", "x" * 2001])
def test_a_note_is_one_printable_line(read_only: Installation, reader: Browser, note: str) -> None:
    answer = reader.send(CHANGE, f"{CHANGE}/reject", note=note)
    assert answer.status_code == 400
    assert pending(read_only) == {"r1", "r2", "r3"}


@pytest.mark.parametrize(
    "address",
    [
        "/review.css/../../../hntes.toml", "/..%2f..%2fhntes.toml", "/%2e%2e/%2e%2e/etc/passwd", "/static/review.css",
        f"/change/..%2f..%2fr1/{NIGHT}", "/router/..%2f..%2fetc%2fpasswd",
        "/change/r9/2026-11-20", "/change/r1/2026-11-19", "/change/r1/20261120", "/change/r1/yesterday",
        "/router/R1", "/change/r1/0000-00-00", "/change/r1/9999-12-31", "//etc/passwd",
    ],
)  # fmt: skip
def test_what_is_not_there_is_said_in_a_sentence(reader: Browser, address: str) -> None:
    answer = reader.client.get(ORIGIN + address)
    assert answer.status_code == 404
    assert "root:" not in answer.text
    assert "<h1>Not Found</h1>" in answer.text
    assert "Log in" not in answer.text, "to whoever is logged in"


def test_a_form_has_a_largest_size_and_one_form(reader: Browser) -> None:
    token = reader.token(CHEAP)
    assert reader.post("/approve", {"csrf": token, "note": "x" * MOST_BYTES}).status_code == 413
    sent = {"Origin": ORIGIN}
    assert reader.client.post("/approve", json={"csrf": token}, headers=sent).status_code == 415
    assert reader.client.post("/approve", files={"csrf": b"x"}, headers=sent).status_code == 415
    form = sent | {"Content-Type": "application/x-www-form-urlencoded"}
    assert reader.client.post("/approve", content=b"csrf=%ff\xff", headers=form).status_code == 400
    assert reader.client.post("/approve", content=b"a=1&" * 6000, headers=form).status_code == 400
    assert reader.client.get(f"{CHANGE}/approve").status_code == 405


def test_no_secret_stands_in_a_page_or_a_log(
    read_only: Installation, reader: Browser, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    accounts = read_accounts(site(read_only.settings).web.accounts)
    pages = "".join(reader.get(page).text for page in PAGES)
    browser(read_only.settings).log_in("anna", "a wrong password of mine")
    said = pages + caplog.text + "".join(capfd.readouterr())
    for secret in (PASSWORD, reader.client.cookies["hntes"], "a wrong password of mine", "argon2"):
        assert secret not in said
    assert accounts["anna"].password_hash not in said


@pytest.mark.parametrize("next_page", ["//evil.example", "https://evil.example", "/\\evil.example", "javascript:x"])
def test_a_login_leads_nowhere_else(read_only: Installation, next_page: str) -> None:
    anna = browser(read_only.settings)
    fields = {"csrf": anna.token("/login"), "name": "anna", "password": PASSWORD, "next": next_page}
    assert anna.post("/login", fields).headers["location"] == "/"


def test_accounts_that_others_may_read_are_refused(tmp_path: Path, read_only: Installation) -> None:
    accounts = tmp_path / "accounts.json"
    add_account(accounts, "anna", "operator", PASSWORD)
    assert accounts.stat().st_mode & 0o777 == 0o600
    assert PASSWORD not in accounts.read_text()
    assert "$argon2id$" in accounts.read_text()
    accounts.chmod(0o640)
    with pytest.raises(WebError, match="run chmod 600"):
        read_accounts(accounts)
    answer = browser(read_only.settings, server=site(read_only.settings, accounts=accounts)).log_in("anna")
    assert answer.status_code == 503


def test_a_defect_shows_no_traceback(read_only: Installation, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("password of the database")

    anna = browser(read_only.settings)
    anna.log_in("anna")
    monkeypatch.setattr("hntes.web.dashboard.newest_days", broken)
    anna.client._transport.raise_server_exceptions = False  # type: ignore[attr-defined]
    answer = anna.get("/")
    assert answer.status_code == 500
    assert "RuntimeError" not in answer.text
    assert "password of the database" not in answer.text
    assert answer.headers["content-security-policy"] == POLICY
