"""Failed logins are counted by address and by name, for a quarter of an hour."""

import pytest

from hntes.web.login_throttle import LIMIT_PER_ADDRESS, LIMIT_PER_NAME, SPAN_S, Attempts


def test_an_address_is_stopped_after_its_tenth_failure_until_the_first_is_old() -> None:
    attempts = Attempts()
    for second in range(LIMIT_PER_ADDRESS):
        assert attempts.wait_s("192.0.2.1", f"name{second}", second) == 0
        attempts.failed("192.0.2.1", f"name{second}", second)
    assert attempts.wait_s("192.0.2.1", "another", 100) == SPAN_S - 100
    assert attempts.wait_s("192.0.2.2", "another", 100) == 0
    assert attempts.wait_s("192.0.2.1", "another", SPAN_S) == 0


def test_a_name_is_stopped_wherever_it_is_tried_from() -> None:
    attempts = Attempts()
    for number in range(LIMIT_PER_NAME):
        attempts.failed(f"192.0.2.{number}", "anna", 0)
    assert attempts.wait_s("198.51.100.1", "anna", 1) == SPAN_S - 1
    assert attempts.wait_s("198.51.100.1", "bert", 1) == 0


def test_one_subscriber_of_ipv6_is_one_address() -> None:
    attempts = Attempts()
    for number in range(LIMIT_PER_ADDRESS):
        attempts.failed(f"2001:db8::{number:x}", f"name{number}", 0)
    assert attempts.wait_s("2001:db8::ffff", "another", 0) == SPAN_S
    assert attempts.wait_s("2001:db8:0:1::1", "another", 0) == 0


def test_an_ipv4_address_in_ipv6_form_is_the_same() -> None:
    attempts = Attempts()
    for number in range(LIMIT_PER_ADDRESS):
        attempts.failed("::ffff:192.0.2.1", f"name{number}", 0)
    assert attempts.wait_s("192.0.2.1", "another", 0) == SPAN_S
    assert attempts.wait_s("::ffff:192.0.2.2", "another", 0) == 0


def test_a_success_with_what_is_not_guessed_clears_the_address_but_not_the_name() -> None:
    attempts = Attempts()
    for _ in range(LIMIT_PER_NAME):
        attempts.failed("192.0.2.1", "anna", 0)
    attempts.forget("192.0.2.1")
    assert attempts.wait_s("192.0.2.1", "bert", 0) == 0
    assert attempts.wait_s("192.0.2.1", "anna", 0) == SPAN_S


def _guesses_beside_own_logins(attempts: Attempts, parallel: int) -> int:
    """How many guesses at anna are let through in half a span; bert logs in after each nine, so many times at once."""
    guesses = 0
    for second in range(int(SPAN_S / 2)):
        for _ in range(LIMIT_PER_ADDRESS - 1):
            if attempts.wait_s("192.0.2.1", "anna", second) == 0:
                attempts.failed("192.0.2.1", "anna", second)
                guesses += 1
        if attempts.wait_s("192.0.2.1", "bert", second) == 0:
            for _ in range(parallel):
                attempts.failed("192.0.2.1", "bert", second)
            for _ in range(parallel):
                attempts.succeeded("192.0.2.1", "bert")
    return guesses


@pytest.mark.parametrize("parallel", [1, 2 * LIMIT_PER_ADDRESS])
def test_own_logins_buy_no_guesses_at_another_name_from_an_address_that_both_use(parallel: int) -> None:
    attempts = Attempts()
    attempts.failed("192.0.2.1", "anna", 0)
    attempts.succeeded("192.0.2.1", "anna")
    assert _guesses_beside_own_logins(attempts, parallel) == LIMIT_PER_ADDRESS


def test_a_success_clears_what_its_own_name_has_failed_there() -> None:
    attempts = Attempts()
    attempts.failed("192.0.2.1", "bert", 0)
    for _ in range(LIMIT_PER_ADDRESS - 2):
        attempts.failed("192.0.2.1", "anna", 0)
    attempts.failed("192.0.2.1", "anna", 1)
    attempts.succeeded("192.0.2.1", "anna")
    for left in range(LIMIT_PER_ADDRESS - 1, 0, -1):
        assert attempts.wait_s("192.0.2.1", "carl", 1) == 0, left
        attempts.failed("192.0.2.1", "carl", 1)
    assert attempts.wait_s("192.0.2.1", "carl", 1) == SPAN_S - 1


def test_whoever_knows_the_password_is_never_stopped_by_logging_in() -> None:
    attempts = Attempts()
    for _ in range(2 * LIMIT_PER_NAME):
        attempts.failed("192.0.2.1", "anna", 0)  # as each login is counted, until its password was looked at
        attempts.succeeded("192.0.2.1", "anna")
    for left in range(LIMIT_PER_NAME, 0, -1):
        assert attempts.wait_s("192.0.2.2", "anna", 0) == 0, left
        attempts.failed("192.0.2.1", "anna", 0)
    assert attempts.wait_s("192.0.2.2", "anna", 0) == SPAN_S


def test_many_names_fill_no_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hntes.web.login_throttle.MOST_KEYS", 5)
    attempts = Attempts()
    for number in range(20):
        attempts.failed("192.0.2.1", f"name{number}", 0)
    assert len(attempts._failed) == 5


def test_who_has_logged_in_from_an_address_is_not_locked_out_there_by_strangers() -> None:
    attempts = Attempts()
    attempts.failed("198.51.100.7", "anna", 0)
    attempts.succeeded("198.51.100.7", "anna")
    for number in range(LIMIT_PER_NAME):
        attempts.failed(f"203.0.113.{number}", "anna", 1)
    assert attempts.wait_s("198.51.100.8", "anna", 2) > 0
    assert attempts.wait_s("198.51.100.7", "anna", 2) == 0
    for _ in range(LIMIT_PER_ADDRESS):
        attempts.failed("198.51.100.7", "anna", 3)
    assert attempts.wait_s("198.51.100.7", "anna", 4) > 0, "from there, too, only so many may be tried"


def test_the_address_alone_vouches_for_no_other_name() -> None:
    attempts = Attempts()
    attempts.succeeded("198.51.100.7", "bert")
    for number in range(LIMIT_PER_NAME):
        attempts.failed(f"203.0.113.{number}", "anna", 1)
    assert attempts.wait_s("198.51.100.7", "anna", 2) > 0
