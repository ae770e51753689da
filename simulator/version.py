"""Which engine ran: a hash of the simulator's own code, so that stored results of another one are not taken for its."""

import hashlib
from functools import cache
from pathlib import Path

HERE = Path(__file__).parent


@cache
def engine_version() -> str:
    """SHA-256 of the library's Python files, parameters and compiled engine, 16 hexadecimal digits.

    It changes with every build that differs, also where results would not: then they are computed again.
    """
    files = [*HERE.rglob("*.py"), *HERE.glob("_core.*"), *(HERE / "scenarios").glob("*.toml")]
    digest = hashlib.sha256()
    for path in sorted(path for path in files if "target" not in path.relative_to(HERE).parts):
        digest.update(path.relative_to(HERE).as_posix().encode())
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()[:16]
