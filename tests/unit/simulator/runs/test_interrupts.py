"""Ctrl-C once: what it sets going is not itself interrupted."""

import signal
from collections.abc import Iterator

import pytest

from hntes.simulator.runs.interrupts import one_interrupt


@pytest.fixture(autouse=True)
def _pythons_handler() -> Iterator[None]:
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def test_only_the_first_interrupt_is_raised() -> None:
    heard: list[str] = []
    with pytest.raises(KeyboardInterrupt):
        _be_interrupted_while_stopping(heard)
    signal.raise_signal(signal.SIGINT)  # the process is ending: still nothing
    assert heard == ["stopped in order"]


def _be_interrupted_while_stopping(heard: list[str]) -> None:
    with one_interrupt():
        try:
            signal.raise_signal(signal.SIGINT)
        finally:
            signal.raise_signal(signal.SIGINT)
            heard.append("stopped in order")


def test_without_an_interrupt_all_is_as_before() -> None:
    with one_interrupt():
        pass
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_who_ignores_interrupts_goes_on_doing_so() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with one_interrupt():
        signal.raise_signal(signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
