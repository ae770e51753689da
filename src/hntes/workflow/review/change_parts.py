"""Parts of a change set that are shown apart from its text: the gate's figures, and the pairs of either side."""

from dataclasses import dataclass
from functools import lru_cache

from hntes.gate.figure_files import GateFigure, read_figures
from hntes.rules.changeset.candidate import PARSED, Candidate
from hntes.rules.pairs import PrefixPair
from hntes.settings.model import Router
from hntes.sql.entries import ChangeSetEntry
from hntes.workflow.candidates import known_candidate
from hntes.workflow.context import Context
from hntes.workflow.folders import router_folder

__all__ = ["ChangedPairs", "GateFigure", "changed_pairs", "gate_figures"]


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


def gate_figures(context: Context, router: Router, entry: ChangeSetEntry) -> tuple[GateFigure, ...]:
    """The figures of the gate's report on the candidate; none where there is no report, or one on another candidate."""
    return read_figures(router_folder(context, router) / entry.day.isoformat(), entry.candidate_hash)


def _ordered(pairs: frozenset[PrefixPair]) -> tuple[PrefixPair, ...]:
    return tuple(sorted(pairs, key=lambda pair: pair.sort_key))
