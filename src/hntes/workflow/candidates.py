"""Candidates by hash, read from their files; approved ones can be restored from the database."""

from hntes.rules.changeset.candidate import Candidate, CandidateStoreError, read_candidate, write_candidate
from hntes.rules.qos.json_form import from_json
from hntes.settings.model import Router
from hntes.sql import approved_texts, audit
from hntes.sql.approved_texts import ApprovedTextEntry
from hntes.sql.audit import NewEvent
from hntes.sql.session import reading, transaction
from hntes.workflow.context import Context
from hntes.workflow.folders import router_folder
from hntes.workflow.stage_log import warn


def known_candidate(context: Context, router: Router, candidate_hash: str) -> Candidate:
    """The candidate with that hash. Lost files of an approved candidate are restored, with a warning.

    Raises:
        CandidateStoreError: its files are missing or altered, and the database has no approved copy.
    """
    folder = router_folder(context, router)
    with reading(context.database) as session:
        approved_json = approved_texts.approved_model_json(session, candidate_hash)
    try:
        found = read_candidate(folder, candidate_hash)
    except CandidateStoreError as cause:
        if approved_json is None:
            raise
        problem = str(cause)
    else:
        if approved_json is None or found.model_json == approved_json:
            return found
        problem = f"{folder / 'candidates' / candidate_hash}.json: the model was changed since it was approved"
    with reading(context.database) as session:
        stored = approved_texts.approved_text(session, candidate_hash)
    if stored is None:
        raise CandidateStoreError(f"{problem}; and the database no longer has it: restore a backup")
    return _restored(context, router, candidate_hash, stored, problem)


def text_entry(candidate: Candidate) -> ApprovedTextEntry:
    """The database row of an approved candidate."""
    return ApprovedTextEntry(candidate.hash, candidate.text, candidate.model_json)


def _restored(
    context: Context, router: Router, candidate_hash: str, stored: ApprovedTextEntry, problem: str
) -> Candidate:
    candidate = Candidate(from_json(stored.model_json), stored.text)
    if candidate.hash != candidate_hash:
        raise CandidateStoreError(
            f"{problem}; and the database's own copy was changed (its hash is {candidate.hash}): restore a backup"
        )
    write_candidate(router_folder(context, router), candidate)
    with transaction(context.database) as session:
        audit.append(session, NewEvent("restore", router.name, candidate_hash=candidate_hash))
    warn(f"{router.name}: the approved candidate was restored from the database: {problem}")
    return candidate
