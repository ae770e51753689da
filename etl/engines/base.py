"""What detection and measuring ask of an analytics engine."""

from collections.abc import Mapping, Sequence
from typing import Protocol

import pyarrow as pa

from etl.engines.suspects import HeavyKeys
from etl.lake.url import Lake


class Engine(Protocol):
    """An analytics engine: DuckDB or Spark."""

    def run(
        self,
        query: str,
        lake: Lake,
        parts: Sequence[str],
        relations: Mapping[str, pa.Table] | None = None,
        heavy: HeavyKeys | None = None,
    ) -> pa.Table:
        """Rows of a query over the view `flows` of these parts, and over further relations by name.

        An engine may leave out rows of which `heavy` says that they change nothing.
        """
