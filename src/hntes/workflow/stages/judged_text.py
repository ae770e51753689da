"""The gate's judgement on one text, for display."""

from dataclasses import dataclass
from pathlib import Path

from hntes.gate import Judgement
from hntes.gate.levers import levers_of
from hntes.gate.report import outcome_word
from hntes.gate.verdict_figure import WORDS
from hntes.workflow.stages.verdict_lines import VerdictLine, verdict_line


@dataclass(frozen=True)
class JudgedText:
    """The gate's judgement on one text for one router, the files of the report, and notes."""

    router: str
    candidate_hash: str
    judgement: Judgement
    files: dict[str, Path]
    remarks: tuple[str, ...] = ()

    @property
    def is_passing(self) -> bool:
        return self.judgement.is_passing

    @property
    def word(self) -> str:
        """`passed`, `FAILED` or `not judged`."""
        return outcome_word(self.judgement)

    @property
    def rows(self) -> tuple[VerdictLine, ...]:
        """All verdicts, in order of criteria."""
        entries = (verdict.entry(self.router, self.candidate_hash) for verdict in self.judgement.verdicts)
        return tuple(map(verdict_line, entries))

    @property
    def blocking_reasons(self) -> tuple[str, ...]:
        """Why the text did not pass, each reason once."""
        refused = (verdict for verdict in self.judgement.verdicts if not verdict.is_passing)
        return tuple(dict.fromkeys(f"{each.criterion} {WORDS[each.outcome]}: {each.sentence}" for each in refused))

    @property
    def levers(self) -> tuple[str, ...]:
        """What an operator can change so that it may pass, a line for each criterion that failed."""
        return levers_of(self.judgement.verdicts)
