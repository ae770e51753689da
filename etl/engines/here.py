"""This machine, which works on router-days one after another with DuckDB and the compiled module."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Concatenate

from hntes.etl.engines.base import Engine, P, R, T
from hntes.etl.lake.store import store_of
from hntes.etl.lake.url import Lake
from hntes.sql.entries import LakePart


class ThisMachine:
    """Works in this process, with this engine."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def of_day(
        self,
        work: Callable[Concatenate[Engine, Path, Sequence[str], P], R],
        lake: Lake,
        parts: Sequence[LakePart],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> R:
        """The result of `work` on one router-day's parts, which are verified first."""
        with store_of(lake).nearby(parts) as folder:
            return work(self._engine, folder, [part.part for part in parts], *args, **kwargs)

    def each(self, function: Callable[[T], R], tasks: Sequence[T]) -> Iterator[R]:
        """The results of a function, in the order of the tasks."""
        return map(function, tasks)

    def check(self, *, takes_turn: bool = False) -> None:  # noqa: ARG002 - this machine is there
        """Asks the engine something."""
        self._engine.run("select 1 as one", Path(), [])

    def close(self) -> None:
        """Does nothing: every query has its own connection."""
