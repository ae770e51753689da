"""The edge between a task and HNTES: an open context, and which errors Airflow is to try again."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from airflow.sdk.exceptions import AirflowException, AirflowFailException

from hntes.workflow.context import Context, opened
from hntes.workflow.errors import expected, is_temporary, message

if TYPE_CHECKING:
    from hntes.workflow.stages.backfill_parts import BackfillPart

_log = logging.getLogger("hntes.airflow")


class TemporaryError(AirflowException):
    """Something that may go away by itself: Airflow tries again."""


@contextmanager
def hntes() -> Iterator[Context]:
    """An open context from $HNTES_SETTINGS.

    Raises:
        TemporaryError: what may go away by itself, for Airflow to try again.
        AirflowFailException: what a person must mend; trying again would not help.
    """
    try:
        with opened(None) as context:
            yield context
    except expected() as problem:
        kind = TemporaryError if is_temporary(problem) else AirflowFailException
        raise kind(message(problem)) from problem


def finish(part: BackfillPart) -> None:
    """Logs what a part of a backfill did.

    Raises:
        AirflowFailException: a day failed; the others are done.
    """
    _log.info("%d done; to be looked at: %s", part.count, part.noted or "nothing")
    if part.failures:
        raise AirflowFailException("; ".join(f"{what}: {why}" for what, why in part.failures.items()))


def silent(_done: int, _total: int, _path: str) -> None:
    """Reports no progress: a task's log is for what happened, not for how far it is."""
