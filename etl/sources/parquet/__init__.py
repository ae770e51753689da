"""Tables of flows in Parquet files, such as exports of ClickHouse."""

from hntes.etl.sources.parquet.source import ParquetSource

__all__ = ["SOURCE"]

SOURCE = ParquetSource()
