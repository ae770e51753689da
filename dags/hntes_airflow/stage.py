"""The edge between a task and HNTES: an open context, and which errors Airflow is to try again."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from airflow.sdk.exceptions import AirflowException, AirflowFailException

from pipeline.backfill import Step
from pipeline.context import Context, opened
from pipeline.errors import EXPECTED, message, passes

_log = logging.getLogger("hntes.airflow")


class PassingTrouble(AirflowException):
    """What may pass by itself: Airflow tries again."""


@contextmanager
def hntes() -> Iterator[Context]:
    """An open context from $HNTES_SETTINGS.

    Raises:
        PassingTrouble: what may pass by itself, for Airflow to try again.
        AirflowFailException: what a person must mend; trying again would not help.
    """
    try:
        with opened(None) as context:
            yield context
    except EXPECTED as problem:
        kind = PassingTrouble if passes(problem) else AirflowFailException
        raise kind(message(problem)) from problem


def finished(step: Step) -> None:
    """Tells what a part of a backfill did.

    Raises:
        AirflowFailException: a day failed; the others are done.
    """
    _log.info("%d done; to be looked at: %s", step.count, step.noted or "nothing")
    if step.failures:
        raise AirflowFailException("; ".join(f"{what}: {why}" for what, why in step.failures.items()))


def silent(_done: int, _total: int, _path: str) -> None:
    """Reports no progress: a task's log is for what happened, not for how far it is."""
