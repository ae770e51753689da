"""What a person is shown before a decision on a change set: the same for every way of deciding."""

from gate.loosened import loosened
from gate.report import WORDS, value_words
from pipeline.candidates import known_candidate
from pipeline.context import Context
from pipeline.folders import router_folder
from pipeline.judgement import edited_copy, objections_now
from rules.change.diff import diff_text
from settings.model import Router
from sql.entries import ChangeSetEntry
from sql.session import reading
from sql.verdicts import verdicts


def change_text(context: Context, router: Router, entry: ChangeSetEntry) -> tuple[str, str]:
    """The pairs added and removed with their reasons, and the difference of the configurations.

    Raises:
        CandidateStoreError: a candidate is missing on disk.
    """
    folder = router_folder(context, router)
    candidate = known_candidate(context, router, entry.candidate_hash)
    base = known_candidate(context, router, entry.base_hash) if entry.base_hash else None
    path = folder / entry.day.isoformat() / "summary.txt"
    summary = f"{entry.router}, flows of {entry.day}: {entry.summary}"
    # A decided day may have been proposed again since then: its file is about another candidate.
    if entry.state in ("pending", "empty") and path.exists():
        summary = path.read_text(encoding="utf-8").rstrip()
    remark = edited_copy(context, router, entry) if entry.state in ("pending", "empty") else None
    if remark is not None:
        summary += f"\n  remark: {remark}"
    return summary, diff_text(base.text if base else "", candidate.text).rstrip()


def gate_text(context: Context, entry: ChangeSetEntry) -> tuple[bool, str]:
    """Whether the gate has passed the candidate, and its verdicts, one line per measure.

    The text is empty where nothing changes and nothing was judged.
    """
    with reading(context.database) as session:
        found = verdicts(session, entry.router, entry.candidate_hash)
    reasons = objections_now(context, entry)
    if entry.state == "empty" and not found:
        return True, ""
    lines = [f"gate: {'not passed' if reasons else 'passed'}"]
    for each in found:
        limit = f" (limit {value_words(each.limit_value, each.unit)})" if each.limit_value is not None else ""
        lines.append(f"  {each.criterion} {WORDS[each.outcome]}{limit}: {each.sentence}")
    shown = {each.criterion for each in found}
    lines += [f"  {reason}" for reason in reasons if reason.split(" ")[0] not in shown]
    named = loosened(context.settings.gate)
    if named:
        lines.append(f"  limits loosened: {', '.join(named)}")
    return not reasons, "\n".join(lines)
