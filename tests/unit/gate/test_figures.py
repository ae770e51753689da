"""Figures are the same bytes however many threads draw, as where the routers of a night run on a cluster."""

from concurrent.futures import ThreadPoolExecutor
from threading import Event
from typing import Any

import pytest
from matplotlib.axes import Axes

from hntes.gate import figures

# Threads that draw one after the other wait for each other in vain.
PATIENCE_S = 1.0


def test_a_thread_that_ends_leaves_the_style_of_another(monkeypatch: pytest.MonkeyPatch) -> None:
    has_ended, has_begun = Event(), Event()

    def goodput(axes: Axes, run: str, *_: object) -> None:
        axes.plot([0, 1], [0, 1])
        if run == "first":
            has_begun.wait(PATIENCE_S)
        if run == "second":
            has_begun.set()
            has_ended.wait(PATIENCE_S)

    def draw(run: Any) -> str:
        drawn = figures.throughput_figure.__wrapped__(run, run, 80.0, "hosts")
        if run == "first":
            has_ended.set()
        return drawn

    monkeypatch.setattr(figures, "_goodput", goodput)
    # what nobody draws has no entry in a legend
    monkeypatch.setattr(Axes, "legend", lambda *_, **__: None)
    alone = draw("alone")
    with ThreadPoolExecutor(2) as threads:
        assert list(threads.map(draw, ["first", "second"])) == [alone, alone]
