"""Login by OpenID Connect: roles, what the browser brings back, cookies, and where it leads."""

import time
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from hntes.settings.oidc import Oidc
from hntes.web.oidc.secret import SECRET_FILE_VARIABLE, SECRET_VARIABLE
from hntes.web.site import Site
from tests.support.installation import Installation
from tests.support.oidc_login import CALLBACK, begun, logged_in, refused, served
from tests.support.oidc_provider import CLIENT, SECRET, Provider
from tests.support.prepared_nights import NIGHT
from tests.support.review_page import Browser, browser, site, words_in


def test_an_operator_logs_in_decides_and_logs_out(
    site_copy: Installation, idp: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    olga = browser(site_copy.settings, server=served(site_copy, idp, monkeypatch))
    came = logged_in(olga, idp, "/log?kind=pin")
    assert came.status_code == 200
    assert came.headers["refresh"] == "0; url=/log?kind=pin"
    assert "olga, operator" in words_in(came.text)
    set_cookies = came.headers.get_list("set-cookie")
    assert any("hntes=" in each and "HttpOnly" in each and "SameSite=strict" in each for each in set_cookies)
    assert olga.client.cookies.get("hntes-oidc") is None
    change = f"/change/r1/{NIGHT}"
    assert olga.send(change, f"{change}/reject", note="not this one").status_code == 303
    assert [each["identity"] for each in site_copy.json("audit", "--kind", "decide")] == ["oidc:olga"]
    gone = olga.post("/logout", {"csrf": olga.token("/pair")})
    assert gone.headers["location"] == "/login?ended=oidc"
    assert f'href="{idp.address}/end?client_id=hntes"' in olga.get("/login?ended=oidc").text
    assert olga.get("/log").status_code == 303


@pytest.mark.parametrize(
    ("claims", "role"),
    [
        ({"groups": ["net"]}, "viewer"), ({"groups": "approvers"}, "operator"), ({"groups": ["other"]}, None),
        ({"groups": [["approvers"]]}, None), ({"groups": {"approvers": 1}}, None), ({"groups": None}, None),
        ({"groups": "approvers,net"}, None), ({"preferred_username": None}, None), ({"preferred_username": " "}, None),
        ({"preferred_username": "olga\nx"}, None), ({"preferred_username": ["olga"]}, None),
        ({"preferred_username": "x" * 201}, None),
    ],
)  # fmt: skip
def test_claims_give_roles(olga: Browser, idp: Provider, claims: dict[str, Any], role: str | None) -> None:
    idp.claims = claims
    came = logged_in(olga, idp)
    assert came.status_code == (403 if role is None else 200)
    assert (f"olga, {role}" in words_in(came.text)) == (role is not None)
    assert olga.get("/log").status_code == (303 if role is None else 200)


def test_everybody_may_read_only_where_the_settings_say_so(
    bare: Installation, idp: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    idp.claims = {"groups": None, "realm": {"roles": ["approvers"]}}
    open_to_all = browser(bare.settings, server=served(bare, idp, monkeypatch, viewers=("*",)))
    assert "olga, viewer" in words_in(logged_in(open_to_all, idp).text)
    nested = browser(bare.settings, server=served(bare, idp, monkeypatch, role_claim="realm.roles"))
    assert "olga, operator" in words_in(logged_in(nested, idp).text)


@pytest.mark.parametrize(
    ("claims", "userinfo", "name"),
    [
        ({"email": "o@example.net", "email_verified": True}, {}, "o@example.net"),
        ({"email": "o@example.net"}, {}, None),
        ({"email": "o@example.net", "email_verified": "true"}, {}, None),
        # a verified address of one document proves nothing about the other's
        ({"email": "boss@example.net"}, {"email": "o@example.net", "email_verified": True}, "o@example.net"),
        ({}, {"email": "boss@example.net", "email_verified": True, "sub": "another"}, None),
    ],
)
def test_an_address_counts_if_it_is_verified(
    bare: Installation, idp: Provider, monkeypatch: pytest.MonkeyPatch, claims: dict[str, Any],
    userinfo: dict[str, Any], name: str | None,
) -> None:  # fmt: skip
    person = browser(bare.settings, server=served(bare, idp, monkeypatch, name_claim="email"))
    idp.claims, idp.userinfo = claims, userinfo
    came = logged_in(person, idp)
    assert came.status_code == (403 if name is None else 200)
    assert name is None or f"{name}, operator" in words_in(came.text)


def test_an_answer_counts_once_and_only_in_its_browser(
    bare: Installation, olga: Browser, server: Site, idp: Provider
) -> None:
    stolen = begun(olga, idp)
    thief = browser(bare.settings, server=server)
    refused(thief, thief.get(f"{CALLBACK}?{stolen}"), "this browser has not begun a login here")
    thief.get("/login/oidc")
    refused(thief, thief.get(f"{CALLBACK}?{stolen}"), "the answer belongs to another login (state)")
    cookie = olga.client.cookies["hntes-oidc"]
    assert olga.get(f"{CALLBACK}?{stolen}").status_code == 200
    for query in (stolen, stolen.replace("code-0", "code-1")):
        thief.client.cookies.set("hntes-oidc", cookie)
        refused(thief, thief.get(f"{CALLBACK}?{query}"), "this answer was used before")
    assert idp.seen.count("/token") == 1


def test_a_code_of_another_login_is_refused(olga: Browser, idp: Provider) -> None:
    first = parse_qs(begun(olga, idp))["code"][0]
    state = parse_qs(begun(olga, idp))["state"][0]
    refused(olga, olga.get(f"{CALLBACK}?code={first}&state={state}"), "refuses the request (400)")


@pytest.mark.parametrize(
    ("query", "words", "status"),
    [
        ("state={state}&error=access_denied", "the provider refuses: access_denied", 403),
        ("state={state}&error=%3Cscript%3E", "the provider refuses: no reason given", 403),
        ("state={state}", "has no code", 403), ("state={state}&code=" + "x" * 5000, "has no code", 403),
        ("state={state}&code=a&code=b", "has code twice", 400),
        ("state={state}&state=x&code=a", "has state twice", 400),
        ("code=a", "belongs to another login (state)", 403),
        ("state={state}&code=a&iss=https%3A%2F%2Fother.example", "of another provider (iss)", 403),
    ],
)  # fmt: skip
def test_what_the_browser_may_bring_back(olga: Browser, idp: Provider, query: str, words: str, status: int) -> None:
    state = parse_qs(begun(olga, idp))["state"][0]
    refused(olga, olga.get(f"{CALLBACK}?{query.format(state=state)}"), words, status)


@pytest.mark.parametrize("cookie", ["", "x", "a.b.c.d", "....", "\u00e9.1.x.y", "a" * 4000])
def test_a_cookie_that_somebody_made_up_is_none(olga: Browser, cookie: str) -> None:
    headers = [(b"cookie", f"hntes-oidc={cookie}".encode("latin-1"))]
    came = olga.client.get(f"{CALLBACK}?code=a&state=b", headers=headers)
    assert came.status_code == 403
    assert "this browser has not begun a login here" in words_in(came.text)


def test_a_login_takes_ten_minutes_at_most(olga: Browser, idp: Provider, monkeypatch: pytest.MonkeyPatch) -> None:
    query, began = begun(olga, idp), time.monotonic()
    monkeypatch.setattr("hntes.web.oidc_login.now_s", lambda: began + 610)
    refused(olga, olga.get(f"{CALLBACK}?{query}"), "took longer than 10 min")


@pytest.mark.parametrize(
    "wanted", ["//evil.example", "https://evil.example", "/%5Cevil.example", "javascript:x", "/a%0d%0ab"]
)
def test_a_login_leads_nowhere_else(olga: Browser, idp: Provider, wanted: str) -> None:
    assert logged_in(olga, idp, wanted).headers["refresh"] == "0; url=/"
    other = olga.get(f"/login/oidc?next={wanted}")
    assert other.headers["location"] == "/", "neither of somebody who is logged in already"


def test_failed_logins_count_for_their_address(olga: Browser, idp: Provider) -> None:
    idp.claims = {"groups": []}
    answers = [logged_in(olga, idp).status_code for _ in range(12)]
    assert answers == [403] * 10 + [429] * 2
    elsewhere = browser(olga.server.settings_path, peer="192.0.2.9", server=olga.server)
    idp.claims = {}
    for _ in range(12):
        elsewhere.get(f"{CALLBACK}?code=a&state=b")
    assert logged_in(elsewhere, idp).status_code == 200, "answers that another site forges count for nobody"


def test_behind_https_the_cookies_are_secure(
    bare: Installation, idp: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(SECRET_VARIABLE, SECRET)
    chosen = Oidc.model_validate({"issuer": idp.address, "client_id": CLIENT, "viewers": ("*",)})
    server = site(bare.settings, oidc=chosen, origin="https://hntes.example.net")
    sent = browser(bare.settings, server=server).get("/login/oidc", Host="hntes.example.net")
    (cookie,) = sent.headers.get_list("set-cookie")
    assert cookie.startswith("__Host-hntes-oidc=")
    assert {"Secure", "HttpOnly", "SameSite=lax", "Path=/", "Max-Age=600"} <= {*cookie.split("; ")}
    query = parse_qs(urlsplit(sent.headers["location"]).query)
    assert query["redirect_uri"] == [f"https://hntes.example.net{CALLBACK}"]


def test_no_secret_stands_in_a_page_or_a_log(olga: Browser, idp: Provider, caplog: pytest.LogCaptureFixture) -> None:
    idp.claims = {"nonce": "x"}
    said = logged_in(olga, idp).text + olga.get("/login").text
    for secret in (SECRET, "access", "code-0", *(each.split(".")[0] for each in olga.client.cookies.values())):
        assert secret not in said + caplog.text


def test_the_secret_is_in_a_file(
    bare: Installation, idp: Provider, monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    (tmp_path / "secret").write_text(f"{SECRET}\n")
    server = served(bare, idp, monkeypatch)
    monkeypatch.delenv(SECRET_VARIABLE)
    monkeypatch.setenv(SECRET_FILE_VARIABLE, str(tmp_path / "secret"))
    again = site(bare.settings, oidc=server.web.oidc)
    assert logged_in(browser(bare.settings, server=again), idp).status_code == 200
