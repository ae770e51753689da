"""The compiled reader and writer of records, where this machine has it and can load it: not on Spark's executors."""

__all__ = ["PROBLEM", "native"]

try:
    import hntes._native as native

    PROBLEM = ""
except ModuleNotFoundError:
    native = None  # type: ignore[assignment]
    PROBLEM = "the native reader is not compiled here"
except ImportError as cause:  # of another machine's libraries, or half a file
    native = None  # type: ignore[assignment]
    PROBLEM = f"the native reader cannot be loaded here ({cause})"
