"""What programs are told of changes."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Literal

from hntes.rules.changeset.wording import in_one_line
from hntes.sql.change import Change
from hntes.sql.entries import AuditEventEntry
from hntes.sql.reasons import ChangeEffect, ReservedRate
from hntes.workflow.review.changes import ListedChange
from hntes.workflow.review.pair_bytes import PairSums
from hntes.workflow.review.pair_groups import Group
from hntes.workflow.review.queues import ChangedQueues
from hntes.workflow.review.status import RouterProgress, Standing
from hntes.workflow.review.view import FigureLine, ReviewView
from hntes.workflow.stages.verdict_lines import VerdictLine


@dataclass(frozen=True)
class ChangeDocument:
    """A change, with what the gate and people said of it.

    Attributes:
        change_id: `ROUTER/DAY`, or `ROUTER/from/BASE/INSTANT` of a scheduled one: its address below `/api/changes/`.
        summary: In one line.
        standing: How far it has come.
        gate: The gate's result on its candidate.
        blocking_reasons: Why it may not be approved: what the gate says, and rules that are not approved themselves.
        held_until: The day until which it is deferred, null if it is not.
        change: The change; a decision names its `candidate_hash` and `base_hash`.
        effect: On the alpha traffic of the days before it, null if not computed.
        decision: The event of its decision.
        first_approval: The event of the first of two approvals, while the second is missing.
    """

    change_id: str
    summary: str
    standing: Standing
    gate: str
    blocking_reasons: tuple[str, ...]
    held_until: date | None
    change: Change
    effect: ChangeEffect | None
    decision: AuditEventEntry | None
    first_approval: AuditEventEntry | None


@dataclass(frozen=True)
class ChangeList:
    """Changes by router and day. `next_offset` is null on the last page."""

    changes: tuple[ChangeDocument, ...]
    total: int
    next_offset: int | None


@dataclass(frozen=True)
class TransitionDocument:
    """The way from the delivered configuration to the candidate; an approval names its `identity`.

    `identity` is null if there is no way, because of `problem`. `from_hash` is of the text that it begins at, null for
    nothing of HNTES; `has_changed`: it is not the approved one; `commands`: their number of lines.
    """

    identity: str | None
    from_hash: str | None
    commands: int
    has_changed: bool
    is_reported: bool
    problem: str


@dataclass(frozen=True)
class PairSum:
    """Number and alpha bytes of the pairs of one kind, of 30 days through that of the change."""

    change: Literal["added", "removed", "kept"]
    pairs: int
    alpha_bytes: int


@dataclass(frozen=True)
class ChangeDetail:
    """A change with its evidence.

    Attributes:
        about: The change.
        text: Its summary in several lines.
        end: Of a scheduled change: its end in RFC 3339, null if it has none.
        unusual: What makes it risky; its approval then needs the router's name as `confirm`.
        lost: Why its texts cannot be read, and what to do; "" if they can. Else it has no queues, no files of texts,
            and no sum of kept pairs.
        marks: What calls for a second look, a few words each.
        notes: Notes and remarks.
        hold: Why new pairs must be acknowledged first, null if that is not needed.
        criteria: The gate's criteria, each at its worst, the worst first.
        verdicts: All measures of the gate.
        levers: What may be changed so that it passes.
        pairs: Sums of its pairs; `pairs` below its address lists them. None of a scheduled change.
        reserved: The reservations of a scheduled change.
        queues: Queues of its core ports before and after.
        transition: Null if it is not delivered any more, or scheduled.
        progress: What was approved, delivered and verified on its router.
        files: Names of the texts and figures, at `files/NAME` below its address.
    """

    about: ChangeDocument
    text: str
    end: str | None
    unusual: tuple[str, ...]
    lost: str
    marks: tuple[str, ...]
    notes: tuple[str, ...]
    hold: str | None
    criteria: tuple[FigureLine, ...]
    verdicts: tuple[VerdictLine, ...]
    levers: tuple[str, ...]
    pairs: tuple[PairSum, ...]
    reserved: tuple[ReservedRate, ...]
    queues: ChangedQueues
    transition: TransitionDocument | None
    progress: RouterProgress
    files: tuple[str, ...]


@dataclass(frozen=True)
class ChangePair:
    """A pair of a change: alpha bytes of each of 30 days through that of the change, the last on the right."""

    change: Literal["added", "removed", "kept"]
    source: str
    destination: str
    reason: str
    alpha_bytes: int
    by_day: tuple[int, ...]
    last_seen: date | None


@dataclass(frozen=True)
class ChangePairList:
    """Pairs of a change. `alpha_bytes` are of all that match; `next_offset` is null on the last page."""

    pairs: tuple[ChangePair, ...]
    total: int
    alpha_bytes: int
    next_offset: int | None


@dataclass(frozen=True)
class ChangePairGroup:
    """Pairs that have something in common, with sums of those added, removed and kept.

    `q` is the search that finds them, "" where no search does.
    """

    name: str
    alpha_bytes: int
    sums: tuple[PairSum, ...]
    q: str


@dataclass(frozen=True)
class ChangePairGroups:
    """Groups of pairs of a change.

    Attributes:
        by: What pairs of a group have in common.
        groups: A page of the groups, that with the most alpha bytes first.
        total: The number of groups.
        pairs: Pairs of all groups.
        alpha_bytes: Their alpha bytes.
        sums: The same of those added, removed and kept.
        next_offset: Null on the last page.
    """

    by: Group
    groups: tuple[ChangePairGroup, ...]
    total: int
    pairs: int
    alpha_bytes: int
    sums: tuple[PairSum, ...]
    next_offset: int | None


def change_document(listed: ListedChange) -> ChangeDocument:
    """A listed change, as `hntes change list --json` has it."""
    return ChangeDocument(
        change_id=listed.change.change_id, summary=in_one_line(listed.change, listed.effect),
        standing=listed.standing, gate=listed.gate, blocking_reasons=listed.blocking_reasons,
        held_until=listed.held_until, change=listed.change, effect=listed.effect, decision=listed.decision,
        first_approval=listed.first_approval,
    )  # fmt: skip


def transition_document(view: ReviewView) -> TransitionDocument | None:
    """The transition of a change."""
    known = view.transition
    if known is None:
        return None
    now = known.now
    return TransitionDocument(
        identity=now.identity if now else None, from_hash=now.from_hash if now else None,
        commands=len(now.text.splitlines()) if now else 0, has_changed=known.has_changed,
        is_reported=known.is_reported, problem=known.problem,
    )  # fmt: skip


def sums_document(sums: Mapping[str, PairSums]) -> tuple[PairSum, ...]:
    """The sums by kind."""
    return (
        PairSum("added", sums["+"].pairs, sums["+"].alpha_bytes),
        PairSum("removed", sums["-"].pairs, sums["-"].alpha_bytes),
        PairSum("kept", sums["="].pairs, sums["="].alpha_bytes),
    )
