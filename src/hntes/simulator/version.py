"""The version of the engines: a hash of the compiled sources, so that stored runs of other versions do not match."""

import hashlib
from functools import cache
from pathlib import Path

from hntes.simulator.engine import compiled


@cache
def engine_version() -> str:
    """The version of the compiled engines, 16 hexadecimal digits: equal versions give equal runs.

    Parameters of hosts and routers are no part of it: they stand in every scenario.

    Raises:
        EngineMissingError: `pip install -e .` has not been run.
    """
    return hashlib.sha256(Path(str(compiled().__file__)).read_bytes()).hexdigest()[:16]
