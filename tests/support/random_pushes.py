"""Pushes that are disturbed at random points, each from a seed, and what must hold after each."""

import contextlib
import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from hntes.errors import HntesError
from hntes.platforms.device_errors import DriftError
from tests.support.benches import bench_of
from tests.support.devices.farm import Farm
from tests.support.devices.junos.device import JunosRouter
from tests.support.devices.sros.device import SrosRouter
from tests.support.pushes import MINUTES, Bench, KilledError
from tests.support.waiting import wait_until
from tests.support.wall_clock import drawn_jump_s, settable_clock

STEPS = ("trial starts", "verified: to be confirmed", "kept")


@dataclass
class Disturbed:
    """One push with its disturbance. `broken` says what did not hold, None if all did."""

    seed: int
    disturbance: str
    ended: str
    calls: int
    broken: str | None


def disturbed_push(farm: Farm, folder: Path, seed: int, platform: str = "junos") -> Disturbed:
    """Disturbs one push, then calls again, undisturbed, until it is done; looks at the router after each call."""
    draw = random.Random(seed)
    with _bench(farm, folder, platform) as routed:
        name = draw.choice(sorted(_ARRANGED))
        _ARRANGED[name](routed, draw)
        return _disturbed(routed, draw, seed, name)


def push_on_a_full_disk(farm: Farm, folder: Path, seed: int, platform: str) -> Disturbed:
    """As `disturbed_push`: the small disk that holds the journal fills up before a request, or at a step."""
    draw = random.Random(seed)
    with _bench(farm, folder, platform) as routed:
        filler = folder / "filler"
        if draw.random() < 0.5:
            routed.before_request[routed.drawn_request(draw)] = lambda: _fill(filler)
        else:
            routed.at[draw.choice(STEPS)] = lambda: _fill(filler)
        found = _disturbed(routed, draw, seed, "full_own_disk", mended=lambda: filler.unlink(missing_ok=True))
    filler.unlink(missing_ok=True)
    routed.journal.end()
    return found


def push_while_the_clock_is_set(farm: Farm, folder: Path, seed: int, platform: str) -> Disturbed:
    """As `disturbed_push`, over SSH: the wall clock is set one to four times, in half of them beside another fault.

    Without another fault the push has to succeed.
    """
    draw = random.Random(seed)
    with settable_clock() as clock, _bench(farm, folder, platform, over_ssh=True) as routed:
        name = draw.choice(sorted(_BESIDE_THE_CLOCK)) if draw.random() < 0.5 else ""
        if name:
            _ARRANGED[name](routed, draw)
        for _ in range(draw.randint(1, 4)):
            seconds = drawn_jump_s(draw)
            if draw.random() < 0.5:
                clock.at_read[draw.randint(1, _CLOCK_READS[platform])] = seconds
            else:
                routed.before_request[routed.drawn_request(draw)] = partial(clock.jump, seconds)
        found = _disturbed(routed, draw, seed, f"wall_clock {name}".strip())
        if not name and found.ended != "done":
            found.broken = found.broken or "failed, though nothing happened but that the clock was set"
        if not clock.jumps:
            found.disturbance = "none"
        return found


def _fill(filler: Path) -> None:
    """Takes what room is left on the disk."""
    with filler.open("wb", buffering=0) as file, contextlib.suppress(OSError):
        while True:
            file.write(bytes(4096))


@contextmanager
def _bench(farm: Farm, folder: Path, platform: str, *, over_ssh: bool = False) -> Iterator[Bench]:
    routed = bench_of(platform, folder, farm, over_ssh=over_ssh)
    try:
        yield routed
    finally:
        routed.served.stop()


def _disturbed(
    routed: Bench, draw: random.Random, seed: int, name: str, mended: Callable[[], None] = lambda: None
) -> Disturbed:
    ended = _call(routed)
    broken = _half_state(routed) or _untrue(routed, ended)
    calls = 1
    for _ in range(4):
        _undisturbed(routed, draw)
        mended()
        calls += 1
        last = _call(routed)
        broken = broken or _half_state(routed) or _untrue(routed, last)
        if last == "done":
            break
    routed.router.clock.advance(1e6)
    if (routed.holds, routed.starts_with) != ("after", "after"):
        broken = broken or f"after {calls} calls the router holds: {routed.holds}, and starts with {routed.starts_with}"
    if routed.journal.entry() is not None:
        broken = broken or "the journal has not ended"
    return Disturbed(seed, name, ended, calls, broken)


def _call(routed: Bench) -> str:
    """How one call ended: "done", or the name of its error."""
    try:
        routed.push()
    except (HntesError, OSError, KilledError) as error:
        return type(error).__name__
    return "done"


def _half_state(routed: Bench) -> str | None:
    """Each configuration that was ever committed is the text before or the one after, beside what is the operator's."""
    for each in routed.commits():
        if (found := routed.name_of(each)) == "neither":
            return f"a configuration was committed that is {found}"
    return "neither text is held, and no trial ends that" if routed.holds == "neither" else None


def _untrue(routed: Bench, ended: str) -> str | None:
    """Whether what a call said of the router is so."""
    said = routed.log[-1] if routed.log else ""
    if ended == "done" and routed.holds != "after":
        return f"said to be done, but the router holds: {routed.holds}"
    if ended == "NotKeptError" and (routed.holds, routed.starts_with) != ("before", "before"):
        return f"said to be back, but the router holds: {routed.holds}, and starts with {routed.starts_with}"
    if said == "kept" and ended != "KilledError" and routed.holds not in ("after",):
        return f"logged as kept, but the router holds: {routed.holds}"
    if ended == DriftError.__name__:
        return "took a text of its own for drift"
    return None


def _undisturbed(routed: Bench, draw: random.Random) -> None:
    """The next call comes at once, during the trial, or long after; all that was broken is mended."""
    if isinstance(
        routed.router, JunosRouter | SrosRouter
    ):  # over SSH: it hears a little later that a connection has ended
        wait_until(lambda: routed.router.lock_holder is None, "the lock of a session that has ended is free")
    faults = routed.served.faults
    faults.cut_before = faults.cut_after = faults.silent_after = None
    faults.refused = {}
    routed.router.full_disk = False
    routed.extra = lambda: None
    routed.at.clear()
    routed.killed_at = None
    routed.before_request.clear()
    routed.router.clock.advance(draw.choice((0.0, 30.0, 60.0 * MINUTES + 1, 1e5)))


def _at_request(fault: str) -> Callable[[Bench, random.Random], None]:
    def arrange(routed: Bench, draw: random.Random) -> None:
        setattr(routed.served.faults, fault, routed.drawn_request(draw))

    return arrange


def _refused(routed: Bench, draw: random.Random) -> None:
    routed.served.faults.refused = {routed.drawn_request(draw): "operation failed"}


def _silent(routed: Bench, draw: random.Random) -> None:
    routed.served.faults.silent_after = routed.drawn_request(draw)
    routed.timer.during = lambda: setattr(routed.served.faults, "silent_after", None)


def _full_disk(routed: Bench, draw: random.Random) -> None:
    """From the beginning on, or from a step on; the disk has room again after a while."""

    def fill() -> None:
        routed.router.full_disk = True

    if draw.random() < 0.5:
        fill()
    else:
        routed.at[draw.choice(STEPS)] = fill
    routed.timer.during = lambda: setattr(routed.router, "full_disk", False)


def _kill(routed: Bench, draw: random.Random) -> None:
    def killed() -> None:
        raise KilledError

    routed.at[draw.choice(STEPS)] = killed


def _killed_request(routed: Bench, draw: random.Random) -> None:
    """Killed while a request is on its way: the router may have acted, and nobody hears its answer."""
    routed.killed_at = (routed.drawn_request(draw), draw.choice(("before", "after")))


def _late(routed: Bench, draw: random.Random) -> None:
    seconds = draw.choice((30.0, 60.0 * MINUTES - 1, 60.0 * MINUTES + 1, 1e5))
    routed.at[draw.choice(STEPS)] = lambda: routed.router.clock.advance(seconds)


def _restart(routed: Bench, draw: random.Random) -> None:
    routed.router.restart_confirms = draw.random() < 0.5
    if draw.random() < 0.5:
        routed.extra = routed.served.restart
    else:
        routed.at[draw.choice(STEPS)] = routed.served.restart


def _anothers_commit(routed: Bench, draw: random.Random) -> None:
    """Where the lock is free: while the push waits for the router to go back."""
    _failed_check(routed, draw)
    routed.timer.during = routed.alice_commits


def _failed_check(routed: Bench, _: random.Random) -> None:
    def fail() -> None:
        raise OSError("the probe failed")

    routed.extra = fail


def _unwritable_log(routed: Bench, draw: random.Random) -> None:
    def fail() -> None:
        raise OSError("no space left on device")

    routed.at[draw.choice(STEPS)] = fail


_ARRANGED: dict[str, Callable[[Bench, random.Random], None]] = {
    "cut_before": _at_request("cut_before"),
    "cut_after": _at_request("cut_after"),
    "refused": _refused,
    "silent": _silent,
    "full_disk": _full_disk,
    "kill": _kill,
    "killed_request": _killed_request,
    "late": _late,
    "restart": _restart,
    "anothers_commit": _anothers_commit,
    "failed_check": _failed_check,
    "unwritable_log": _unwritable_log,
}
# What the clock is set beside: a kill, a failure after which the router has to be waited for, one of the log.
_BESIDE_THE_CLOCK = ("kill", "killed_request", "failed_check", "unwritable_log", "late", "cut_after")
# How often the libraries of an undisturbed push read the clock, and somewhat more.
_CLOCK_READS = {"junos": 80, "iosxe": 1100, "iosxr": 950, "sros": 80, "eos": 1100}
