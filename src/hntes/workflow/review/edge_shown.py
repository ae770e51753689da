"""What a person is shown before a decision on an edge change: the same for every way of deciding."""

from dataclasses import dataclass

from hntes.format import rfc3339
from hntes.gate.figure_files import GateFigure, read_figures
from hntes.sanitize import shown
from hntes.settings.model import Router
from hntes.sql.edge_changes import until
from hntes.workflow.context import Context
from hntes.workflow.reservations.edge_changes import EdgeChangeEntry
from hntes.workflow.reservations.reserve import present_s
from hntes.workflow.review.change_text import change_text, gate_text
from hntes.workflow.review.edge_decisions import edge_objections, report_folder

__all__ = ["ShownEdge", "edge_figures", "shown_edge"]


@dataclass(frozen=True)
class ShownEdge:
    """An edge change with its evidence.

    Attributes:
        objections: Why it may not be approved as things are now, a line each; none of one that is decided.
        verdicts: What the gate found, a line for each measure; empty for the text of approved rules, which needs none.
        difference: Between the text of its base and this one.
    """

    entry: EdgeChangeEntry
    objections: tuple[str, ...]
    verdicts: str
    difference: str

    @property
    def is_open(self) -> bool:
        """Whether it waits for a decision, and its time is not over."""
        entry = self.entry
        return entry.state == "pending" and (entry.until_s is None or entry.until_s > present_s())

    @property
    def standing(self) -> str:
        """What has become of it, in words."""
        entry = self.entry
        if entry.state == "pending" and entry.first_identity:
            return f"approved by {shown(entry.first_identity)}, waits for a second person"
        if entry.state == "pending":
            return "waits for a decision" if self.is_open else "was never decided; its time is over"
        by = f" by {shown(entry.decided_by)}" if entry.decided_by else ""
        note = f": {shown(entry.decision_note)}" if entry.decision_note else ""
        return f"{entry.state}{by}{note}"

    @property
    def is_text_of_base(self) -> bool:
        """Whether nothing is reserved in it, so that it is the text of its rules."""
        return self.entry.candidate_hash == self.entry.base_hash

    @property
    def text(self) -> str:
        """Everything but the difference."""
        entry = self.entry
        about = (
            f"{entry.router} from {rfc3339(entry.from_s * 1000)} {until(entry)}, on the rules of {entry.day}",
            f"reserved: {entry.summary}",
            f"state: {self.standing}, text {entry.candidate_hash}",
            *(f"may not be approved: {reason}" for reason in self.objections),
            self.verdicts,
        )
        return "\n".join(filter(None, about))


def shown_edge(context: Context, router: Router, entry: EdgeChangeEntry) -> ShownEdge:
    """All that is shown of an edge change.

    Raises:
        CandidateStoreError: its text or that of its base is lost, on disk and in the database.
    """
    _, difference = change_text(context, router, entry.change_set)
    objections = edge_objections(context, entry) if entry.state == "pending" else ()
    verdicts = "" if entry.candidate_hash == entry.base_hash else gate_text(context, entry.change_set)[1]
    return ShownEdge(entry, objections, verdicts, difference)


def edge_figures(context: Context, router: Router, entry: EdgeChangeEntry) -> tuple[GateFigure, ...]:
    """The figures of the gate's report on an edge change; none where its text was judged for another instant."""
    return read_figures(report_folder(context, router, entry), entry.candidate_hash)
