"""Criterion 1, structure: the text as text, before anything runs."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from gate.criteria.criterion import Measure
from gate.verdict import Verdict, outcome_of
from rules.pairs import PrefixPair
from rules.readback.compare import differences
from rules.readback.effective import EffectiveModel
from rules.readback.structure import check_structure
from sql.entries import CriterionName

# More findings than this are counted, not listed.
LISTED = 5


@dataclass(frozen=True)
class Structure:
    """The text sends each rule's packets, and no others, to the alpha queue, and serves every queue.

    What it checks:
        A pair that does not reach the alpha queue, other traffic that does, a shadowed or missing entry, packets that
        are discarded, a queue or class without a scheduler, shares or buffers above 100%, and whatever differs from
        what the rules ask for.

    Why:
        A filter without its final entry discards all other traffic, and a class without a scheduler starves; neither
        shows in simulated traffic that happens not to meet it. No experiment stands behind it.

    Limit:
        None: one finding is too many.

    When it is wrong:
        Text that a platform accepts and the reader does not know fails as unreadable, though a router might do what
        is meant.
    """

    name: CriterionName = "structure"
    title: str = "Does the text send each rule's packets, and no others, to the alpha queue, and serve every queue?"
    runs: str = "none: the text"
    measures: tuple[Measure, ...] = (
        Measure(
            "findings: a pair that does not reach the alpha queue, other traffic that does, a shadowed or missing "
            "entry, packets discarded, a queue or class without scheduler, shares or buffers above 100%, text that is "
            "not what the rules ask for"
        ),
    )

    def verdict(
        self,
        model: EffectiveModel,
        pairs: Iterable[PrefixPair],
        *,
        alpha_queue: int,
        is_redirected: bool,
        port_buffer_ms: int,
        expected: EffectiveModel | None,
    ) -> Verdict:
        """All findings on the text, and where it differs from what it was rendered for (`expected`, None: unknown)."""
        found = check_structure(
            model, pairs, alpha_queue=alpha_queue, is_redirected=is_redirected, port_buffer_ms=port_buffer_ms
        )
        sentences = [each.sentence for each in found]
        if expected is not None:
            sentences += [f"differs from what the rules ask for: {each}" for each in differences(model, expected)]
        all_well = "each pair's packets reach the alpha queue, nothing else does, and every queue is served"
        return Verdict(
            self.name, "findings", outcome_of(holds=not sentences), _listed(sentences) or all_well,
            0.0, len(sentences), "findings",
        )  # fmt: skip


def _listed(sentences: Sequence[str]) -> str:
    listed = "; ".join(sentences[:LISTED])
    more = len(sentences) - LISTED
    return f"{listed}; and {more} more" if more > 0 else listed


STRUCTURE = Structure()
