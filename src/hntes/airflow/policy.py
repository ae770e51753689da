"""Settings of the DAGs from the environment, read when a DAG file is parsed, so without heavy imports."""

import os
from datetime import timedelta
from typing import Any


def _number(name: str, default: int, at_least: int = 1) -> int:
    text = os.environ.get(name, str(default))
    try:
        number = int(text)
    except ValueError:
        number = at_least - 1
    if number < at_least:
        raise ValueError(f"environment variable {name} is {text!r}; it must be a whole number of at least {at_least}")
    return number


def _one_of(name: str, default: str, other: str) -> str:
    text = os.environ.get(name, default)
    if text not in (default, other):
        raise ValueError(f"environment variable {name} is {text!r}; it must be {default} or {other}")
    return text


# 00:45 UTC: records of a day may lie in files up to `max_record_delay_s` (default 2100 s) after midnight.
SCHEDULE = os.environ.get("HNTES_SCHEDULE", "45 0 * * *") or None
NIGHT_DEADLINE = timedelta(seconds=_number("HNTES_NIGHT_DEADLINE_S", 6 * 3600))
# A dry run unless the operator has set it otherwise, here or for one run.
DELIVERY_SCHEDULE = os.environ.get("HNTES_DELIVERY_SCHEDULE") or None
RESERVATIONS_SCHEDULE = os.environ.get("HNTES_RESERVATIONS_SCHEDULE") or None
DELIVERY_MODE = _one_of("HNTES_DELIVERY_MODE", "dry-run", "commit")
REVIEW_POLL_S = _number("HNTES_REVIEW_POLL_S", 20)
PARALLEL = _number("HNTES_PARALLEL", 4)
INGEST_LIMIT = timedelta(seconds=_number("HNTES_INGEST_LIMIT_S", 2 * 3600))
# One folder that is away must not hold up the others: it leaves its place after that, and is tried again.
FOLDER_LIMIT_S = _number("HNTES_FOLDER_LIMIT_S", 60)
# Of tasks that are mapped over routers.
PER_ROUTER: dict[str, Any] = {
    "max_active_tis_per_dagrun": PARALLEL,
    "map_index_template": "{{ task.op_kwargs['router'] }}",
}
RETRY_DELAY = timedelta(seconds=_number("HNTES_RETRY_DELAY_S", 60))

# Five attempts with delays that double span about 15 minutes: a database or file server that restarts is outlived.
RETRIED = {
    "retries": 4,
    "retry_delay": RETRY_DELAY,
    "retry_exponential_backoff": 2.0,
    "max_retry_delay": timedelta(minutes=10),
}
