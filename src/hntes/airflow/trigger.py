"""Waits for the decision on one change, wherever it is made: the answer in Airflow, or HNTES's own row."""

import asyncio
import logging
from collections.abc import AsyncIterator
from datetime import date
from http import HTTPStatus
from threading import Lock
from typing import Any
from uuid import UUID

from airflow.providers.standard.triggers.hitl import HITLTrigger
from airflow.sdk.exceptions import AirflowRuntimeError
from airflow.sdk.execution_time.hitl import update_hitl_detail_response
from airflow.triggers.base import TriggerEvent

from hntes import clock
from hntes.sql.change import Change
from hntes.sql.holds import hold_of
from hntes.sql.session import reading
from hntes.workflow.change_lookup import change_of
from hntes.workflow.context import Databases, opened
from hntes.workflow.errors import expected, message
from hntes.workflow.kept_settings import KeptSettings

APPROVE, REJECT, HOLD = "Approve", "Reject", "Hold"
SHOWN_DIGITS = 12
_VERBS = {"approved": APPROVE, "rejected": REJECT}

_log = logging.getLogger("hntes.review")

# One process looks after all reviews that wait: each look opens nothing anew, and one after the other needs one
# connection.
_LOOKS = Lock()
_DATABASES = Databases()
_SETTINGS = KeptSettings()


class ChangeSetTrigger(HITLTrigger):
    """Fires when the request was answered, when the row no longer waits for a decision on that candidate, or when it
    was held until a day after `since_ms`: one that was held before is asked about on purpose.

    It waits for a database that is away for a while: what was not decided is still not decided.
    """

    def __init__(self, *, router: str, day: str, candidate_hash: str, since_ms: int = 0, **request: Any) -> None:
        super().__init__(**request)
        self.router = router
        self.day = day
        self.candidate_hash = candidate_hash
        self.since_ms = since_ms

    def serialize(self) -> tuple[str, dict[str, Any]]:
        """The trigger's class and arguments."""
        _, request = super().serialize()
        own = {
            "router": self.router, "day": self.day, "candidate_hash": self.candidate_hash, "since_ms": self.since_ms,
        }  # fmt: skip
        return f"{type(self).__module__}.{type(self).__qualname__}", request | own

    async def run(self) -> AsyncIterator[TriggerEvent]:
        """One event: the answer, `{"row": state, "shown": hash}`, or `{"unasked": True}` where there is no request.

        The first look is not immediate: a scheduler that learns of the deferral only after the resumption starts the
        task again.
        """
        while True:
            await asyncio.sleep(self.poke_interval)
            event = await self._asked() or await asyncio.to_thread(self._settled)
            if event is not None:
                yield event
                return

    async def _asked(self) -> TriggerEvent | None:
        """The answer, if there is one."""
        try:
            answer: TriggerEvent | None = await self._handle_response()  # type: ignore[no-untyped-call]
        except AirflowRuntimeError as problem:
            if (problem.error.detail or {}).get("status_code") == HTTPStatus.NOT_FOUND:
                return _event(unasked=True)
            _log.warning("%s %s: Airflow is asked again later: %s", self.router, self.day, problem)
            return None
        return answer

    def _settled(self) -> TriggerEvent | None:
        """An event if the row no longer waits: it is decided, superseded, expired, or of another candidate."""
        try:
            with _LOOKS, opened(None, _DATABASES, _SETTINGS) as context:
                entry = change_of(context, self.router, date.fromisoformat(self.day))
                with reading(context.database) as session:
                    held = hold_of(session, entry, clock.today()) if entry else None
        except expected() as problem:
            _log.warning("%s %s: checked again later: %s", self.router, self.day, message(problem))
            return None
        if entry is None:
            return None
        event = held.event if held is not None else None
        is_shown = entry.candidate_hash == self.candidate_hash
        if held is not None and event is not None and event.time_ms >= self.since_ms and is_shown:
            note = f"held until {held.until_day} by {event.who} outside Airflow: {event.note}"
            _close_request(self.ti_id, entry, HOLD, note)
            return _event(row=entry.state, shown=self.candidate_hash)
        waits = entry.state == "pending" and entry.candidate_hash == self.candidate_hash
        if waits and not entry.is_over(clock.now_ms()):
            return None
        if entry.state in _VERBS and entry.candidate_hash == self.candidate_hash:
            note = f"decided by {entry.decided_by} outside Airflow: {entry.decision_note or 'no note'}"
            _close_request(self.ti_id, entry, _VERBS[entry.state], note)
        return _event(row=entry.state, shown=self.candidate_hash)


def option(verb: str, candidate_hash: str) -> str:
    """The chosen option: a verb and its candidate."""
    return f"{verb} {candidate_hash[:SHOWN_DIGITS]}"


def _event(**payload: object) -> TriggerEvent:
    return TriggerEvent(payload)  # type: ignore[no-untyped-call]


def _close_request(ti_id: UUID, entry: Change, verb: str, note: str) -> None:
    """Closes Airflow's request with a decision that was made elsewhere."""
    try:
        update_hitl_detail_response(ti_id, [option(verb, entry.candidate_hash)], {"note": note})
    except AirflowRuntimeError as problem:
        # Answered in this very moment: the row was first, and the task says so.
        _log.warning("%s %s: the request could not be closed: %s", entry.router, entry.day, problem)
