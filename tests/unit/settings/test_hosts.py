"""The hosts that the gate asks with, and their congestion controls: known ones, each once, in one order."""

import pytest
from pydantic import ValidationError

from hntes.settings.model import Gate


def test_without_a_word_they_are_all() -> None:
    assert Gate().tcp_profiles == ("linux-2.6.33", "linux-6")
    assert Gate().congestion == ("htcp", "cubic", "bbr")


@pytest.mark.parametrize(
    ("hosts", "told"),
    [
        ([], "at least 1 item"),
        (["linux-6", "linux-6"], "lists the same profile twice; list each once"),
        (["linux-5"], "'linux-2.6.33' or 'linux-6'"),
    ],
)
def test_others_are_refused(hosts: list[str], told: str) -> None:
    with pytest.raises(ValidationError, match=told):
        Gate.model_validate({"tcp_profiles": hosts})


def test_the_order_in_which_they_are_named_does_not_matter() -> None:
    assert Gate.model_validate({"tcp_profiles": ["linux-6", "linux-2.6.33"]}) == Gate()


@pytest.mark.parametrize(
    ("controls", "told"),
    [
        ([], "at least 1 item"),
        (["htcp", "htcp"], "lists the same congestion control twice; list each once"),
        (["reno"], "'htcp', 'cubic' or 'bbr'"),
        (["cubic"], "cubic is asked beside those before it; list htcp, cubic"),
        (["htcp", "bbr"], "bbr is asked beside those before it; list htcp, cubic, bbr"),
    ],
)
def test_other_controls_are_refused(controls: list[str], told: str) -> None:
    with pytest.raises(ValidationError, match=told):
        Gate.model_validate({"congestion": controls})


def test_the_order_of_controls_does_not_matter() -> None:
    assert Gate.model_validate({"congestion": ["bbr", "htcp", "cubic"]}) == Gate()
