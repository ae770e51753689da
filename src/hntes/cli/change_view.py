"""One change set as a person reads it before and after a decision, and as a document for machines."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from hntes.format import at, minute
from hntes.sanitize import shown

if TYPE_CHECKING:
    from hntes.settings.model import Router
    from hntes.workflow.context import Context
    from hntes.workflow.reports.audit_queries import AuditEventEntry
    from hntes.workflow.review.changes import ChangeSetEntry, ListedChange
    from hntes.workflow.review.status import RouterStory


@dataclass(frozen=True)
class ChangeView:
    """A change set with all that is shown of it.

    Attributes:
        summary: Its pairs with their reasons, and remarks.
        verdicts: What the gate found, a line for each measure; empty where nothing was judged.
        difference: Between the text that is approved and the candidate.
        story: Which texts are approved for the router, delivered to it and confirmed by it.
        transition: The transition's hash and the text that it starts from, as approved and, if another, as it is now;
            empty of what can no longer be delivered.
        unusual: What makes a change that waits one to look at twice, in words; mostly empty.
    """

    listed: ListedChange
    is_passed: bool
    summary: str
    verdicts: str
    difference: str
    story: RouterStory
    transition: str
    unusual: tuple[str, ...] = ()

    @property
    def entry(self) -> ChangeSetEntry:
        """The change set itself."""
        return self.listed.change_set

    @property
    def text(self) -> str:
        """Everything but the difference."""
        entry = self.entry
        ends = f", expires {minute(entry.expires_ms)} UTC" if entry.state == "pending" else ""
        state = f"state: {standing_words(self.listed)}, candidate {entry.candidate_hash}{ends}"
        twice = f"look twice: {'; '.join(self.unusual)}" if self.unusual else ""
        about = (twice, state, decided(self.listed), held(self.listed), self.transition, *self.story.lines)
        return "\n".join(filter(None, (self.summary, *about, self.verdicts)))

    @property
    def next_commands(self) -> str:
        """What to type to decide it; only what can be done."""
        options = f"--router {self.entry.router} --day {self.entry.day} --hash {self.entry.candidate_hash[:12]}"
        verbs = ["approve", "reject"] if self.is_passed else ["reject"]
        return "\n".join(["to decide it:", *(f"  hntes {verb} {options} --note '...'" for verb in verbs)])

    def document(self, *, diff: bool) -> dict[str, Any]:
        """The same for machines."""
        parts = {"is_passed": self.is_passed, "summary": self.summary, "verdicts": self.verdicts, "story": self.story,
                 "unusual": self.unusual}  # fmt: skip
        return document(self.listed) | parts | ({"difference": self.difference} if diff else {})


def view(context: Context, router: Router, entry: ChangeSetEntry) -> ChangeView:
    """All that is shown of a change set.

    Raises:
        CandidateStoreError: a candidate is missing on disk.
    """
    from hntes.workflow.review.approval_needs import unusual
    from hntes.workflow.review.change_text import change_text, gate_text
    from hntes.workflow.review.changes import listed_change
    from hntes.workflow.review.status import router_story
    from hntes.workflow.review.transition_approval import transition_words

    summary, difference = change_text(context, router, entry)
    is_passed, verdicts = gate_text(context, entry)
    listed, story = listed_change(context, entry), router_story(context, router)
    leading = transition_words(context, router, entry)
    odd = unusual(context, router, entry) if entry.state == "pending" else ()
    return ChangeView(listed, is_passed, summary, verdicts, difference, story, leading, odd)


def document(listed: ListedChange) -> dict[str, Any]:
    """A change set for machines, with who decided it and when, by the audit log."""
    return asdict(listed.change_set) | {
        "standing": listed.standing,
        "gate": listed.gate,
        "decision": listed.decision,
        "first_approval": listed.first_approval,
        "held_until": listed.held_until,
    }


def story(listed: ListedChange) -> str:
    """Who decided, and when; until when it can be decided or is held, while it waits."""
    expiry = f"expires {minute(listed.change_set.expires_ms)} UTC" if listed.change_set.state == "pending" else ""
    is_on_its_way = listed.standing in ("approved", "delivered")
    return "; ".join(
        filter(None, (standing_words(listed) if is_on_its_way else "", decided(listed), held(listed), expiry))
    )


def standing_words(listed: ListedChange) -> str:
    """How far a change has come; of an approved one also what is still missing."""
    missing = {"approved": ", not delivered", "delivered": ", not confirmed by the router"}
    return f"{listed.standing}{missing.get(listed.standing, '')}"


def held(listed: ListedChange) -> str:
    """Until when a change that waits is held, by whom and why; empty where it is not."""
    if listed.hold is None:
        return ""
    return f"held until {listed.held_until} by {_person(listed.hold)}: {shown(listed.hold.note or '')}"


def decided(listed: ListedChange) -> str:
    """Who decided, and when, by the audit log; empty where nobody has."""
    if first := listed.first_approval:
        return f"approved by {_person(first)}, waits for a second person"
    if (event := listed.decision) is None:
        return ""
    state = "withdrawn" if event.kind == "withdraw" else event.detail
    note = f": {shown(event.note)}" if event.note else ""
    return f"{state} by {_person(event)}{note}"


def _person(event: AuditEventEntry) -> str:
    return f"{shown(event.who or 'nobody')} ({event.identity}) {at(event.time_ms)}"
