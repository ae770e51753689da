"""Asks for a decision in Airflow while others may decide elsewhere; HNTES's row is the only truth."""

import re
import time
from collections.abc import Mapping
from datetime import date
from typing import Any, Literal

from airflow.providers.standard.operators.hitl import HITLOperator
from airflow.providers.standard.triggers.temporal import TimeDeltaTrigger
from airflow.sdk import Context as TaskContext
from airflow.sdk import Param
from airflow.sdk.exceptions import AirflowException
from airflow.sdk.execution_time.hitl import upsert_hitl_detail

from hntes_airflow.policy import RETRY_DELAY, REVIEW_POLL_S
from hntes_airflow.stage import PassingTrouble, hntes
from hntes_airflow.trigger import APPROVE, REJECT, ChangeSetTrigger
from nightly.context import Context
from nightly.review import change_text, decide_change, expire_changes, find_change
from settings.model import Router
from sql.entries import ChangeSetEntry

_SHOWN_LINES = 400
Outcome = dict[str, str | None]


class ChangeSetApproval(HITLOperator):
    """One router's change set of one day: the request shows the pairs, the difference and the verdict.

    Whoever decides first decides, here or on the command line. An answer that comes second is told so, and the task
    follows the row. Returns the row's state, who decided, and the note. Ends at once when nothing waits.
    """

    template_fields = ("router", "day")

    def __init__(self, *, router: str, day: str, **kwargs: Any) -> None:
        # Airflow hands the DAG's parameters in; the form has only its own.
        kwargs["params"] = {"note": Param("", type="string", maxLength=2000, title="Why, for those who come after")}
        super().__init__(subject="a change of router configuration", options=[APPROVE, REJECT], **kwargs)
        self.router = router
        self.day = day

    def execute(self, context: TaskContext) -> Outcome:
        """Writes the request and waits; for the row alone when it is decided already."""
        with hntes() as opened:
            router, entry = self._entry(opened)
            if entry.state != "pending":
                return _outcome(entry, f"{self.router} {self.day}: {entry.state} already")
            summary, difference = change_text(opened, router, entry)
        self.subject = f"{entry.router}, flows of {entry.day}: {entry.summary}"
        self.body = request_body(entry, summary, difference)
        task = context["task_instance"]
        upsert_hitl_detail(
            ti_id=task.id,
            options=self.options,
            subject=self.subject,
            body=self.body,
            params=self.serialized_params,
            assigned_users=self.assigned_users,
        )
        for notifier in self.notifiers:
            notifier(context)
        trigger = ChangeSetTrigger(
            router=self.router,
            day=self.day,
            candidate_hash=entry.candidate_hash,
            ti_id=task.id,
            options=self.options,
            params=self.serialized_params,
            timeout_datetime=None,
            poke_interval=REVIEW_POLL_S,
        )
        kwargs = {"candidate_hash": entry.candidate_hash}
        self.defer(trigger=trigger, method_name="decide", kwargs=kwargs)
        raise AssertionError("a deferred task goes no further")

    def decide(self, context: TaskContext, event: dict[str, Any], candidate_hash: str) -> Outcome:
        """Goes on when there is an answer, or when the row no longer waits."""
        if "row" in event:
            return self._follow(candidate_hash)
        answer = super().execute_complete(context, event)
        who = responder(answer["responded_by_user"])
        note = str(answer["params_input"].get("note") or "") or None
        return self._record(answer["chosen_options"][0], who, note, candidate_hash)

    def record_again(
        self, context: TaskContext, event: Any, chosen: str, who: str, note: str | None, candidate_hash: str
    ) -> Outcome:
        """Goes on when the database was away as the answer came."""
        del context, event
        return self._record(chosen, who, note, candidate_hash)

    def _record(self, chosen: str, who: str, note: str | None, candidate_hash: str) -> Outcome:
        state: Literal["approved", "rejected"] = "approved" if chosen == APPROVE else "rejected"
        try:
            with hntes() as opened:
                router, _ = self._entry(opened)
                now_ms = time.time_ns() // 1_000_000
                day = date.fromisoformat(self.day)
                decision = decide_change(opened, router, day, candidate_hash, state, who, note, now_ms)
        except PassingTrouble as problem:
            # Another attempt would ask the person anew; the answer is kept instead until the database is there.
            self.log.warning("the answer of %s is not recorded yet: %s", who, problem)
            kept = {"chosen": chosen, "who": who, "note": note, "candidate_hash": candidate_hash}
            self.defer(trigger=TimeDeltaTrigger(RETRY_DELAY), method_name="record_again", kwargs=kept)
        told = decision.explanation
        if decision.outcome != "decided":
            told = f"the answer of {who} ({chosen}) was not taken: {told}"
        if decision.outcome == "stale_hash":
            raise AirflowException(f"{told}. The request is made anew")
        self.log.info(told)
        return _outcome(decision.change_set, told)

    def _follow(self, candidate_hash: str) -> Outcome:
        with hntes() as opened:
            expire_changes(opened, time.time_ns() // 1_000_000)
            _, entry = self._entry(opened)
        if entry.state == "pending" and entry.candidate_hash != candidate_hash:
            raise AirflowException(
                f"{self.router} {self.day}: the candidate is {entry.candidate_hash} now, not {candidate_hash}, which "
                "was shown. The request is made anew"
            )
        told = f"{self.router} {self.day}: {entry.state} by {entry.decided_by or 'nobody'}"
        self.log.info(told)
        return _outcome(entry, told)

    def _entry(self, opened: Context) -> tuple[Router, ChangeSetEntry]:
        (router,) = opened.chosen([self.router])
        return router, find_change(opened, router, date.fromisoformat(self.day))


def request_body(entry: ChangeSetEntry, summary: str, difference: str) -> str:
    """Markdown for the request: what changes and why, the difference, and what the decision is bound to."""
    lines = difference.splitlines()
    shown = "\n".join(lines[:_SHOWN_LINES])
    parts = [_fenced("", summary), _fenced("diff", shown)]
    if len(lines) > _SHOWN_LINES:
        more = len(lines) - _SHOWN_LINES
        parts.append(f"{more} lines more: `hntes show --router {entry.router} --day {entry.day}`")
    data = "complete" if entry.data_complete else "INCOMPLETE"
    parts.append(f"Candidate `{entry.candidate_hash}`, base `{entry.base_hash or 'none'}`, flow data {data}.")
    return "\n\n".join(parts)


def responder(user: Mapping[str, str] | None) -> str:
    """Whom Airflow has authenticated: the name, and the account where that is another; empty when it is nobody."""
    if user is None:
        return ""
    name, account = user["name"].strip(), user["id"].strip()
    return name if name == account or not account else f"{name} ({account})"


def _outcome(entry: ChangeSetEntry, told: str) -> Outcome:
    return {
        "router": entry.router,
        "day": entry.day.isoformat(),
        "candidate_hash": entry.candidate_hash,
        "state": entry.state,
        "decided_by": entry.decided_by,
        "note": entry.decision_note,
        "told": told,
    }


def _fenced(language: str, text: str) -> str:
    """A code block that no text can end: its fence is longer than any in the text."""
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{text}\n{fence}"
