"""Which engines ran: a hash of what was compiled, so that stored runs of others are not taken for theirs."""

import hashlib
from functools import cache
from pathlib import Path

from hntes import _native


@cache
def engine_version() -> str:
    """What stands for the engines as they are compiled here, 16 hexadecimal digits: equal versions give equal runs.

    Parameters of hosts and routers are no part of it: they stand in every scenario.
    """
    return hashlib.sha256(Path(str(_native.__file__)).read_bytes()).hexdigest()[:16]
