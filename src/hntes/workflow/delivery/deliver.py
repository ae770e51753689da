"""The stage deliver: hands approved configuration over to the operator's own delivery, as files.

`output/<router>/approved` holds one text per candidate, named by its hash, the commands that lead to it from the last
delivery (`.transition`), those that remove it (`.removal`), and `manifest.json`, which names the files to take. The
manifest is replaced atomically after the files are in place, so that a reader of the manifest and then of its files
never sees a partial change. It names the audit event of the delivery, which shows later whether the end of the log was
cut off. Nothing here contacts a router.
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
from hntes.platforms.transition import removal
from hntes.rules.changeset.candidate import Candidate
from hntes.settings.model import Router
from hntes.sql import audit, changes, deliveries
from hntes.sql.change import Change
from hntes.sql.deliveries import Report
from hntes.sql.entries import AuditEventEntry
from hntes.sql.proposals import about
from hntes.sql.session import reading, transaction
from hntes.workflow.audit_anchor import anchor_head
from hntes.workflow.audit_checks import require_named_event, verified_decisions
from hntes.workflow.candidates import known_candidate
from hntes.workflow.context import Context
from hntes.workflow.delivery.authority import require_authority
from hntes.workflow.delivery.flowspec_delivery import announced_rules, bounds_of
from hntes.workflow.delivery.git_record import record_delivery
from hntes.workflow.folders import router_folder
from hntes.workflow.review.transition_approval import approved_transition
from hntes.workflow.router_state import RouterState, router_state
from hntes.workflow.stage_log import stage
from hntes.workflow.transitions import Transition


@dataclass(frozen=True)
class HandOver:
    """The result of a hand-over: the router's state at that time, the candidate, and the files.

    `transition` is the file of the commands from the last delivery (`leading`), `removal` of those that remove it all.
    """

    state: RouterState
    candidate: Candidate
    leading: Transition
    configuration: Path
    transition: Path
    removal: Path
    manifest: Path

    @property
    def change(self) -> Change:
        """The change whose text was handed over."""
        return self.state.due


def _outcome(delivered: HandOver | None) -> str:
    return "delivered" if delivered else "no_approved_config"


def _day(delivered: HandOver | None) -> date | None:
    return delivered.change.day if delivered else None


@stage(_outcome, day_of=_day)
def deliver(
    context: Context, router: Router, day: date | None = None, *, only_reservations: bool = False
) -> HandOver | None:
    """Writes the configuration in force, with the approved present reservations, into the router's `approved` folder.

    Returns None if nothing is approved. With a day, as at the end of that day's review, it writes only if that day's
    change is approved. It always writes the latest approval, which may be of a later day. A repeated call changes
    nothing. An approval made during a call is delivered by its own call, which waits for this one. `only_reservations`
    is as for `router_state`.

    Raises:
        AuthorityError: what was approved is no longer allowed: excluded or protected since, or by other settings.
        BrokenLogError: the audit log was altered, has no approval of the configuration in force, or lacks the last
            delivery.
        CandidateStoreError: the approved text is lost, on disk and in the database.
        CommandError: the tables of the database contradict each other, or the transition is not the approved one.
        GitError: the files are written, but the git repository of the settings does not take them.
        LockedError: another process delivers to this router.
        TransitionError: the text last delivered was not written by this version's renderer.
    """
    if day is not None and not _is_approved(context, router, day):
        return None
    folder = router_folder(context, router) / "approved"
    with locked(folder.parent / ".locks" / "approved", f"delivery of {router.name}"):
        state = router_state(context, router, only_reservations=only_reservations)
        return None if state is None else _handed_over(context, state, folder)


def _handed_over(context: Context, state: RouterState, folder: Path) -> HandOver:
    router, manifest = state.router, folder / "manifest.json"
    anchored = context.settings.paths.audit_anchors
    with reading(context.database) as session:
        require_named_event(session, manifest)
        approvals = verified_decisions(session, tuple(dict.fromkeys((state.rules, state.due))), anchored)
    candidate = known_candidate(context, router, state.due.candidate_hash)
    require_authority(context, state, candidate, approvals)
    leading = approved_transition(context, state)
    delivered = HandOver(
        state,
        candidate,
        leading,
        folder / f"{candidate.hash}.conf",
        folder / f"{candidate.hash}.from-{(leading.from_hash or 'nothing')[:12]}.transition",
        folder / f"{candidate.hash}.removal",
        manifest,
    )
    removing = removal(candidate.model.platform, candidate.text)
    write_changed_text(delivered.configuration, candidate.text)
    write_changed_text(delivered.transition, leading.text)
    write_changed_text(delivered.removal, removing)
    announced = {} if candidate.model.flowspec is None else _announced_files(context, router, candidate, folder)
    with transaction(context.database) as session:
        event = audit.append_changed(session, about(state.due, "deliver", ""), "router")
    content = _manifest(delivered) | announced | {
        "transition": _named(delivered.transition, leading.text) | {"from_sha256": leading.from_hash},
        "removal": _named(delivered.removal, removing),
        **_who_approved(approvals),
        "audit": {"event": event.number, "hash": event.hash},
    }  # fmt: skip
    write_changed_text(manifest, json.dumps(content, indent=2, ensure_ascii=False) + "\n")
    anchor_head(context)
    record_delivery(context, router, state.due, content)
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
    """Records a report that the configuration in force was loaded on the router, or that the router runs it.

    `candidate_hash`: at least its first 6 digits. Any other hash is refused, and nothing is recorded.

    Raises:
        StoreError: no reporter is named, or the hash has too few digits.
    """
    with transaction(context.database) as session:
        return deliveries.report_delivered(
            session, router.name, candidate_hash, who, note, is_confirmed=is_confirmed, identity=identity
        )


def _is_approved(context: Context, router: Router, day: date) -> bool:
    with reading(context.database) as session:
        entry = changes.nightly_change(session, router.name, day)
    return entry is not None and entry.state == "approved"


def _manifest(delivered: HandOver) -> dict[str, object]:
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
    """The files of the FlowSpec rules, one per line, and of the queues that the router needs once."""
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
    """The approvers per the audit log: the change's own columns can be edited by anyone with database access."""
    decision = approvals[-1]
    return {
        "approved_by": decision.who,
        "note": decision.note,
        "approvals": [
            {"identity": each.identity, "who": each.who, "time": rfc3339(each.time_ms), "event": each.number}
            for each in approvals
        ],
    }
