"""Asks for a decision in Airflow while others may decide elsewhere; only HNTES's own row counts."""

from datetime import date
from typing import Any

from airflow.providers.standard.operators.hitl import HITLOperator
from airflow.providers.standard.triggers.temporal import TimeDeltaTrigger
from airflow.sdk import Context as TaskContext
from airflow.sdk import Param
from airflow.sdk.exceptions import AirflowFailException
from airflow.sdk.execution_time.hitl import upsert_hitl_detail

from hntes import clock
from hntes.airflow.policy import RETRY_DELAY, REVIEW_POLL_S
from hntes.airflow.request_text import request_body, responder
from hntes.airflow.stage import TemporaryError, hntes
from hntes.airflow.trigger import APPROVE, HOLD, REJECT, SHOWN_DIGITS, ChangeSetTrigger, option
from hntes.errors import HntesError
from hntes.sanitize import MAX_CHARACTERS
from hntes.sanitize import shown as shown_text
from hntes.settings.model import Router
from hntes.sql.decisions import Verdict
from hntes.workflow.change_lookup import find_change
from hntes.workflow.context import Context
from hntes.workflow.review.changes import Change, listed_change

Outcome = dict[str, str | None]
_DEFERRED = "a deferred task goes no further"


class ChangeSetApproval(HITLOperator):
    """One router's change of one day: the request shows the pairs, the gate's verdict and the difference.

    It can be approved, rejected, or held until a day; a hold ends this review, and the night of that day asks again.

    The first decision counts, here or on the command line. A second answer is refused with that explanation, and the
    task follows the row. Returns the row's state, who decided, and the note. Ends at once when nothing waits.

    The options name the candidate that is shown: Airflow keeps a request's text when a task is tried again, so an
    answer must say by itself what it was given to.
    """

    template_fields = ("router", "day", "candidate_hash")

    def __init__(self, *, router: str, day: str, candidate_hash: Any, **kwargs: Any) -> None:
        """`candidate_hash` comes from a task before: all attempts are about the one candidate."""
        # Airflow passes the DAG's parameters in; the form has only its own.
        kwargs["params"] = {
            "note": Param("", type="string", maxLength=2000, title="Why, for those who read it later"),
            "until": Param("", type="string", maxLength=10, title="To hold: ask again on this day, YYYY-MM-DD"),
        }
        super().__init__(subject="a change of router configuration", options=[APPROVE, REJECT, HOLD], **kwargs)
        self.router = router
        self.day = day
        self.candidate_hash = candidate_hash

    def execute(self, context: TaskContext) -> Outcome:
        """Asks and waits; follows the row alone when it is decided already."""
        with hntes() as opened:
            _, entry = self._entry(opened)
        if entry.state != "pending":
            return _outcome(entry, f"{self.router} {self.day}: {entry.state} already")
        self._must_be_shown(entry, self.candidate_hash)
        # A new request would erase an answer that the attempt before had no time to record.
        first = context["task_instance"].try_number == 1
        self._wait(context, self._ask(context) if first else entry.candidate_hash)
        raise AssertionError(_DEFERRED)

    def decide(self, context: TaskContext, event: dict[str, Any]) -> Outcome:
        """Goes on when there is an answer, when the row no longer waits, or when nobody was asked yet."""
        if "error" in event:
            self.process_trigger_event_error(event)
        if event.get("unasked"):
            self._wait(context, self._ask(context))
        if "row" in event:
            return self._follow(event["shown"])
        chosen, _, shown = event["chosen_options"][0].partition(" ")
        # An answer is not lost because of what its note holds.
        given = event["params_input"] or {}
        note = shown_text(str(given.get("note") or ""))[:MAX_CHARACTERS] or None
        who = responder(event["responded_by_user"])
        if chosen == HOLD:
            return self._hold(shown, who, note, str(given.get("until") or ""))
        return self._record(chosen, shown, who, note)

    def record_again(
        self, context: TaskContext, event: Any, chosen: str, shown: str, who: str, note: str | None
    ) -> Outcome:
        """Goes on when the database was away as the answer came."""
        del context, event
        return self._record(chosen, shown, who, note)

    def _ask(self, context: TaskContext) -> str:
        """Writes the request; returns the hash of the candidate that it shows."""
        from hntes.rules.changeset.wording import in_one_line
        from hntes.workflow.review.propose_again import again_command, earlier_approved
        from hntes.workflow.review.view import review_view
        from hntes.workflow.review.words import gate_text, summary_text
        from hntes.workflow.stages.verdict_lines import verdicts_in_a_sentence

        with hntes() as opened:
            router, entry = self._entry(opened)
            view = review_view(opened, router, entry)
            origin = opened.settings.web.origin
            again = [again_command(router.name, day) for day in earlier_approved(opened, router)]
        # Nothing is approved that the gate has not passed, so it is not offered.
        verbs = [REJECT, HOLD] if view.needs.blocking_reasons else [APPROVE, REJECT, HOLD]
        gate = f"gate: {verdicts_in_a_sentence(view.verdicts)}"
        summary = "\n".join((summary_text(view), gate, *view.progress.lines))
        upsert_hitl_detail(
            ti_id=context["task_instance"].id,
            options=[option(verb, entry.candidate_hash) for verb in verbs],
            subject=f"{entry.router}, flows of {entry.day}: {in_one_line(entry, view.facts.effect)}",
            body=request_body(entry, summary, gate_text(view), view.difference, origin=origin, again=again),
            params=self.serialized_params,
            assigned_users=self.assigned_users,
        )
        for notifier in self.notifiers:
            notifier(context)
        return entry.candidate_hash

    def _wait(self, context: TaskContext, candidate_hash: str) -> None:
        trigger = ChangeSetTrigger(
            router=self.router,
            day=self.day,
            candidate_hash=candidate_hash,
            since_ms=clock.now_ms(),
            ti_id=context["task_instance"].id,
            options=self.options,
            params=self.serialized_params,
            timeout_datetime=None,
            poke_interval=REVIEW_POLL_S,
        )
        self.defer(trigger=trigger, method_name="decide")

    def _record(self, chosen: str, shown: str, who: str, note: str | None) -> Outcome:
        from hntes.workflow.review.decide import Person, Request
        from hntes.workflow.review.decide import decide as decide_change

        verdict: Verdict = "approved" if chosen == APPROVE else "rejected"
        try:
            with hntes() as opened:
                router, entry = self._entry(opened)
                whole = _whole(entry, shown)
                by = Person(who, note, _identity(who))
                decision = decide_change(opened, router, Request(entry.change_id, whole, verdict), by, clock.now_ms())
        except TemporaryError as problem:
            # A failure now would ask the person again; instead, the answer is kept until the database is back.
            self.log.warning("the answer of %s is not recorded yet: %s", who, problem)
            kept = {"chosen": chosen, "shown": shown, "who": who, "note": note}
            self.defer(trigger=TimeDeltaTrigger(RETRY_DELAY), method_name="record_again", kwargs=kept)
            raise AssertionError(_DEFERRED) from problem
        explanation = decision.explanation
        if not decision.is_taken:
            explanation = f"the answer of {who} ({chosen}) was not taken: {explanation}"
        if decision.outcome in ("stale_hash", "gate", "held", "pending_second_approval", "same_person"):
            raise AirflowFailException(f"{explanation}. {self._ask_again}")
        self.log.info(explanation)
        return _outcome(decision.change, explanation)

    def _hold(self, shown: str, who: str, note: str | None, until: str) -> Outcome:
        """Holds the change until the day that was given; the night of that day asks again."""
        from hntes.workflow.review.decide import Person, Seen, hold_change

        with hntes() as opened:
            router, entry = self._entry(opened)
            whole = _whole(entry, shown)
            self._must_be_shown(entry, whole)
            try:
                by = Person(who, note, _identity(who))
                held = hold_change(opened, router, entry.day, date.fromisoformat(until), by, seen=Seen(whole))
            except (ValueError, HntesError) as problem:
                raise AirflowFailException(f"not held: {problem}. {self._ask_again}") from problem
        return _outcome(held, f"{self.router} {self.day}: held until {until} by {who}")

    def _follow(self, candidate_hash: str) -> Outcome:
        from hntes.workflow.review.decide import expire_changes

        with hntes() as opened:
            expire_changes(opened, clock.now_ms())
            _, entry = self._entry(opened)
            held_until = listed_change(opened, entry, depth="list").held_until
        self._must_be_shown(entry, candidate_hash)
        explanation = f"{self.router} {self.day}: {entry.state} by {entry.decided_by or 'nobody'}"
        if held_until is not None:
            explanation = f"{self.router} {self.day}: held until {held_until}"
        self.log.info(explanation)
        return _outcome(entry, explanation)

    def _must_be_shown(self, entry: Change, candidate_hash: str) -> None:
        if entry.state == "pending" and entry.candidate_hash != candidate_hash:
            raise AirflowFailException(
                f"{self.router} {self.day}: the candidate is {entry.candidate_hash} now, not {candidate_hash}, which "
                f"was shown. {self._ask_again}"
            )

    @property
    def _ask_again(self) -> str:
        return f"To be asked again, start hntes_review for day {self.day} and router {self.router}"

    def _entry(self, opened: Context) -> tuple[Router, Change]:
        (router,) = opened.chosen([self.router])
        return router, find_change(opened, router, date.fromisoformat(self.day))


def _whole(entry: Change, shown: str) -> str:
    """The entry's hash, if that is what an option showed the first digits of; else what was shown."""
    same = len(shown) == SHOWN_DIGITS and entry.candidate_hash.startswith(shown)
    return entry.candidate_hash if same else shown


def _identity(who: str) -> str | None:
    """Whom Airflow has authenticated, as the audit log names it."""
    return f"airflow:{who}" if who else None


def _outcome(entry: Change, explanation: str) -> Outcome:
    return {
        "router": entry.router,
        "day": entry.day.isoformat(),
        "candidate_hash": entry.candidate_hash,
        "state": entry.state,
        "decided_by": entry.decided_by,
        "note": entry.decision_note,
        "explanation": explanation,
    }
