"""The version of this program."""

from functools import cache
from importlib.metadata import version


@cache
def program_version() -> str:
    """As its installed package says."""
    return version("hntes")
