"""The flow lake: Parquet parts, on a disk or behind a URL."""
