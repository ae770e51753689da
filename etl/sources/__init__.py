"""Flow sources: what collectors write, each kind of it in a package of its own (etl/sources/source.py)."""
