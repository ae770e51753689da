"""The review view of a change, shared by all interfaces: the facts shown before a decision."""

from dataclasses import dataclass
from functools import lru_cache

from hntes.gate.levers import levers_of
from hntes.gate.loosened import loosened
from hntes.gate.verdict_figure import FigureLine, figure_of, worst_first
from hntes.rules.changeset.candidate import PARSED, Candidate, CandidateStoreError
from hntes.rules.changeset.diff import diff_models, diff_text
from hntes.rules.pairs import PrefixPair
from hntes.settings.model import Router
from hntes.sql import change_facts
from hntes.sql.change import Change
from hntes.sql.reasons import ChangeFacts
from hntes.sql.session import reading
from hntes.sql.verdicts import failures, verdicts
from hntes.workflow.candidates import known_candidate
from hntes.workflow.context import Context
from hntes.workflow.judgement import Depth, edited_copy, gate_for
from hntes.workflow.review.approval_needs import ApprovalNeeds, approval_needs
from hntes.workflow.review.changes import ChangeStatus, ListedChange, earlier_rejection, listed_change
from hntes.workflow.review.lost_texts import lost_words
from hntes.workflow.review.status import RouterProgress, router_progress
from hntes.workflow.review.transition_approval import KnownTransition, known_transition
from hntes.workflow.running_configuration import judged_alone
from hntes.workflow.stages.verdict_lines import VerdictLine, verdict_line

__all__ = [
    "ChangedPairs",
    "FigureLine",
    "ReviewView",
    "changed_pairs",
    "changed_texts",
    "review_view",
    "text_difference",
]


@dataclass(frozen=True)
class ChangedPairs:
    """The pairs only in the candidate, only in its base, and in both; each in order."""

    added: tuple[PrefixPair, ...]
    removed: tuple[PrefixPair, ...]
    kept: tuple[PrefixPair, ...]


@dataclass(frozen=True)
class ReviewView:
    """A change with its evidence.

    Attributes:
        listed: The change, how far it has come, what the gate and people said of it.
        facts: Why its pairs change, what that means, notes; of a scheduled one what it reserves.
        other_changes: What changes beside the pairs, one line per change.
        base: What it changes, None for a first configuration.
        candidate: What it proposes, None if its texts are lost.
        lost: Why its texts cannot be read, and what to do; "" if they can. Else the base is None, too.
        verdicts: The gate's, in order of criteria; none where nothing was judged.
        gate_figure: The same as a figure: a line for each criterion, the worst first.
        gate_lines: What the figure shows, as data.
        levers: What an operator can change so that it may pass, a line for each criterion that failed.
        more_reasons: Why the gate refuses an approval beside verdicts that do not pass.
        loosened: Limits of the settings that are looser than the defaults.
        alone: Why candidates are judged without the running configuration; "" if they are not.
        needs: The present requirements of an approval.
        transition: The transition from the delivered configuration; None if it is not delivered, or is scheduled.
        story: The approved, delivered and confirmed texts of the router.
        edited_copy: A remark if the copy in the day's folder was edited; None if not, or if it is decided.
        rejection: The router's previous nightly change, if that was rejected and this one is pending.
    """

    listed: ListedChange
    facts: ChangeFacts
    other_changes: tuple[str, ...]
    base: Candidate | None
    candidate: Candidate | None
    lost: str
    verdicts: tuple[VerdictLine, ...]
    gate_figure: tuple[str, ...]
    gate_lines: tuple[FigureLine, ...]
    levers: tuple[str, ...]
    more_reasons: tuple[str, ...]
    loosened: tuple[str, ...]
    alone: str
    needs: ApprovalNeeds
    transition: KnownTransition | None
    progress: RouterProgress
    edited_copy: str | None
    rejection: ChangeStatus | None

    @property
    def change(self) -> Change:
        return self.listed.change

    @property
    def difference(self) -> str:
        """Between the texts of its base and its candidate, as a unified diff; "" if they are equal, or lost."""
        return "" if self.candidate is None else _difference(self.base, self.candidate)

    @property
    def is_judged(self) -> bool:
        """Whether the gate judges it: empty changes and texts of approved rules need no judgement."""
        return bool(self.verdicts) or not (
            self.change.state == "empty" or (self.change.is_scheduled and self.change.is_text_of_base)
        )


def review_view(
    context: Context, router: Router, entry: Change, *, depth: Depth = "decision", needs_texts: bool = True
) -> ReviewView:
    """The view of a change; `depth` is as for `blocking_reasons_now`.

    Raises:
        CandidateStoreError: a candidate is missing, on disk and in the database, and `needs_texts`.
    """
    base, candidate, lost = _texts(context, router, entry, needs_texts=needs_texts)
    listed = listed_change(context, entry, depth=depth)
    with reading(context.database) as session:
        facts = change_facts.facts_of(session, entry.change_id)
        found = verdicts(session, entry.router, entry.candidate_hash)
    waits = entry.state in ("pending", "empty") and not entry.is_scheduled
    return ReviewView(
        listed=listed,
        facts=facts,
        other_changes=_other_changes(base, candidate) if candidate else (),
        base=base,
        candidate=candidate,
        lost=lost,
        verdicts=tuple(map(verdict_line, found)),
        gate_figure=figure_of(found),
        gate_lines=tuple(worst_first(found)),
        levers=levers_of(found),
        more_reasons=tuple(each for each in listed.gate_reasons if each not in failures(found)),
        loosened=loosened(gate_for(context, router)),
        alone=judged_alone(router),
        needs=approval_needs(context, entry, listed.blocking_reasons),
        transition=None if entry.is_scheduled else known_transition(context, router, entry),
        progress=router_progress(context, router),
        edited_copy=edited_copy(context, router, entry) if waits else None,
        rejection=earlier_rejection(context, entry) if waits else None,
    )


def _texts(
    context: Context, router: Router, entry: Change, *, needs_texts: bool
) -> tuple[Candidate | None, Candidate | None, str]:
    """Base, candidate, and why both are None if they are lost: what else is known of the change decides, too."""
    try:
        return *changed_texts(context, router, entry), ""
    except CandidateStoreError as cause:
        if needs_texts:
            raise
        return None, None, lost_words(context, entry, cause)


def changed_pairs(context: Context, router: Router, entry: Change) -> ChangedPairs:
    """The pairs of the candidate compared with those of its base.

    Raises:
        CandidateStoreError: a candidate is missing, on disk and in the database.
    """
    return _changed(*changed_texts(context, router, entry))


def changed_texts(context: Context, router: Router, entry: Change) -> tuple[Candidate | None, Candidate]:
    """What the change replaces, None for a first configuration, and its candidate; raises as `changed_pairs`."""
    return _base(context, router, entry), known_candidate(context, router, entry.candidate_hash)


def text_difference(context: Context, router: Router, entry: Change) -> str:
    """The unified diff of the texts; raises as `changed_pairs`."""
    return _difference(*changed_texts(context, router, entry))


def _base(context: Context, router: Router, entry: Change) -> Candidate | None:
    return known_candidate(context, router, entry.base_hash) if entry.base_hash else None


@lru_cache(maxsize=PARSED)
def _changed(base: Candidate | None, candidate: Candidate) -> ChangedPairs:
    before, after = base.pairs if base else frozenset(), candidate.pairs
    return ChangedPairs(_ordered(after - before), _ordered(before - after), _ordered(after & before))


@lru_cache(maxsize=PARSED)
def _difference(base: Candidate | None, candidate: Candidate) -> str:
    return diff_text(base.text if base else "", candidate.text).rstrip()


@lru_cache(maxsize=PARSED)
def _other_changes(base: Candidate | None, candidate: Candidate) -> tuple[str, ...]:
    """Changes other than of pairs; empty for a first configuration, where everything is new."""
    return diff_models(base.model, candidate.model).other_changes if base else ()


def _ordered(pairs: frozenset[PrefixPair]) -> tuple[PrefixPair, ...]:
    return tuple(sorted(pairs, key=lambda pair: pair.sort_key))
