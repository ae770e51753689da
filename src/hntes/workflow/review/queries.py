"""Read-only queries on the stored state."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path

from hntes.etl.days import day_bounds_ms, day_of_ms
from hntes.etl.errors import MissingFolderError
from hntes.rules.lifetime.announced_use import AnnouncedUse
from hntes.rules.lifetime.pair_search import PairSearch
from hntes.rules.lifetime.rule import pinned_pair
from hntes.rules.lifetime.why import Explanation, explain, explanation_text, flow_lines, headline
from hntes.rules.pairs import PrefixPair
from hntes.settings.model import Router
from hntes.sql import changes, counter_hours, day_status, ledger, observations, overrides
from hntes.sql.counter_hours import CounterDay
from hntes.sql.entries import DayEntry, DayLoss, FileEntry, FileState, ObservationEntry, OutcomeCount
from hntes.sql.session import Session, reading
from hntes.workflow.answering_folders import answering_folders
from hntes.workflow.candidates import known_candidate
from hntes.workflow.context import Context
from hntes.workflow.errors import expected, message
from hntes.workflow.stage_log import warn
from hntes.workflow.stages.announced_pairs import announced_uses
from hntes.workflow.stages.rules_as_of import rules_as_of

__all__ = [
    "DayEntry",
    "ExplainedPairs",
    "FlowFiles",
    "LedgerFile",
    "alpha_flows",
    "covered_days",
    "explain_pairs",
    "flow_files",
    "newest_days",
    "without_files",
    "without_records",
]


@dataclass(frozen=True)
class ExplainedPairs:
    """The explanations of the selected pairs; for a single one with its evidence."""

    explanations: tuple[Explanation, ...]

    @property
    def only(self) -> Explanation | None:
        """The single selected pair; None if there are several or none."""
        return self.explanations[0] if len(self.explanations) == 1 else None

    @property
    def text(self) -> str:
        """The full explanation of the single pair, as text."""
        return "" if self.only is None else explanation_text(self.only).rstrip()

    @property
    def reasons(self) -> str:
        """The same without its alpha flows."""
        return "" if self.only is None else explanation_text(self.only, with_flows=False).rstrip()

    @property
    def flow_lines(self) -> list[str]:
        """The single pair's alpha flows, a line each."""
        return [] if self.only is None else flow_lines(self.only)

    @property
    def rows(self) -> list[tuple[PrefixPair, date | None, str]]:
        """Rows of pair, last day seen, and whether it has a rule."""
        return [(one.pair, one.known.last_seen if one.known else None, headline(one)) for one in self.explanations]


@dataclass(frozen=True)
class LedgerFile:
    """A flow file of the ledger, and the outcome of its records."""

    entry: FileEntry
    counts: tuple[OutcomeCount, ...]


@dataclass(frozen=True)
class FlowFiles:
    """Files of flow folders, by folder and start; `older` is how many are from before the days that were asked for."""

    files: tuple[LedgerFile, ...]
    older: int


def alpha_flows(context: Context, routers: Sequence[Router], day: date) -> tuple[ObservationEntry, ...]:
    """The alpha flows found on a day, by router."""
    context.require_come(day)
    with reading(context.database) as session:
        return tuple(seen for each in routers for seen in observations.history(session, each.name, day, day))


def covered_days(context: Context, routers: Sequence[Router], until_day: date) -> tuple[DayEntry, ...]:
    """The coverage of each day through `until_day` by flow files, by router."""
    context.require_come(until_day)
    with reading(context.database) as session:
        return tuple(entry for each in routers for entry in day_status.day_statuses(session, each.name, until_day))


def lost_records(context: Context, routers: Sequence[Router], until_day: date) -> tuple[DayLoss, ...]:
    """What was lost of each day's records through `until_day`, by router, day, exporter and cause."""
    with reading(context.database) as session:
        return tuple(loss for each in routers for loss in day_status.day_losses(session, each.name, until_day))


def counted_octets(context: Context, routers: Sequence[Router], until_day: date) -> tuple[CounterDay, ...]:
    """Octets by interface counters and by flows of each day through `until_day`, by router, day and interface."""
    with reading(context.database) as session:
        return tuple(one for each in routers for one in counter_hours.counter_days(session, each.name, until_day))


def newest_days(context: Context, routers: Sequence[Router]) -> tuple[tuple[str, DayEntry | None], ...]:
    """Each router with the newest processed day, None before its first night."""
    with reading(context.database) as session:
        found = day_status.newest_days(session)
    return tuple((router.name, found.get(router.name)) for router in routers)


def with_files(context: Context, routers: Sequence[Router], day: date) -> list[str]:
    """Those of these routers whose flow folder has a file of the UTC day that was read."""
    bounds_ms = day_bounds_ms(day)
    with reading(context.database) as session:
        return [
            router.name
            for router in routers
            if ledger.files_of_folder(session, str(router.flow_folder), *bounds_ms, "ingested")
        ]


def without_files(context: Context, routers: Sequence[Router], day: date) -> tuple[str, ...]:
    """Those of these routers whose day was processed without a single flow file."""
    with reading(context.database) as session:
        found = {router.name: day_status.day_status(session, router.name, day) for router in routers}
    return tuple(name for name, entry in found.items() if entry is not None and not entry.files)


def without_records(context: Context, routers: Sequence[Router], day: date) -> tuple[str, ...]:
    """Those of these routers that have flow files of the day, but no record that was used."""
    with reading(context.database) as session:
        found = {router.name: day_status.day_status(session, router.name, day) for router in routers}
    return tuple(name for name, entry in found.items() if entry is not None and entry.files and not entry.records)


def flow_files(
    context: Context,
    routers: Sequence[Router],
    day: date | None = None,
    *,
    only_set_aside: bool = False,
    newest_days: int | None = None,
) -> FlowFiles:
    """The files of these routers' flow folders: all, those of a UTC day, or those from the newest days of each folder.

    Where no day is given they include present files with the name of a flow file that cannot be recorded in the ledger.
    """
    found: list[tuple[Path, int | None, list[LedgerFile]]] = []
    older = 0
    state: FileState | None = "quarantined" if only_set_aside else None
    folders = context.folders(list(routers))
    listed = answering_folders(folders, "what the ledger has no entry of is not listed") if day is None else []
    with reading(context.database) as session:
        for folder in folders:
            from_ms, to_ms = (None, None) if day is None else day_bounds_ms(day)
            newest_from_ms = _newest_from_ms(context, session, folder, newest_days or 1)
            if newest_days is not None and newest_from_ms is not None:
                from_ms = newest_from_ms
                older += ledger.files_before(session, str(folder), from_ms, state)
            chosen = ledger.files_of_folder(session, str(folder), from_ms, to_ms, state)
            counts = ledger.counts_of_files(session, str(folder), [entry.path for entry in chosen])
            found.append((folder, newest_from_ms, [LedgerFile(entry, counts.get(entry.path, ())) for entry in chosen]))
    # after the snapshot of the database, which a slow file server would keep open; they have no start time
    unrecorded = {folder: _unrecorded(context, folder, from_ms) for folder, from_ms, _ in found if folder in listed}
    return FlowFiles(tuple(file for folder, _, of in found for file in (*of, *unrecorded.get(folder, ()))), older)


def _newest_from_ms(context: Context, session: Session, folder: Path, days: int) -> int | None:
    """When the newest so many days of a folder begin, up to the last that may be run; None if it has none of these."""
    newest_ms = ledger.newest_start_ms(session, str(folder), day_bounds_ms(context.last_day)[1])
    if newest_ms is None:
        return None
    newest_day = day_of_ms(newest_ms)
    return day_bounds_ms(newest_day - timedelta(days=days - 1))[0]


def _unrecorded(context: Context, folder: Path, from_ms: int | None) -> list[LedgerFile]:
    """Those in a folder: names without a usable time are found with the files from whatever time on."""
    try:
        _, scan = context.files_of(folder, from_ms)
    except MissingFolderError:
        return []
    except expected() as problem:
        warn(f"{message(problem)}; what the ledger has no entry of is not listed")
        return []
    refused = [one for one in scan.refused if one.file is None]
    return [LedgerFile(_refused_entry(folder, one.path, one.reason), ()) for one in refused]


def _refused_entry(folder: Path, path: str, reason: str) -> FileEntry:
    return FileEntry(
        folder=str(folder), path=path, sha256="", size_bytes=0, file_start_ms=0, ingest_hash="", state="quarantined",
        reason=reason, file_layout=None, nfdump_version="", promised_records=None, read_records=0,
    )  # fmt: skip


def explain_pairs(context: Context, router: Router, text: str, day: date, evidence_days: int) -> ExplainedPairs:
    """The pairs selected by `text`, whether each has a rule as of a day, why, and the flows that are the evidence.

    `text` is a host, a prefix, or `SOURCE>DESTINATION` of either. The evidence is looked up for a single pair only.

    Raises:
        PairError: `text` is neither.
        CandidateStoreError: the candidate in force is missing on disk.
    """
    search = PairSearch.parse(text)
    with reading(context.database) as session:
        now = changes.in_force(session, router.name)
        in_force = known_candidate(context, router, now.candidate_hash).pairs if now else frozenset()
        pins = overrides.pins(session, router.name)
    others = in_force | {pinned_pair(pin) for pin in pins}
    as_of = rules_as_of(context, router, day, about=search, others=others)
    known = {rule.pair for rule in as_of.rule_set.rules} | {gone.pair for gone in as_of.rule_set.left}
    found = search.among(known | others)
    seen: tuple[ObservationEntry, ...] = ()
    announced: dict[PrefixPair, tuple[AnnouncedUse, ...]] = {}
    if len(found) == 1:
        with reading(context.database) as session:
            seen = _flows_of(session, router, found[0], day, evidence_days)
        announced = announced_uses(context, router, found, day, evidence_days)
    return ExplainedPairs(
        tuple(
            explain(
                pair,
                as_of.rule_set,
                as_of.selection,
                in_force_pairs=in_force,
                pins=pins,
                observations=seen,
                evidence_days=evidence_days,
                announced=announced.get(pair, ()),
            )
            for pair in found
        )
    )


def _flows_of(session: Session, router: Router, pair: PrefixPair, day: date, days: int) -> tuple[ObservationEntry, ...]:
    first = day - timedelta(days=days - 1)
    return observations.between(session, router.name, pair.source, pair.destination, (first, day))
