"""The version of the engines: a hash of the compiled sources, so that stored runs of other versions do not match."""

import hashlib
from functools import cache
from pathlib import Path

from hntes import _native


@cache
def engine_version() -> str:
    """The version of the compiled engines, 16 hexadecimal digits: equal versions give equal runs.

    Parameters of hosts and routers are no part of it: they stand in every scenario.
    """
    return hashlib.sha256(Path(str(_native.__file__)).read_bytes()).hexdigest()[:16]
