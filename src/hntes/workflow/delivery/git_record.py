"""Approved texts and their evidence as commits of a git repository (docs/decisions/0071-configuration-in-git.md).

A router's folder there holds `router.conf`, the text; `manifest.json`, who approved it, and all hashes; `change.json`
and `change.txt`, why it is so and what the gate said. None of them holds a secret: texts have none, and settings stay
outside.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path

from hntes import clock
from hntes.delivery.git_repository import Author, GitError, GitRepository
from hntes.format import counted
from hntes.sanitize import shown
from hntes.settings.git import GitRecord
from hntes.settings.model import Router
from hntes.sql.change import Change
from hntes.workflow.candidates import known_candidate
from hntes.workflow.context import Context
from hntes.workflow.review.view import ReviewView, review_view
from hntes.workflow.review.words import gate_text, summary_text
from hntes.workflow.stage_log import warn

TEXT, MANIFEST = "router.conf", "manifest.json"


def repository_of(wanted: GitRecord) -> GitRepository:
    """The repository of the settings.

    Raises:
        GitError: it is none, or its working tree shows the branch.
    """
    found = GitRepository(wanted.repository, wanted.timeout_s)
    found.check(wanted.branch)
    return found


def record_delivery(context: Context, router: Router, change: Change, manifest: Mapping[str, object]) -> str | None:
    """Commits what was handed over; returns the commit, None if the branch has it, or the settings want none.

    The commit is pushed if the settings say so. A remote that refuses it, or is not reached, is a warning: the next
    delivery pushes both.

    Raises:
        GitError: the repository cannot be used.
    """
    wanted = context.settings.git
    if wanted is None or wanted.approve_by_merge:
        return None
    repository = repository_of(wanted)
    text = known_candidate(context, router, change.candidate_hash).text.encode()
    files = {TEXT: text, MANIFEST: _json(manifest)}
    tip = repository.tip(wanted.branch)
    is_there = tip is not None and all(repository.read(tip, f"{router.name}/{name}") == files[name] for name in files)
    made = None
    if not is_there:
        # the evidence goes with them: it may be worded anew later, which is no new delivery
        whole = _in_folder(router, files | evidence(review_view(context, router, change)))
        message = f"{router.name}: {subject(change)}\n\napproved by {shown(str(manifest['approved_by']))}\n"
        author = Author("HNTES", wanted.email, clock.now_ms() // 1000)
        made = repository.commit(wanted.branch, whole, message, author)
    if wanted.push:
        try:
            repository.push(wanted.remote, [wanted.branch])
        except GitError as problem:
            warn(f"{router.name}: the commit of the delivery is not pushed; the next delivery tries again: {problem}")
    return made


def evidence(view: ReviewView) -> dict[str, bytes]:
    """Why a change is as it is and what the gate said, as files: for machines and for people."""
    change = view.change
    document = {
        "router": change.router,
        "day": change.day.isoformat(),
        "change": change.change_id,
        "candidate_sha256": change.candidate_hash,
        "base_sha256": change.base_hash,
        "data_complete": change.data_complete,
        "pairs": [asdict(each) for each in view.facts.pairs],
        "notes": list(view.facts.notes),
        "other_changes": list(view.other_changes),
        "verdicts": [asdict(each) for each in view.verdicts],
    }
    text = "\n".join(filter(None, (summary_text(view), gate_text(view))))
    return {"change.json": _json(document), "change.txt": f"{text}\n".encode()}


def text_hash(repository: GitRepository, commit: str | None, router: Router) -> str | None:
    """The SHA-256 of a router's text in a commit, None if there is none."""
    found = repository.read(commit, f"{router.name}/{TEXT}") if commit is not None else None
    return hashlib.sha256(found).hexdigest() if found is not None else None


def _in_folder(router: Router, files: Mapping[str, bytes]) -> dict[str, bytes]:
    return {str(Path(router.name) / name): content for name, content in files.items()}


def subject(change: Change) -> str:
    """A change in one line, as commits name it."""
    return f"{counted(change.pairs_added, 'pair')} added, {change.pairs_removed} removed, flows of {change.day}"


def _json(document: Mapping[str, object]) -> bytes:
    return (json.dumps(document, indent=2, ensure_ascii=False, default=str) + "\n").encode()
