"""What operators ask of the stored state; nothing here changes it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from etl.nfcapd.folder import scan_folder
from pipeline.candidates import known_candidate
from pipeline.context import Context
from pipeline.rules_as_of import rules_as_of
from rules.life.why import Explanation, explain, explanation_text
from rules.pairs import PrefixPair
from settings.model import Router
from sql import change_sets, day_status, ledger, observations, overrides
from sql.entries import DayEntry, FileEntry, ObservationEntry, OutcomeCount
from sql.session import reading


@dataclass(frozen=True)
class ExplainedPair:
    """All that is known of one prefix pair, and the same as text."""

    explanation: Explanation
    text: str


@dataclass(frozen=True)
class LedgerFile:
    """A flow file as the ledger has it, and what became of its records."""

    entry: FileEntry
    counts: tuple[OutcomeCount, ...]


def alpha_flows(context: Context, routers: Sequence[Router], day: date) -> tuple[ObservationEntry, ...]:
    """The alpha flows found on a day, by router."""
    context.require_come(day)
    with reading(context.database) as session:
        return tuple(seen for each in routers for seen in observations.history(session, each.name, day, day))


def covered_days(context: Context, routers: Sequence[Router], until_day: date) -> tuple[DayEntry, ...]:
    """How well flow files cover each day through `until_day`, by router."""
    context.require_come(until_day)
    with reading(context.database) as session:
        return tuple(entry for each in routers for entry in day_status.day_statuses(session, each.name, until_day))


def flow_files(context: Context, routers: Sequence[Router], *, only_set_aside: bool) -> tuple[LedgerFile, ...]:
    """The files of these routers' flow folders; all, or only those that were set aside.

    What has the name of a flow file and cannot be recorded, as it lies in the folder now, is among the latter.
    """
    found = []
    with reading(context.database) as session:
        for folder in context.folders(list(routers)):
            for entry in ledger.files_of_folder(session, str(folder)):
                if not only_set_aside or entry.state == "quarantined":
                    stored = ledger.get_stored_file(session, entry.folder, entry.path)
                    found.append(LedgerFile(entry, stored.counts if stored else ()))
            found += _unrecorded(context, folder)
    return tuple(found)


def _unrecorded(context: Context, folder: Path) -> list[LedgerFile]:
    if not folder.is_dir():
        return []
    refused = [one for one in scan_folder(folder, context.settings.ingest.file_timezone).refused if one.file is None]
    return [LedgerFile(_refused_entry(folder, one.path, one.reason), ()) for one in refused]


def _refused_entry(folder: Path, path: str, reason: str) -> FileEntry:
    return FileEntry(
        folder=str(folder), path=path, sha256="", size_bytes=0, file_start_ms=0, ingest_hash="", state="quarantined",
        reason=reason, file_layout=None, nfdump_version="", promised_records=None, read_records=0,
    )  # fmt: skip


def explain_pair(context: Context, router: Router, pair: str, day: date, evidence_days: int) -> ExplainedPair:
    """Whether a pair, written `SOURCE>DESTINATION`, has a rule as of a day, why, and which flows are the evidence.

    Raises:
        PairError: this is not a pair of prefixes.
        CandidateStoreError: the candidate in force is missing on disk.
    """
    wanted = PrefixPair.parse(pair)
    as_of = rules_as_of(context, router, day)
    with reading(context.database) as session:
        now = change_sets.in_force(session, router.name)
        explanation = explain(
            wanted,
            as_of.rule_set,
            as_of.selection,
            in_force_pairs=known_candidate(context, router, now.candidate_hash).pairs if now else frozenset(),
            pins=overrides.pins(session, router.name),
            observations=observations.history(session, router.name, day),
            evidence_days=evidence_days,
        )
    return ExplainedPair(explanation, explanation_text(explanation).rstrip())
