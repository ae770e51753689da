"""The interfaces of the engines: one that answers queries, and the machines that work on the flows of router-days."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Concatenate, ParamSpec, Protocol, TypeVar

from hntes.etl.lake.url import Lake
from hntes.sql.entries import LakePart

if TYPE_CHECKING:
    import pyarrow as pa

P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")


class Engine(Protocol):
    """Answers queries over parts of a lake that lie in a folder of this machine."""

    def run(
        self,
        query: str,
        lake: Path,
        parts: Sequence[str],
        relations: Mapping[str, pa.Table] | None = None,
    ) -> pa.Table:
        """Rows of a query over the view `flows` of these parts, and over further relations by name.

        A relation `flows` takes the place of the parts.
        """


class Machines(Protocol):
    """Where flow files are read and the flows of router-days are worked on: this machine, or those of a cluster.

    The work is the same code everywhere, and knows neither ledger nor database.
    """

    def of_day(
        self,
        work: Callable[Concatenate[Engine, Path, Sequence[str], P], R],
        lake: Lake,
        parts: Sequence[LakePart],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> R:
        """The result of `work` on one router-day's parts, on one of the machines, which verifies them first.

        The work is given a folder and their names in it.

        Raises:
            ChangedPartError: a part is not what was written.
            GonePartError: a part that the ledger names is missing from the lake.
            EtlError: what the work raises.
        """

    def each(self, function: Callable[[T], R], tasks: Sequence[T]) -> Iterator[R]:
        """The results of a function, in the order of the tasks; function, tasks and results can be pickled."""

    def check(self, *, takes_turn: bool = False) -> None:
        """Raises an EtlError if no work can be done.

        `takes_turn`: work follows, so that machines which others have now are waited for as by that work.
        """

    def close(self) -> None:
        """Ends what was started for the work."""
