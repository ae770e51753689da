"""Attacks on the login: other names, other addresses, timing, forged log lines."""

import logging
from concurrent.futures import ThreadPoolExecutor
from threading import Event, Semaphore

import pytest
from argon2 import PasswordHasher, extract_parameters
from argon2.exceptions import VerifyMismatchError

from hntes.web import accounts
from hntes.web.app import made
from hntes.web.errors import WebError
from hntes.web.login_throttle import LIMIT_PER_ADDRESS, LIMIT_PER_NAME
from hntes.web.site import MOST_LOGINS
from tests.support.installation import Installation
from tests.support.random_requests import Call, ask
from tests.support.review_page import ORIGIN, PASSWORD, browser, site, words_in

PROXY = "192.0.2.1"


@pytest.fixture
def hashings(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The hashes that passwords are held against; nothing is hashed."""
    seen: list[str] = []

    class Refusing:
        def verify(self, known: str, _password: str) -> None:
            seen.append(known)
            raise VerifyMismatchError

    monkeypatch.setattr(accounts, "_HASHER", Refusing())
    return seen


def test_guesses_at_many_names_count_for_their_address(read_only: Installation, hashings: list[str]) -> None:
    guesser = browser(read_only.settings, peer="192.0.2.66")
    answers = [guesser.log_in(f"name{number}", "guess").status_code for number in range(LIMIT_PER_ADDRESS + 3)]
    assert answers == [403] * LIMIT_PER_ADDRESS + [429] * 3
    assert len(hashings) == LIMIT_PER_ADDRESS


def test_guesses_from_many_addresses_count_for_their_name(read_only: Installation, hashings: list[str]) -> None:
    server = site(read_only.settings)
    answers = [
        browser(read_only.settings, peer=f"2001:db8:{number:x}::1", server=server).log_in("anna", "guess").status_code
        for number in range(LIMIT_PER_NAME + 3)
    ]
    assert answers == [403] * LIMIT_PER_NAME + [429] * 3
    assert len(hashings) == LIMIT_PER_NAME


def test_own_logins_buy_no_guesses_at_who_shares_the_address(read_only: Installation) -> None:
    server = site(read_only.settings)

    def log_in(name: str, password: str = PASSWORD) -> int:
        return browser(read_only.settings, peer="192.0.2.66", server=server).log_in(name, password).status_code

    assert log_in("anna") == 303, "from now on the limit of her name does not count there"
    answers = []
    for _ in range(2):
        answers += [log_in("anna", "guess") for _ in range(LIMIT_PER_ADDRESS - 1)]
        log_in("vera")
    assert answers == [403] * LIMIT_PER_ADDRESS + [429] * (LIMIT_PER_ADDRESS - 2)


def test_a_flood_of_logins_leaves_room_for_whoever_is_logged_in(
    read_only: Installation, monkeypatch: pytest.MonkeyPatch
) -> None:
    anna = browser(read_only.settings)
    anna.log_in("anna")
    entered, done = Semaphore(0), Event()

    def slow(*_: object) -> bool:
        entered.release()
        done.wait(60)
        return False

    monkeypatch.setattr("hntes.web.login.is_password", slow)
    guessers = [
        browser(read_only.settings, peer=f"2001:db8:{number:x}::1", server=anna.server)
        for number in range(MOST_LOGINS + 1)
    ]
    with ThreadPoolExecutor(MOST_LOGINS) as threads:
        answers = [threads.submit(each.log_in, f"name{n}", "guess") for n, each in enumerate(guessers[:-1])]
        try:
            for _ in range(MOST_LOGINS):
                assert entered.acquire(timeout=60)
            refused = guessers[-1].log_in("bert", "guess")
            assert refused.status_code == 503
            assert "try again in a few seconds" in words_in(refused.text)
            assert anna.get("/pair").status_code == 200
        finally:
            done.set()
        assert [each.result().status_code for each in answers] == [403] * MOST_LOGINS
    assert guessers[-1].log_in("bert", "guess").status_code == 403, "there is room again"


@pytest.mark.usefixtures("hashings")
def test_a_forged_line_before_the_proxys_changes_no_address(read_only: Installation) -> None:
    server = site(read_only.settings, trusted_proxies=(f"{PROXY}/32",), anonymous_read=True)
    guesser = browser(read_only.settings, peer=PROXY, server=server)
    token = guesser.token("/login")
    answers = []
    for number in range(LIMIT_PER_ADDRESS + 3):
        # some proxies add a line of their own, others a name to the line that is there
        sent = [("Origin", ORIGIN), ("X-Forwarded-For", f"198.51.100.{number}"), ("X-Forwarded-For", "192.0.2.77")]
        if number % 2:
            sent = [("Origin", ORIGIN), ("X-Forwarded-For", f"198.51.100.{number}, 192.0.2.77")]
        fields = {"csrf": token, "name": f"name{number}", "password": "guess"}
        answers.append(guesser.client.post("/login", data=fields, headers=sent).status_code)
    assert answers == [403] * LIMIT_PER_ADDRESS + [429] * 3


def test_an_unknown_name_costs_as_much_as_a_known_one(read_only: Installation, hashings: list[str]) -> None:
    guesser = browser(read_only.settings)
    for name in ("anna", "nobody", ""):
        guesser.log_in(name, "guess")
    assert len(hashings) == 3
    real, *others = (extract_parameters(known) for known in (PasswordHasher().hash("x"), *hashings[1:]))
    assert others == [real, real]


@pytest.mark.usefixtures("hashings")
def test_no_line_of_a_log_is_forged(
    read_only: Installation, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = site(read_only.settings, trusted_proxies=(f"{PROXY}/32",), anonymous_read=True)
    forged = {"X-Forwarded-For": "192.0.2.7 review page: successful login"}
    forger = browser(read_only.settings, peer=PROXY, server=server, **forged)
    with caplog.at_level(logging.WARNING):
        forger.log_in("anna\nreview page: successful login", "guess")
        monkeypatch.setattr("hntes.web.request.opened", _broken)
        answer = forger.get("/change/r1%1b[2J/%e2%80%ae")
    assert answer.status_code == 503
    told = [record.getMessage() for record in caplog.records]
    assert told == [
        f"review page: failed login from {PROXY}",
        "/change/r1\\x1b[2J/\\u202e: the review page is not set up: not now",
    ]


def _broken(*_: object) -> None:
    raise WebError("not now")


@pytest.mark.parametrize("given", ["fixed", '"\\012Set-Cookie: a=b"', "a" * 5000, "\u00e9" * 43])
def test_a_login_form_takes_no_cookie_that_somebody_made_up(read_only: Installation, given: str) -> None:
    headers = [(b"cookie", f"hntes-login={given}".encode("latin-1"))]
    answer = browser(read_only.settings).client.get("/login", headers=headers)
    assert answer.status_code == 200
    (cookie,) = answer.headers.get_list("set-cookie")
    assert len(cookie) < 200
    assert given.strip('"') not in cookie


def test_no_answer_leads_to_plain_http(read_only: Installation) -> None:
    reader = browser(read_only.settings)
    reader.log_in("anna", PASSWORD)
    for address in ("/log/", "/pair/", "/change/r1/", "/router/r1/"):
        answer = reader.get(address)
        assert answer.status_code == 404
        assert "no such page" in words_in(answer.text)


def test_an_address_of_other_bytes_is_refused(read_only: Installation) -> None:
    reader = browser(read_only.settings)

    host = ((b"host", b"127.0.0.1:8440"),)
    assert ask(made(reader.server), Call("GET", b"/pair", b"q=\xbe", host, b"")).status == 400
