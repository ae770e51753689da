"""Writes docs/reference/gate-texts.md: texts of known effect, and what the gate says of each.

`python -m scripts.judge_known_texts`, after a change of the gate or the simulator; takes half an hour where no run is
stored. Runs are kept in var/simulations. The texts are those of tests/integration/test_known_texts.py, which asks the
same in the long test run.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from hntes.format import counted
from hntes.gate import Verdict, judge
from hntes.settings.model import Gate
from tests.support.gate_subjects import ROOT, shared_lab
from tests.support.known_texts import KnownText, harmful, harmless

PAGE: Path = ROOT / "docs" / "reference" / "gate-texts.md"
BEGIN, END = "<!-- texts: begin -->\n", "<!-- texts: end -->\n"


@dataclass(frozen=True)
class Judged:
    """A text, the criteria that refuse it, and the sentence of the one that must; "" for what passes."""

    words: str
    buffer_ms: float
    platform: str
    refused_by: tuple[str, ...]
    sentence: str

    @property
    def outcome(self) -> tuple[str, float, tuple[str, ...]]:
        """What rows of several platforms have in common."""
        return self.words, self.buffer_ms, self.refused_by


def main() -> None:
    """Judges all texts and writes the page."""
    parts = [_section("Harmful", list(harmful())), _section("Harmless", list(harmless()))]
    page = PAGE.read_text(encoding="utf-8")
    before, _, rest = page.partition(BEGIN)
    PAGE.write_text(before + BEGIN + "\n" + "\n".join(parts) + "\n" + END + rest.partition(END)[2], encoding="utf-8")


def _section(title: str, texts: list[KnownText]) -> str:
    judged = [_judged(text) for text in texts]
    refused = sum(bool(each.refused_by) for each in judged)
    head = f"## {title}\n\n{counted(len(judged), 'text')}, {refused} refused.\n\n"
    rows = [
        "| text | port's buffer, ms | on | refused by | in the words of the gate |",
        "| --- | ---: | --- | --- | --- |",
    ]
    return head + "\n".join([*rows, *_rows(judged)]) + "\n"


def _judged(text: KnownText) -> Judged:
    refusals = [each for each in judge(text.subject, Gate(), shared_lab()).verdicts if not each.is_passing]
    words = text.name.partition(": ")[2].rpartition(", ")[0]
    by = tuple(dict.fromkeys(each.criterion for each in refusals if each.outcome == "failed"))
    port_buffer_ms = text.subject.port_buffer_ms
    return Judged(words, port_buffer_ms, text.subject.platform, by, _sentence(text, refusals))


def _sentence(text: KnownText, refusals: Iterable[Verdict]) -> str:
    """Of the criterion that must refuse the text, the sentence that has the expected reason."""
    of_criterion = [each.sentence for each in refusals if each.criterion == text.refused_by]
    return next((each for each in of_criterion if text.why in each), next(iter(of_criterion), ""))


def _rows(judged: list[Judged]) -> Iterator[str]:
    """One row for all platforms with the same outcome; the sentence is the first platform's."""
    for outcome in dict.fromkeys(each.outcome for each in judged):
        alike = [each for each in judged if each.outcome == outcome]
        words, buffer_ms, by = outcome
        platforms = ", ".join(each.platform for each in alike)
        sentence = alike[0].sentence.replace("|", "\\|")
        yield f"| {words} | {buffer_ms:g} | {platforms} | {', '.join(by) or 'none'} | {sentence} |"


if __name__ == "__main__":
    main()
