"""When a router's load stops a push, a trial or the others behind a canary: readings made by hand."""

from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from hntes.delivery.load_watch import LoadError, LoadWatch, WatchedLoad, load_words
from hntes.platforms.load import LoadUnknownError, Part, RouterLoad
from hntes.settings.load import LoadLimits

LIMITS = LoadLimits(max_cpu_pct=85, max_memory_pct=90, every_s=15)
SILENT = None


def load(cpu: float, memory: float = 40) -> RouterLoad:
    return RouterLoad(Part("RE0", cpu), Part("FPC 0", memory))


@dataclass
class Time:
    now: float = 0.0

    def now_s(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


def watched(*readings: RouterLoad | None) -> tuple[LoadWatch, Time, list[float]]:
    """A router that says these loads in turn, its time, and when it was asked."""
    time, asked = Time(), list[float]()
    left: Iterator[RouterLoad | None] = iter(readings)

    def ask() -> RouterLoad:
        asked.append(time.now)
        if (found := next(left)) is SILENT:
            raise LoadUnknownError("no answer")
        return found

    return LoadWatch("r1", ask, LIMITS, "`snmp` of router r1", time), time, asked


@pytest.mark.parametrize(
    "readings",
    [
        [load(85, 90)],
        [load(85.1), load(12)],
        [load(99), load(99), load(12)],
        [SILENT, load(99), load(12)],
        [SILENT, SILENT, load(12)],
        [load(12, 99), load(99, 12), load(12, 12)],
    ],
)
def test_one_calm_reading_of_three_is_enough(readings: list[RouterLoad | None]) -> None:
    """A moment's spike and a lost datagram stop nothing; a limit that is just reached is not exceeded."""
    watch, _, asked = watched(*readings)
    watch.before_push()
    assert watch.seen == WatchedLoad(before=readings[-1])
    assert asked == [15.0 * number for number in range(len(readings))]


@pytest.mark.parametrize(
    ("readings", "words"),
    [
        ([load(97)] * 3, "processor RE0 at 97 %, above delivery.load.max_cpu_pct, 85 %, in 3 readings in a row"),
        ([load(97), load(86.5), load(99)], "processor RE0 at 86.5 %, above delivery.load.max_cpu_pct, 85 %, in 3 "),
        ([load(97), SILENT, SILENT], "processor RE0 at 97 %, above delivery.load.max_cpu_pct, 85 %, in 3 readings"),
        ([load(4, 95)] * 3, "memory FPC 0 at 95 %, above delivery.load.max_memory_pct, 90 %, in 3 readings in a row"),
        ([load(86, 99)] * 3, "memory FPC 0 at 99 %, above delivery.load.max_memory_pct, 90 %, in 3 readings in a row"),
        ([load(12, 99), load(99, 12), load(12, 91)], "memory FPC 0 at 91 %, above delivery.load.max_memory_pct"),
        ([SILENT] * 3, "no answer, 3 times in a row"),
    ],
)
def test_three_readings_without_a_calm_one_stop_a_push(readings: list[RouterLoad | None], words: str) -> None:
    """The least that was read is named, and the worse of processor and memory."""
    watch, time, _ = watched(*readings)
    with pytest.raises(LoadError) as stopped:
        watch.before_push()
    assert str(stopped.value).startswith(f"router r1: {words}")
    assert str(stopped.value).endswith(
        "; nothing was changed. To deliver without watching the load, remove `snmp` of router r1 from the settings"
    )
    assert watch.seen == WatchedLoad()
    assert time.now == 30


@pytest.mark.parametrize(("minutes", "first"), [(1, 20), (2, 40), (3, 60), (60, 60)])
def test_a_trial_works_for_a_while_before_it_is_judged(minutes: int, first: float) -> None:
    """Averages over a minute have to see it; the readings end before the router's rollback timer."""
    watch, _, asked = watched(load(97), load(97), load(97))
    with pytest.raises(LoadError, match=r"^processor RE0 at 97 %"):
        watch.on_trial(minutes)
    assert asked == [first, first + 15, first + 30]
    assert asked[-1] < 60 * minutes


def test_both_readings_that_decided_are_kept_and_each_is_recorded_once() -> None:
    watch, _, _ = watched(load(12), load(97), load(14, 41.26))
    watch.before_push()
    assert watch.unrecorded() == "processor 12 % (RE0), memory 40 % (FPC 0)"
    assert watch.unrecorded() == ""
    watch.on_trial(5)
    assert watch.seen == WatchedLoad(load(12), load(14, 41.26))
    assert watch.unrecorded() == load_words(load(14, 41.26)) == "processor 14 % (RE0), memory 41.3 % (FPC 0)"


def looked(watch: LoadWatch, time: Time, seconds: float) -> None:
    """Looks each second, as a round that waits does."""
    until = time.now + seconds
    while time.now < until:
        watch.look()
        time.sleep(1)


def test_a_canary_is_read_at_the_interval_while_one_of_three_readings_is_calm() -> None:
    readings = [load(99), load(99), load(12), SILENT, load(99), load(12)]
    watch, time, asked = watched(*readings)
    looked(watch, time, 90)
    assert asked == [0, 15, 30, 45, 60, 75]


@pytest.mark.parametrize("bad", [load(99), load(12, 95), SILENT])
def test_a_canary_has_three_readings_to_calm_down(bad: RouterLoad | None) -> None:
    watch, time, asked = watched(load(12), bad, bad, bad)
    with pytest.raises(LoadError, match="in a row"):
        looked(watch, time, 600)
    assert asked == [0, 15, 30, 45]


def test_what_is_no_silence_is_no_reading() -> None:
    """A missing secret is not waited for."""

    def ask() -> RouterLoad:
        raise OSError("no such secret")

    watch = LoadWatch("r1", ask, LIMITS, "", Time())
    with pytest.raises(OSError, match="no such secret"):
        watch.before_push()
