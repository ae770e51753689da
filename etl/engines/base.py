"""The interface of an analytics engine."""

from collections.abc import Mapping, Sequence
from typing import Protocol

import pyarrow as pa

from hntes.etl.lake.url import Lake


class Engine(Protocol):
    """An analytics engine: DuckDB or Spark.

    reads_here: it reads the lake in this process, which may then as well look into the parts itself.
    """

    reads_here: bool

    def run(
        self,
        query: str,
        lake: Lake,
        parts: Sequence[str],
        relations: Mapping[str, pa.Table] | None = None,
    ) -> pa.Table:
        """Rows of a query over the view `flows` of these parts, and over further relations by name.

        A relation `flows` takes the place of the parts.
        """
