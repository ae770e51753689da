"""A connection that fails while the wall clock is set is tried again; any other failure is what it is."""

from collections.abc import Sequence

import pytest

from hntes.platforms import clock_step_retry
from hntes.platforms.clock_step_retry import again_if_clock_set
from hntes.platforms.device_errors import UnreachableError


def tries(monkeypatch: pytest.MonkeyPatch, jumps_s: Sequence[float], *, fails: int) -> int:
    """How often it is tried if the first tries fail, during each of which the clock is set; -1 behind a failure."""
    apart_s, made = 0.0, 0
    monkeypatch.setattr(clock_step_retry, "_apart_s", lambda: apart_s)

    @again_if_clock_set
    def connect(name: str) -> str:
        nonlocal apart_s, made
        apart_s += jumps_s[made] if made < len(jumps_s) else 0.0
        made += 1
        if made <= fails:
            raise UnreachableError(f"{name}: no session")
        return name

    try:
        assert connect("r1") == "r1"
    except UnreachableError:
        return -made
    return made


@pytest.mark.parametrize(
    ("jumps_s", "fails", "made"),
    [
        ([], 0, 1),
        ([90.0], 0, 1),
        ([], 1, -1),
        ([0.05], 1, -1),
        ([90.0], 1, 2),
        ([-90.0, 0.0], 2, -2),
        ([90.0, -1.0], 2, 3),
        ([90.0, 90.0, 90.0], 3, -3),
    ],
)
def test_only_what_failed_while_the_clock_was_set_is_tried_again(
    monkeypatch: pytest.MonkeyPatch, jumps_s: list[float], fails: int, made: int
) -> None:
    assert tries(monkeypatch, jumps_s, fails=fails) == made
