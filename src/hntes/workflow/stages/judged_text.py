"""What the gate found about one text, ready to be shown."""

from dataclasses import dataclass
from pathlib import Path

from hntes.gate import Judgement
from hntes.gate.report import WORDS, outcome_word
from hntes.gate.verdict import Verdict, value_words


@dataclass(frozen=True)
class VerdictRow:
    """One verdict in words."""

    criterion: str
    measure: str
    found: str
    limit: str
    verdict: str


@dataclass(frozen=True)
class JudgedText:
    """The gate's judgement on one text for one router, the report's files, and what else is to be known."""

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
    def rows(self) -> tuple[VerdictRow, ...]:
        """All verdicts, in order of criteria."""
        return tuple(_row(verdict) for verdict in self.judgement.verdicts)

    @property
    def objections(self) -> tuple[str, ...]:
        """Why the text did not pass, each reason once."""
        refused = (verdict for verdict in self.judgement.verdicts if not verdict.is_passing)
        return tuple(dict.fromkeys(f"{each.criterion} {WORDS[each.outcome]}: {each.sentence}" for each in refused))


def _row(verdict: Verdict) -> VerdictRow:
    return VerdictRow(
        criterion=verdict.criterion,
        measure=verdict.measure.replace("_", " "),
        found=value_words(verdict.value, verdict.unit),
        limit=value_words(verdict.limit, verdict.unit),
        verdict=WORDS[verdict.outcome],
    )
