"""What a Junos router answers is taken at its word: an error is one wherever it stands, and a warning is none."""

from pathlib import Path

import pytest

from hntes.platforms.device_errors import DeliveryError, NotKeptError, RefusedError
from tests.support.devices.farm import Farm
from tests.support.devices.junos.altered import Altered
from tests.support.pushes import MINUTES, Bench, bench

_SAID = "<rpc-error><error-severity>{}</error-severity><error-message>\n{}\n</error-message></rpc-error>"
WARNING = _SAID.format("warning", "statement has no contents; ignored")
ERROR = _SAID.format("error", "check-out failed")
_ENGINE = "<routing-engine><name>{}</name>{}</routing-engine>"
_DONE = _ENGINE.format("re0", "<commit-success/>")
_XNM = '<xnm:error xmlns:xnm="http://xml.juniper.net/xnm/1.1/xnm"><message>check-out failed</message></xnm:error>'
REFUSALS = {
    "behind a warning": WARNING + ERROR,
    "in lines of its own": ERROR.replace(">error<", ">\nerror\n<"),
    "beside an ok": f"{ERROR}<ok/>",
    "of one of two engines": f"<commit-results>{_DONE}{_ENGINE.format('re1', ERROR)}</commit-results><ok/>",
    "in the terms of the Junos XML protocol": f"<commit-results>{_DONE}{_ENGINE.format('re1', _XNM)}</commit-results>",
}


@pytest.fixture
def altered() -> Altered:
    return Altered()


@pytest.fixture
def routed(tmp_path: Path, farm: Farm, altered: Altered) -> Bench:
    return bench(farm, tmp_path, altered)


def mended(routed: Bench, altered: Altered) -> None:
    altered.bodies, altered.idle = {}, {}
    routed.router.clock.advance(1e6)
    assert routed.push().outcome == "done"
    routed.router.clock.advance(1e6)
    assert routed.holds == "after"


@pytest.mark.parametrize("operation", ["lock", "load-configuration", "check"])
@pytest.mark.parametrize("refusal", REFUSALS)
def test_before_the_trial_an_error_ends_the_push(routed: Bench, altered: Altered, operation: str, refusal: str) -> None:
    altered.idle = {operation: REFUSALS[refusal]}
    with pytest.raises(RefusedError, match="the router refused: check-out failed"):
        routed.push()
    assert routed.log == []
    assert routed.holds == "before"
    mended(routed, altered)


@pytest.mark.parametrize("refusal", REFUSALS)
def test_a_trial_that_was_refused_is_said_to_have_changed_nothing(
    routed: Bench, altered: Altered, refusal: str
) -> None:
    altered.idle = {"trial": REFUSALS[refusal]}
    with pytest.raises(DeliveryError, match="check-out failed; nothing was changed"):
        routed.push()
    assert routed.log == ["trial starts", "trial refused: nothing was changed"]
    assert routed.timer.waited_s == 0
    mended(routed, altered)


@pytest.mark.parametrize("refusal", REFUSALS)
def test_a_trial_that_was_begun_in_spite_of_an_error_is_waited_for(
    routed: Bench, altered: Altered, refusal: str
) -> None:
    altered.bodies = {"trial": lambda _: REFUSALS[refusal]}
    with pytest.raises(NotKeptError, match=r"(?s)check-out failed.*has rolled back"):
        routed.push()
    assert routed.timer.waited_s >= 60 * MINUTES
    assert routed.holds == "before"
    assert routed.log == ["trial starts", "rolled back: the router holds the text before"]
    mended(routed, altered)


@pytest.mark.parametrize("answer", [*REFUSALS.values(), "", "<commit-results/>"])
def test_what_was_not_confirmed_is_not_recorded_as_kept(routed: Bench, altered: Altered, answer: str) -> None:
    altered.idle = {"confirm": answer}
    with pytest.raises(NotKeptError, match=r"(?s)check-out failed|did not acknowledge the confirmation"):
        routed.push()
    assert routed.holds == "before"
    assert routed.log[-1] == "rolled back: the router holds the text before"
    assert "kept" not in routed.log
    mended(routed, altered)


def test_warnings_refuse_nothing(routed: Bench, altered: Altered) -> None:
    every = ("lock", "load-configuration", "get-configuration", "check", "trial", "confirm")
    altered.bodies = {operation: lambda body: WARNING + body for operation in every}
    assert routed.push().outcome == "done"
    routed.router.clock.advance(1e6)
    assert routed.holds == "after"


def test_a_comment_in_an_answer_does_not_end_the_configuration(routed: Bench, altered: Altered) -> None:
    altered.bodies = {"get-configuration": lambda body: body.replace("hntes", "<!-- h -->hntes<?p i?>")}
    assert routed.push(before="before", after="before").outcome == "held"
    assert routed.push().outcome == "done"
