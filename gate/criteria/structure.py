"""Criterion 1: the text sends each rule's packets, and no others, to the alpha queue, and serves every queue."""

from collections.abc import Iterable, Sequence

from gate.verdict import Verdict, judged
from rules.pairs import PrefixPair
from rules.readback.compare import differences
from rules.readback.effective import EffectiveModel
from rules.readback.structure import check_structure

# More findings than this are counted, not told.
TOLD = 5


def verdict(
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
    told = "each pair's packets reach the alpha queue, nothing else does, and every queue is served"
    return Verdict(
        "structure",
        "findings",
        judged(holds=not sentences),
        _listed(sentences) or told,
        0.0,
        len(sentences),
        "findings",
    )


def _listed(sentences: Sequence[str]) -> str:
    told = "; ".join(sentences[:TOLD])
    more = len(sentences) - TOLD
    return f"{told}; and {more} more" if more > 0 else told
