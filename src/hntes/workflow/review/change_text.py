"""What a person is shown before a decision on a change set: the same for every way of deciding."""

from functools import lru_cache

from hntes.format import at
from hntes.gate.loosened import loosened
from hntes.gate.report import WORDS
from hntes.gate.verdict import value_words
from hntes.rules.changeset.candidate import PARSED, Candidate
from hntes.rules.changeset.diff import diff_text
from hntes.rules.pairs import PrefixPair
from hntes.sanitize import shown
from hntes.settings.model import Router
from hntes.sql.entries import ChangeSetEntry, GateVerdictEntry
from hntes.sql.session import reading
from hntes.sql.verdicts import verdicts
from hntes.workflow.candidates import known_candidate
from hntes.workflow.context import Context
from hntes.workflow.folders import router_folder
from hntes.workflow.review.changes import earlier_rejection
from hntes.workflow.stages.judgement import edited_copy, objections_now

_SUMMARY, _NOTE = "summary.txt", "  note: "


def change_text(context: Context, router: Router, entry: ChangeSetEntry) -> tuple[str, str]:
    """The pairs added and removed with their reasons, and the difference of the configurations.

    Raises:
        CandidateStoreError: a candidate is missing on disk.
    """
    candidate = known_candidate(context, router, entry.candidate_hash)
    base = known_candidate(context, router, entry.base_hash) if entry.base_hash else None
    waits = entry.state in ("pending", "empty")
    summary = _summary(context, router, entry)
    # The file may be about another candidate: a decided day was proposed again since then, or a night ended, by a full
    # disk, between storing a change set and writing what tells of it.
    is_of_another = bool(summary) and not _tells_of(summary, entry, base, candidate)
    if not summary or is_of_another:
        first = f"{entry.router}, flows of {entry.day}: {entry.summary}"
        summary = "\n".join([first, *(f"  {sign} {pair}" for sign, pair in _changed(base, candidate))])
    remarks = [edited_copy(context, router, entry), _rejection(context, entry)] if waits else []
    if waits and is_of_another:
        remarks.append(
            f"reasons and notes are not there: {_SUMMARY} of the day is about another candidate; run `hntes nightly "
            f"--router {entry.router} --day {entry.day}` again"
        )
    summary += "".join(f"\n  remark: {remark}" for remark in remarks if remark)
    return summary, _difference(base, candidate)


def count_notes(context: Context, router: Router, entry: ChangeSetEntry) -> int:
    """How many notes the summary of a change that waits has: what to know beside its pairs."""
    summary = _summary(context, router, entry)
    return sum(line.startswith(_NOTE) for line in summary.splitlines()) if _has_its_words(summary, entry) else 0


def _summary(context: Context, router: Router, entry: ChangeSetEntry) -> str:
    """What the day's folder tells of a change; "" where it tells nothing."""
    path = router_folder(context, router) / entry.day.isoformat() / _SUMMARY
    try:
        return path.read_text(encoding="utf-8").rstrip()
    except FileNotFoundError:
        return ""


@lru_cache(maxsize=PARSED)
def _difference(base: Candidate | None, candidate: Candidate) -> str:
    return diff_text(base.text if base else "", candidate.text).rstrip()


def _changed(base: Candidate | None, candidate: Candidate) -> list[tuple[str, PrefixPair]]:
    """The pairs that come (+) and go (-)."""
    before = base.pairs if base else frozenset()
    changed = [("+", candidate.pairs - before), ("-", before - candidate.pairs)]
    return [(sign, pair) for sign, pairs in changed for pair in sorted(pairs, key=lambda one: one.sort_key)]


def _tells_of(summary: str, entry: ChangeSetEntry, base: Candidate | None, candidate: Candidate) -> bool:
    """Whether a day's summary is about this change: the same in a sentence, and the very pairs that come and go."""
    signs = {"added": "+", "removed": "-"}
    words = [
        line.split(maxsplit=1) for line in summary.splitlines() if line.startswith(tuple(f"  {s} " for s in signs))
    ]
    told = sorted((signs[word], rest.partition(": ")[0]) for word, rest in words)
    changed = sorted((sign, str(pair)) for sign, pair in _changed(base, candidate))
    return told == changed and _has_its_words(summary, entry)


def _has_its_words(summary: str, entry: ChangeSetEntry) -> bool:
    return all(part in summary for part in entry.summary.split("; "))


def _rejection(context: Context, entry: ChangeSetEntry) -> str | None:
    """That the router's last change was rejected, by whom and why."""
    rejected = earlier_rejection(context, entry)
    if rejected is None:
        return None
    change, event = rejected.change_set, rejected.decision
    when = f" {at(event.time_ms)}" if event else ""
    why = f": {shown(change.decision_note)}" if change.decision_note else ", without a note"
    return f"the change of {change.day} was rejected by {shown(change.decided_by or 'nobody')}{when}{why}"


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
        lines.append(f"  {each.criterion} {WORDS[each.outcome]}{_measured(each)}: {each.sentence}")
    shown = {each.criterion for each in found}
    lines += [f"  {reason}" for reason in reasons if reason.split(" ")[0] not in shown]
    named = loosened(context.settings.gate)
    if named:
        lines.append(f"  limits loosened: {', '.join(named)}")
    return not reasons, "\n".join(lines)


def _measured(verdict: GateVerdictEntry) -> str:
    """What was held against the limit, by its name: the sentence may say another value, such as the whole delay."""
    found, limit = (value_words(value, verdict.unit) for value in (verdict.found_value, verdict.limit_value))
    if not limit:
        return ""
    return f" ({' '.join(filter(None, (verdict.measure.replace('_', ' '), found)))}, limit {limit})"
