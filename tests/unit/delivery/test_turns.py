"""Work on many at a time: never more than allowed, none after the first that fails, and what was begun ends."""

import threading
from collections.abc import Callable
from concurrent import futures

import pytest

from hntes.delivery import batch
from hntes.delivery.batch import run_batched

NAMES = tuple("abcdef")


def nothing() -> str:
    return ""


def failure(name: str, result: str) -> str:
    return f"{name} failed" if result == "bad" else ""


def test_each_is_worked_at_once_and_in_its_order() -> None:
    begun: list[str] = []

    def work(name: str) -> str:
        begun.append(name)
        return name.upper()

    found, reason = run_batched(NAMES, 1, work, nothing, failure)
    assert (begun, reason) == (list(NAMES), "")
    assert found == {name: name.upper() for name in NAMES}


def test_so_many_at_a_time_and_no_more() -> None:
    together = threading.Barrier(3)
    lock = threading.Lock()
    at_work: list[int] = [0, 0]

    def work(_: str) -> str:
        with lock:
            at_work[0] += 1
            at_work[1] = max(at_work)
        together.wait(timeout=10)  # breaks unless three are at work
        with lock:
            at_work[0] -= 1
        return ""

    assert run_batched(NAMES, 3, work, nothing, failure)[1] == ""
    assert at_work == [0, 3]


def test_after_a_failure_none_is_begun_and_those_at_work_end() -> None:
    failed = threading.Event()

    def work(name: str) -> str:
        if name == "b":
            failed.set()
            return "bad"
        if name in "cd":
            assert failed.wait(timeout=10)
        return "good"

    found, reason = run_batched(("b", *"cdef"), 3, work, nothing, failure)
    assert reason == "b failed"
    assert found == {"b": "bad", "c": "good", "d": "good"}


def test_one_at_a_time_ends_with_the_first_failure() -> None:
    found, reason = run_batched(NAMES, 1, lambda name: "bad" if name == "c" else "good", nothing, failure)
    assert (list(found), reason) == (["a", "b", "c"], "c failed")


def test_the_last_one_that_fails_is_told_as_well() -> None:
    assert run_batched(("a",), 1, lambda _: "bad", nothing, failure) == ({"a": "bad"}, "a failed")


def test_a_hindrance_is_asked_for_before_each() -> None:
    left = iter(["", "", "the window is closed"])
    assert run_batched(NAMES, 1, str, lambda: next(left), failure) == ({"a": "a", "b": "b"}, "the window is closed")


@pytest.mark.parametrize("names", [NAMES, NAMES[:2]])  # also where none is left to begin
def test_an_interrupt_waits_for_those_at_work(monkeypatch: pytest.MonkeyPatch, names: tuple[str, ...]) -> None:
    ended: list[str] = []
    real: Callable[..., object] = futures.wait
    interrupts = iter([True])

    def interrupted(*given: object, **named: object) -> object:
        if next(interrupts, False):
            raise KeyboardInterrupt
        return real(*given, **named)

    def work(name: str) -> str:
        ended.append(name)
        return "good"

    monkeypatch.setattr(batch, "wait", interrupted)
    found, reason = run_batched(names, 2, work, nothing, failure)
    assert reason == "interrupted from the keyboard"
    assert sorted(found) == sorted(ended) == ["a", "b"]


def test_an_unexpected_error_is_raised_after_the_others_have_ended() -> None:
    ended: list[str] = []
    raised = threading.Event()

    def work(name: str) -> str:
        if name == "a":
            raised.set()
            raise ZeroDivisionError
        assert raised.wait(timeout=10)
        ended.append(name)
        return ""

    with pytest.raises(ZeroDivisionError):
        run_batched("ab", 2, work, nothing, failure)
    assert ended == ["b"]
