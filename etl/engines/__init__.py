"""The analytics engines: DuckDB in this process, or Spark; the same queries on both."""
