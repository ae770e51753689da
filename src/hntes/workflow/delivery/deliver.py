"""The stage deliver: approved configuration is put where the operator's own delivery takes it.

`output/<router>/approved` holds one text per candidate, named by its hash, beside it the commands that lead there from
what was delivered last (`.transition`) and those that remove it (`.withdrawal`), and `manifest.json`, which names what
to take. The manifest is replaced as a whole after the texts are in place, so that a reader of the manifest and then of
the texts that it names never sees half a change. It names the event of the delivery in the audit log: a log whose end
was cut off no longer has it. Nothing here reaches a router.
"""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from hntes.delivery.flowspec.rule import rules_text
from hntes.etl.locks import locked
from hntes.files import write_changed_text
from hntes.format import rfc3339
from hntes.platforms.flowspec_queues import queues_text
from hntes.platforms.transition import withdrawal
from hntes.rules.changeset.candidate import Candidate
from hntes.settings.model import Router
from hntes.sql import audit, changes, deliveries
from hntes.sql.change import Change
from hntes.sql.deliveries import Report
from hntes.sql.entries import AuditEventEntry
from hntes.sql.proposals import about
from hntes.sql.session import reading, transaction
from hntes.workflow.audit_checks import require_named_event, verified_decisions
from hntes.workflow.candidates import known_candidate
from hntes.workflow.context import Context
from hntes.workflow.delivery.flowspec_delivery import announced_rules, bounds_of
from hntes.workflow.folders import router_folder
from hntes.workflow.review.transition_approval import approved_transition
from hntes.workflow.router_state import RouterState, router_state
from hntes.workflow.stage_log import stage
from hntes.workflow.transitions import Transition


@dataclass(frozen=True)
class Delivered:
    """One router's delivered configuration: its state when it was put there, its text, and the files.

    `transition` holds the commands that lead there from what was delivered last (`leading`), `withdrawal` those that
    remove it.
    """

    state: RouterState
    candidate: Candidate
    leading: Transition
    configuration: Path
    transition: Path
    withdrawal: Path
    manifest: Path

    @property
    def change(self) -> Change:
        """The change whose text was put there."""
        return self.state.due


def _outcome(delivered: Delivered | None) -> str:
    return "delivered" if delivered else "no_approved_config"


def _day(delivered: Delivered | None) -> date | None:
    return delivered.change.day if delivered else None


@stage(_outcome, day_of=_day)
def deliver(
    context: Context, router: Router, day: date | None = None, *, only_reservations: bool = False
) -> Delivered | None:
    """Puts what is in force for a router into its `approved` folder, with what is reserved now as far as that is
    approved; None if nothing is approved.

    With a day, as at the end of that day's review, it does so only if that day's change set is approved. What is put
    there is always the latest approval, which may be a later day's. Doing it again changes nothing. An approval that
    comes meanwhile is delivered by a call of its own, which waits for this one. `only_reservations` is as for
    `router_state`.

    Raises:
        BrokenLogError: the audit log was changed, does not say who approved what is in force, or lacks the
            last delivery.
        CandidateStoreError: the approved text is lost, on disk and in the database.
        CommandError: the database's tables contradict each other, or the transition is not the approved one.
        LockedError: another process delivers for this router.
        TransitionError: the text that was delivered last is not as it is rendered.
    """
    if day is not None and not _is_approved(context, router, day):
        return None
    folder = router_folder(context, router) / "approved"
    with locked(folder.parent / ".locks" / "approved", f"delivery of {router.name}"):
        state = router_state(context, router, only_reservations=only_reservations)
        return None if state is None else _handed_over(context, state, folder)


def _handed_over(context: Context, state: RouterState, folder: Path) -> Delivered:
    router, manifest = state.router, folder / "manifest.json"
    with reading(context.database) as session:
        approvals = verified_decisions(session, tuple(dict.fromkeys((state.rules, state.due))))
        require_named_event(session, manifest)
    candidate = known_candidate(context, router, state.due.candidate_hash)
    leading = approved_transition(context, state)
    delivered = Delivered(
        state,
        candidate,
        leading,
        folder / f"{candidate.hash}.conf",
        folder / f"{candidate.hash}.from-{(leading.from_hash or 'nothing')[:12]}.transition",
        folder / f"{candidate.hash}.withdrawal",
        manifest,
    )
    removing = withdrawal(candidate.model.platform, candidate.text)
    write_changed_text(delivered.configuration, candidate.text)
    write_changed_text(delivered.transition, leading.text)
    write_changed_text(delivered.withdrawal, removing)
    announced = {} if candidate.model.flowspec is None else _announced_files(context, router, candidate, folder)
    with transaction(context.database) as session:
        event = audit.append_changed(session, about(state.due, "deliver", ""), "router")
    content = _manifest(delivered) | announced | {
        "transition": _named(delivered.transition, leading.text) | {"from_sha256": leading.from_hash},
        "withdrawal": _named(delivered.withdrawal, removing),
        **_who_approved(approvals),
        "audit": {"event": event.number, "hash": event.hash},
    }  # fmt: skip
    write_changed_text(manifest, json.dumps(content, indent=2, ensure_ascii=False) + "\n")
    return delivered


def report_delivered(
    context: Context,
    router: Router,
    candidate_hash: str,
    who: str,
    note: str | None = None,
    *,
    is_confirmed: bool = False,
    identity: str | None = None,
) -> Report:
    """Records that what is in force was loaded on the router, or that the router runs it, as its delivery reports.

    `candidate_hash`: its first 6 digits or more. A hash of anything else is refused, and nothing is recorded.

    Raises:
        StoreError: nobody is named, or the hash has too few digits.
    """
    with transaction(context.database) as session:
        return deliveries.report_delivered(
            session, router.name, candidate_hash, who, note, is_confirmed=is_confirmed, identity=identity
        )


def _is_approved(context: Context, router: Router, day: date) -> bool:
    with reading(context.database) as session:
        entry = changes.nightly_change(session, router.name, day)
    return entry is not None and entry.state == "approved"


def _manifest(delivered: Delivered) -> dict[str, object]:
    approved, router = delivered.change, delivered.state.router
    content: dict[str, object] = {
        "router": router.name,
        "platform": router.platform,
        "day": approved.day.isoformat(),
        "file": delivered.configuration.name,
        "sha256": approved.candidate_hash,
        "size_bytes": len(delivered.candidate.text.encode()),
        "base_sha256": approved.base_hash,
        "model_sha256": approved.model_hash,
    }
    if approved.effective_s is not None:
        base = delivered.state.rules.candidate_hash
        content["scheduled"] = {"from": rfc3339(approved.effective_s * 1000), "base": base}
    return content


def _announced_files(context: Context, router: Router, candidate: Candidate, folder: Path) -> dict[str, object]:
    """The rules that are announced instead of the text, one a line, and the queues that the router needs once."""
    rules = rules_text(announced_rules(router, candidate, bounds_of(context.settings, router)))
    texts = {"rules": (".flowspec", rules), "queues": (".queues", queues_text(candidate.model))}
    named: dict[str, object] = {}
    for what, (ending, text) in texts.items():
        path = folder / f"{candidate.hash}{ending}"
        write_changed_text(path, text)
        named[what] = _named(path, text)
    return {"flowspec": named}


def _named(path: Path, text: str) -> dict[str, object]:
    return {"file": path.name, "sha256": hashlib.sha256(text.encode()).hexdigest()}


def _who_approved(approvals: Sequence[AuditEventEntry]) -> dict[str, object]:
    """By the audit log: a change set's own columns are what anybody with access to the database can write."""
    decision = approvals[-1]
    return {
        "approved_by": decision.who,
        "note": decision.note,
        "approvals": [
            {"identity": each.identity, "who": each.who, "time": rfc3339(each.time_ms), "event": each.number}
            for each in approvals
        ],
    }
