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
from hntes.workflow.candidates import known_candidate
from hntes.workflow.context import Context
from hntes.workflow.delivery.flowspec_delivery import announced_rules, bounds_of
from hntes.workflow.delivery.target_config import DueText, due_text, verified_approvals
from hntes.workflow.folders import router_folder
from hntes.workflow.reports.audit_queries import require_named_event
from hntes.workflow.review.transition_approval import approved_transition_to
from hntes.workflow.stage_log import stage


@dataclass(frozen=True)
class Delivered:
    """One router's delivered configuration: what is approved and due, its text and the manifest that names it.

    `transition` holds the commands that lead there from what was delivered last, `withdrawal` those that remove it.
    """

    change: Change
    due: DueText
    configuration: Path
    transition: Path
    withdrawal: Path
    manifest: Path


def _outcome(delivered: Delivered | None) -> str:
    return "delivered" if delivered else "no_approved_config"


def _day(delivered: Delivered | None) -> date | None:
    return delivered.change.day if delivered else None


@stage(_outcome, day_of=_day)
def deliver(context: Context, router: Router, day: date | None = None, *, at_edge: bool = False) -> Delivered | None:
    """Puts what is in force for a router into its `approved` folder, with what is reserved now as far as that is
    approved; None if nothing is approved.

    With a day, as at the end of that day's review, it does so only if that day's change set is approved. What is put
    there is always the latest approval, which may be a later day's. Doing it again changes nothing. An approval that
    comes meanwhile is delivered by a call of its own, which waits for this one. `at_edge` is as for `due_text`.

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
    manifest = folder / "manifest.json"
    with locked(folder.parent / ".locks" / "approved", f"delivery of {router.name}"):
        due = due_text(context, router, at_edge=at_edge)
        if due is None:
            return None
        approved = due.change
        with reading(context.database) as session:
            approvals = verified_approvals(session, due)
            require_named_event(session, manifest)
        candidate = known_candidate(context, router, approved.candidate_hash)
        leading = approved_transition_to(context, router, due)
        configuration = folder / f"{candidate.hash}.conf"
        leading_path = folder / f"{candidate.hash}.from-{(leading.from_hash or 'nothing')[:12]}.transition"
        removing_path = folder / f"{candidate.hash}.withdrawal"
        removing = withdrawal(candidate.model.platform, candidate.text)
        for path, text in ((configuration, candidate.text), (leading_path, leading.text), (removing_path, removing)):
            write_changed_text(path, text)
        event = about(approved, "deliver", "")
        with transaction(context.database) as session:
            delivery = audit.append_changed(session, event, "router")
        content = _manifest(router, approved, configuration.name, len(candidate.text.encode()))
        if due.change.effective_s is not None:
            content["edge"] = {"from": rfc3339(due.change.effective_s * 1000), "base": due.rules.candidate_hash}
        if candidate.model.flowspec is not None:
            content["flowspec"] = _announced_files(context, router, candidate, folder)
        named = _named(leading_path, leading.text) | {"from_sha256": leading.from_hash}
        content |= {"transition": named, "withdrawal": _named(removing_path, removing)}
        content |= _who_approved(approvals) | {"audit": {"event": delivery.number, "hash": delivery.hash}}
        write_changed_text(manifest, json.dumps(content, indent=2, ensure_ascii=False) + "\n")
    return Delivered(approved, due, configuration, leading_path, removing_path, manifest)


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


def _manifest(router: Router, approved: Change, name: str, size_bytes: int) -> dict[str, object]:
    return {
        "router": router.name,
        "platform": router.platform,
        "day": approved.day.isoformat(),
        "file": name,
        "sha256": approved.candidate_hash,
        "size_bytes": size_bytes,
        "base_sha256": approved.base_hash,
        "model_sha256": approved.model_hash,
    }


def _announced_files(context: Context, router: Router, candidate: Candidate, folder: Path) -> dict[str, object]:
    """The rules that are announced instead of the text, one a line, and the queues that the router needs once."""
    rules = rules_text(announced_rules(router, candidate, bounds_of(context.settings, router)))
    texts = {"rules": (".flowspec", rules), "queues": (".queues", queues_text(candidate.model))}
    named: dict[str, object] = {}
    for what, (ending, text) in texts.items():
        path = folder / f"{candidate.hash}{ending}"
        write_changed_text(path, text)
        named[what] = _named(path, text)
    return named


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
