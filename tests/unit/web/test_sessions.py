"""Sessions end by themselves, and a token fits one session and one person."""

import pytest

from hntes.web.sessions import MOST_PER_NAME, MOST_SESSIONS, Sessions, Tokens, is_secret, new_secret


def test_a_session_ends_when_it_was_idle_or_is_old() -> None:
    sessions = Sessions(lasts_s=100, idle_s=40)
    secret = sessions.begin("anna", "digest", 0)
    for moment in (39, 78, 99):
        found = sessions.found(secret, moment)
        assert found is not None
        assert found.name == "anna"
    assert sessions.found(secret, 100) is None
    idle = sessions.begin("anna", "digest", 0)
    assert sessions.found(idle, 40) is None
    assert sessions.found(idle, 1) is None, "an ended session must not come back"


def test_each_login_is_a_new_secret_that_nobody_gave() -> None:
    sessions = Sessions(100, 100)
    secrets = {sessions.begin("anna", "digest", 0) for _ in range(50)}
    assert len(secrets) == 50
    assert min(map(len, secrets)) >= 43  # 256 bits, six in a letter
    assert sessions.found("chosen-by-somebody", 1) is None


def test_an_ended_session_is_gone() -> None:
    sessions = Sessions(100, 100)
    secret = sessions.begin("anna", "digest", 0)
    sessions.end(secret)
    sessions.end(secret)
    assert sessions.found(secret, 1) is None


def test_the_oldest_session_makes_room() -> None:
    sessions = Sessions(100, 100)
    first, *_, last = [sessions.begin(f"anna{number}", "digest", 0) for number in range(MOST_SESSIONS + 1)]
    assert sessions.found(first, 1) is None
    assert sessions.found(last, 1) is not None


def test_nobody_logs_others_out_by_logging_in_again_and_again() -> None:
    sessions = Sessions(100, 100)
    anna = sessions.begin("anna", "digest", 0)
    own = [sessions.begin("vera", "digest", 0) for _ in range(MOST_SESSIONS + 1)]
    assert sessions.found(anna, 1) is not None
    assert [secret for secret in own if sessions.found(secret, 1)] == own[-MOST_PER_NAME:]


def test_what_somebody_made_up_is_no_secret() -> None:
    assert is_secret(new_secret())
    for made_up in ("", "a", "a" * 42, "a" * 44, "a" * 42 + "\n", "\u00e9" * 43, "a" * 42 + ";"):
        assert not is_secret(made_up)


@pytest.mark.parametrize(("secret", "name"), [("other", "anna"), ("secret", "bert"), ("secretan", "na"), ("", "anna")])
def test_a_token_fits_nothing_else(secret: str, name: str) -> None:
    tokens = Tokens()
    token = tokens.token("secret", "anna")
    assert tokens.fits(token, "secret", "anna")
    assert not tokens.fits(token, secret, name)
    assert not Tokens().fits(token, "secret", "anna"), "of another process"


def test_without_a_session_no_token_fits() -> None:
    tokens = Tokens()
    assert not tokens.fits(tokens.token("", ""), "", "")
