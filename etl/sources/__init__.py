"""Flow sources: each format of collector files in its own package (etl/sources/source.py)."""
