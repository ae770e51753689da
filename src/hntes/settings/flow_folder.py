"""Flow folders of which the source cannot tell everything by their files (docs/how-to/flow-sources.md)."""

from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from hntes.settings.names import Name
from hntes.settings.section import Section
from hntes.settings.zones import ZoneName

# What a column of a table can hold.
ColumnUse = Literal[
    "bytes", "packets", "sampling", "source", "destination", "exporter", "first", "last", "received", "protocol",
    "source_port", "destination_port", "input_interface", "output_interface", "direction", "tos",
]  # fmt: skip
ColumnName = Annotated[str, Field(min_length=1, max_length=128)]


class FlowFolder(Section):
    """How the files in and below a flow folder are read."""

    folder: Path
    """the flow folder that this section describes, with the folders below it"""
    source: Name | None = None
    period_s: Annotated[int, Field(ge=1, le=86_400)] | None = None
    active_timeout_s: Annotated[int, Field(ge=0, le=86_400)] | None = None
    renormalized: bool = False
    times_zone: ZoneName = "UTC"
    columns: dict[ColumnUse, ColumnName] = {}  # noqa: RUF012 - pydantic copies defaults
    """Parquet only: the table's columns, by what they hold; Akvorado's by default"""
