"""Parts of a change set that are shown apart from its text: the gate's figures, and the pairs of either side."""

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from hntes.gate.report_figures import ReportFigure, figures_of
from hntes.rules.changeset.candidate import PARSED, Candidate
from hntes.rules.pairs import PrefixPair
from hntes.settings.model import Router
from hntes.sql.entries import ChangeSetEntry
from hntes.workflow.candidates import known_candidate
from hntes.workflow.context import Context
from hntes.workflow.folders import router_folder

__all__ = ["ChangedPairs", "ReportFigure", "changed_pairs", "figures_in", "gate_figures"]


@dataclass(frozen=True)
class ChangedPairs:
    """The pairs that only the candidate has, that only its base has, and that both have; each in order."""

    added: tuple[PrefixPair, ...]
    removed: tuple[PrefixPair, ...]
    kept: tuple[PrefixPair, ...]

    @property
    def text(self) -> str:
        """A line for each pair: + if it comes, - if it goes, = if it stays."""
        signed = (("+", self.added), ("-", self.removed), ("=", self.kept))
        return "".join(f"{sign} {pair}\n" for sign, pairs in signed for pair in pairs)


def changed_pairs(context: Context, router: Router, entry: ChangeSetEntry) -> ChangedPairs:
    """The pairs of the candidate beside those of its base.

    Raises:
        CandidateStoreError: a candidate is missing on disk.
    """
    candidate = known_candidate(context, router, entry.candidate_hash)
    return _changed(known_candidate(context, router, entry.base_hash) if entry.base_hash else None, candidate)


@lru_cache(maxsize=PARSED)
def _changed(base: Candidate | None, candidate: Candidate) -> ChangedPairs:
    before, after = base.pairs if base else frozenset(), candidate.pairs
    return ChangedPairs(_ordered(after - before), _ordered(before - after), _ordered(after & before))


def gate_figures(context: Context, router: Router, entry: ChangeSetEntry) -> tuple[ReportFigure, ...]:
    """The figures of the gate's report on the candidate; none where there is no report, or one on another candidate."""
    return figures_in(router_folder(context, router) / entry.day.isoformat(), entry.candidate_hash)


def figures_in(folder: Path, candidate_hash: str) -> tuple[ReportFigure, ...]:
    """The figures of the report in a folder; none where there is none, or one on another candidate."""
    try:
        page = (folder / "gate.html").read_text(encoding="utf-8", errors="replace")
    except FileNotFoundError:
        return ()
    return figures_of(page, candidate_hash)


def _ordered(pairs: frozenset[PrefixPair]) -> tuple[PrefixPair, ...]:
    return tuple(sorted(pairs, key=lambda pair: pair.sort_key))
