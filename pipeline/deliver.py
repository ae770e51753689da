"""Hand-over: approved configuration is laid where the operator's delivery takes it.

`output/<router>/approved` holds one text a candidate, named by its hash, and `manifest.json`, which names the one to
take. The manifest is replaced as a whole after the text is in place, so whoever reads it first and then the text it
names never sees half of a change. Nothing here reaches a router.
"""

import json
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from base.files import write_changed_text
from etl.locks import locked
from pipeline.context import Context
from pipeline.errors import CommandError
from pipeline.folders import router_folder
from rules.change.candidate import load
from settings.model import Router
from sql import change_sets
from sql.entries import ChangeSetEntry
from sql.session import reading


@dataclass(frozen=True)
class HandOver:
    """One router's configuration as handed over: the approved change set, its text and the manifest that names it."""

    change_set: ChangeSetEntry
    configuration: Path
    manifest: Path


def hand_over(context: Context, router: Router) -> HandOver | None:
    """Lays out what is in force for a router by the database's word alone; None when nothing was ever approved.

    Doing it again changes nothing. An approval that comes meanwhile is handed over by its own call, which waits for
    this one, so the latest approval is what remains.

    Raises:
        CandidateStoreError: the approved text is missing on disk, or is not the one that was approved.
        CommandError: the database's tables contradict each other.
        LockedError: another process hands over for this router.
    """
    folder = router_folder(context, router) / "approved"
    with locked(folder.parent / ".locks" / "approved", f"hand-over of {router.name}"):
        approved = _approved(context, router)
        if approved is None:
            return None
        text = load(folder.parent, approved.candidate_hash).text
        configuration = folder / f"{approved.candidate_hash}.conf"
        write_changed_text(configuration, text)
        manifest = folder / "manifest.json"
        write_changed_text(manifest, _manifest(router, approved, configuration.name, len(text.encode())))
    return HandOver(approved, configuration, manifest)


def hand_over_day(context: Context, router: Router, day: date) -> HandOver | None:
    """As `hand_over`, for a day's review: None, and nothing is written, unless that day's change set is approved.

    Is a later day approved by now, that one is laid out.
    """
    with reading(context.database) as session:
        entry = change_sets.change_set(session, router.name, day)
    if entry is None or entry.state != "approved":
        return None
    return hand_over(context, router)


def _approved(context: Context, router: Router) -> ChangeSetEntry | None:
    with reading(context.database) as session:
        in_force = change_sets.in_force(session, router.name)
        entry = change_sets.change_set(session, router.name, in_force.day) if in_force else None
    if in_force is None:
        return None
    if entry is None or entry.state != "approved" or entry.candidate_hash != in_force.candidate_hash:
        raise CommandError(
            f"router {router.name}: candidate {in_force.candidate_hash} is in force since {in_force.day}, but that "
            "day's change set does not say it was approved; nothing is handed over. Restore the database from a backup"
        )
    return entry


def _manifest(router: Router, approved: ChangeSetEntry, name: str, size_bytes: int) -> str:
    told = {
        "router": router.name,
        "platform": router.platform,
        "day": approved.day.isoformat(),
        "file": name,
        "sha256": approved.candidate_hash,
        "size_bytes": size_bytes,
        "base_sha256": approved.base_hash,
        "model_sha256": approved.model_hash,
        "approved_by": approved.decided_by,
        "note": approved.decision_note,
    }
    return json.dumps(told, indent=2, ensure_ascii=False) + "\n"
