"""The IOS-XE driver's reading of answers, without a router."""

from typing import Any

import pytest

from hntes.platforms.device_errors import NotStoredError, RefusedError, TrialError, UnclearError
from hntes.platforms.iosxe.session import IosxeDevice

NONE_WAITS = "%No Rollback Confirmed Change pending"
TIMER = "show archive config rollback timer"
WHOLE = "Building configuration...\n\nCurrent configuration : 30 bytes\n!\nversion 17.6\nhostname r1\nend\n\n"


class Channel:
    """Answers by line, an empty one where none is given; `mode` follows `configure` and `end`."""

    def __init__(self, answers: dict[str, str]) -> None:
        self.answers = answers
        self.mode = ""
        self.is_privileged = True
        self.sent: list[str] = []
        self.host_names: list[str] = []

    def learn_host_name(self, host_name: str) -> None:
        self.host_names.append(host_name)

    def ask(self, line: str, question: str | None = None) -> str:  # noqa: ARG002
        self.sent.append(line)
        answer = self.answers.get(line, "")
        if line.startswith("configure terminal") and not answer.startswith("%"):
            self.mode = "config"
        if line == "end" and not answer:
            self.mode = ""
        return answer


def device(answers: dict[str, str]) -> tuple[Any, Channel]:
    channel = Channel(answers)
    return IosxeDevice(channel), channel


def test_a_whole_configuration_has_its_end_and_not_the_lines_before_it() -> None:
    found, channel = device({"show running-config": WHOLE})
    assert found.running() == "!\nversion 17.6\nhostname r1\nend\n"
    assert channel.host_names == ["r1"]


@pytest.mark.parametrize("answer", ["", "% Invalid input\n", WHOLE.replace("end\n", ""), WHOLE + "more\n"])
def test_what_is_no_whole_configuration_is_not_believed(answer: str) -> None:
    found, _ = device({"show running-config": answer})
    with pytest.raises(RefusedError, match="without its end"):
        found.running()


@pytest.mark.parametrize("answer", ["", "% Invalid input", "Timer value: 2 min\nUser: alice"])
def test_whatever_does_not_say_that_nothing_waits_counts_as_a_trial(answer: str) -> None:
    found, _ = device({TIMER: answer})
    with pytest.raises(TrialError, match=r"\((no answer to|% Invalid input|Timer value: 2 min User: alice)"):
        found.lock()
    device({TIMER: NONE_WAITS})[0].lock()


def test_a_login_without_privilege_is_told_so() -> None:
    found, channel = device({TIMER: "% Invalid input"})
    channel.is_privileged = False
    with pytest.raises(RefusedError, match=r"user mode .* privilege 15"):
        found.lock()


def test_a_trial_of_one_minute_is_not_begun() -> None:
    found, channel = device({})
    with pytest.raises(RefusedError, match="must be 2 or more"):
        found.commit_trial(1, "hntes")
    assert channel.sent == []


@pytest.mark.parametrize(
    ("answers", "sent"),
    [
        ({"configure terminal revert timer 2": "%ERROR: already active"}, []),
        ({f"do {TIMER}": NONE_WAITS}, [f"do {TIMER}", "end"]),
    ],
)
def test_without_a_timer_no_line_is_sent(answers: dict[str, str], sent: list[str]) -> None:
    found, channel = device(answers)
    found._lines = ["interface Gi1"]
    with pytest.raises(RefusedError, match=r"refused a trial: %ERROR|set no timer"):
        found.commit_trial(2, "hntes")
    assert channel.sent == ["configure terminal revert timer 2", *sent]


def test_a_router_that_stays_in_configuration_mode_is_not_taken_for_done() -> None:
    found, _ = device({"end": "% not now"})
    with pytest.raises(UnclearError, match="did not leave configuration mode"):
        found.commit_trial(2, "hntes")


def test_what_the_router_asks_before_it_stores_is_not_answered() -> None:
    asked = "Overwrite the previous NVRAM configuration?[confirm]"
    found, channel = device({"show running-config": WHOLE, "show startup-config": WHOLE, "write memory": asked})
    with pytest.raises(NotStoredError, match="asks before it saves"):
        found.save()
    assert channel.sent[-1] == "write memory"
