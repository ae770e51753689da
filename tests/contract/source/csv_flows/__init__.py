"""A toy source: flows in CSV files, as another distribution could bring it."""

from tests.contract.source.csv_flows.source import CsvSource

__all__ = ["SOURCE"]

SOURCE = CsvSource()
