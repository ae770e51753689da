"""Waits for the decision on one change set, wherever it is made: the answer in Airflow, or HNTES's own row."""

import asyncio
import logging
import time
from collections.abc import AsyncIterator
from datetime import date
from typing import Any
from uuid import UUID

from airflow.providers.standard.triggers.hitl import HITLTrigger
from airflow.sdk.exceptions import AirflowRuntimeError
from airflow.sdk.execution_time.hitl import update_hitl_detail_response
from airflow.triggers.base import TriggerEvent

from nightly.context import opened
from nightly.errors import EXPECTED, message
from sql import changes
from sql.entries import ChangeSetEntry
from sql.session import reading

APPROVE, REJECT = "Approve", "Reject"
_OPTIONS = {"approved": APPROVE, "rejected": REJECT}

_log = logging.getLogger("hntes.review")


class ChangeSetTrigger(HITLTrigger):
    """Fires when the request was answered, or when the row no longer waits for a decision on that candidate.

    A database that is away for a while is waited for: what was not decided is still not decided.
    """

    def __init__(self, *, router: str, day: str, candidate_hash: str, **request: Any) -> None:
        super().__init__(**request)
        self.router = router
        self.day = day
        self.candidate_hash = candidate_hash

    def serialize(self) -> tuple[str, dict[str, Any]]:
        """The trigger's class and arguments."""
        _, request = super().serialize()
        own = {"router": self.router, "day": self.day, "candidate_hash": self.candidate_hash}
        return f"{type(self).__module__}.{type(self).__qualname__}", request | own

    async def run(self) -> AsyncIterator[TriggerEvent]:
        """One event: the answer, or `{"row": state}`."""
        while True:
            answered = await self._handle_response()  # type: ignore[no-untyped-call]
            if answered:
                yield answered
                return
            entry = await asyncio.to_thread(self._settled)
            if entry:
                if entry.state in _OPTIONS and entry.candidate_hash == self.candidate_hash:
                    await asyncio.to_thread(_close_request, self.ti_id, entry)
                yield TriggerEvent({"row": entry.state})  # type: ignore[no-untyped-call]
                return
            await asyncio.sleep(self.poke_interval)

    def _settled(self) -> ChangeSetEntry | None:
        """The row if there is nothing to wait for any more: decided, superseded, expired, another candidate."""
        try:
            with opened(None) as context, reading(context.database) as session:
                entry = changes.change_set(session, self.router, date.fromisoformat(self.day))
        except EXPECTED as problem:
            _log.warning("%s %s: looked at again later: %s", self.router, self.day, message(problem))
            return None
        if entry is None:
            return None
        waits = entry.state == "pending" and entry.candidate_hash == self.candidate_hash
        return None if waits and time.time_ns() // 1_000_000 < entry.expires_ms else entry


def _close_request(ti_id: UUID, entry: ChangeSetEntry) -> None:
    """Writes into Airflow's request what was decided elsewhere, so that nobody answers it any more."""
    note = f"decided by {entry.decided_by} outside Airflow: {entry.decision_note or 'no note'}"
    try:
        update_hitl_detail_response(ti_id, [_OPTIONS[entry.state]], {"note": note})
    except AirflowRuntimeError as problem:
        # Answered in this very moment: the row was first, and the task says so.
        _log.warning("%s %s: the request could not be closed: %s", entry.router, entry.day, problem)
