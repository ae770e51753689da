"""Waiting for a connection while the server has as many as it takes."""

import time
from typing import Any

from sqlalchemy import Engine, event

_RETRY_EVERY_S = 1.0
# All of PostgreSQL's that have the SQLSTATE 53300: a refused login has its words alone, libpq gives no code.
_NO_PLACE = ("too many clients", "remaining connection slots are reserved", "too many connections for")


def wait_for_connections(engine: Engine, wait_s: float) -> None:
    """Has an engine of PostgreSQL try again for `wait_s` seconds when the server has no connection left."""

    def connect(dialect: Any, _record: object, args: tuple[Any, ...], named: dict[str, Any]) -> Any:
        deadline = time.monotonic() + wait_s
        while True:
            try:
                return dialect.connect(*args, **named)
            except dialect.dbapi.OperationalError as problem:
                if time.monotonic() >= deadline or not any(words in str(problem) for words in _NO_PLACE):
                    raise
            time.sleep(_RETRY_EVERY_S)

    event.listen(engine, "do_connect", connect)
