"""Criterion 1, structure: the configuration itself, before any simulation."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from hntes.gate.criteria.criterion import Measure
from hntes.gate.verdict import Verdict, outcome_of
from hntes.platforms.compare import differences
from hntes.platforms.effective import EffectiveModel, Lsp, Tunnel, UnparsedStatement
from hntes.platforms.hardware import Hardware
from hntes.platforms.hardware_findings import hardware_findings
from hntes.platforms.parse import ParseError
from hntes.platforms.split_reserved import split_reserved
from hntes.platforms.structure import check_structure
from hntes.rules.pairs import PrefixPair
from hntes.sql.entries import CriterionName

# More findings than this are counted, not listed; so are kinds of unparsed statements.
LISTED = 5
UNREAD_LISTED = 12
ALONE = "with simulate_with_running_config = false the candidate is judged alone, which its verdicts then say"


@dataclass(frozen=True)
class Structure:
    """The text sends each rule's packets, and no others, to the alpha queue, and serves every queue.

    What it checks:
        A pair that does not reach the alpha queue, other traffic that does, a shadowed or missing entry, packets that
        are discarded, a queue or class without a scheduler, shares or buffers above 100%, and whatever differs from
        what the rules ask for. A statement of a candidate without a meaning makes the text unreadable. Of a whole
        configuration, what was passed over is listed, and nothing is judged if that could touch what is judged.
        Entries of reservations are compared with what was asked for; what they get and take is criterion 8's.

    Why:
        A filter without its final entry discards all other traffic, and a class without a scheduler starves; neither
        shows in simulated traffic that happens not to meet it. It has no experiment.

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
        port_buffer_ms: float,
        expected: EffectiveModel | None,
        refusal: ParseError | None = None,
        premium_queue: int | None = None,
        is_adopted: bool = False,
        hardware: Hardware | None = None,
    ) -> Verdict:
        """All findings on the text, and its differences from the expected model (`expected`, None: unknown).

        `refusal` is why a text that is to be loaded is no candidate; then it is judged as a whole configuration, too.
        Packets in `premium_queue` are not findings: a pair may be reserved for a while. `is_adopted`: the queues are
        the operator's, of which only that of the pairs is judged here. `hardware`: what the router can do.
        """
        rest = split_reserved(model, premium_queue).rest
        found = check_structure(
            rest, pairs, alpha_queue=alpha_queue, is_redirected=is_redirected, port_buffer_ms=port_buffer_ms,
            is_adopted=is_adopted,
        )  # fmt: skip
        if hardware is not None:
            found += hardware_findings(rest, hardware, is_adopted=is_adopted)
        sentences = [each.sentence for each in found]
        if refusal is not None:
            sentences.append(f"is to be loaded, but no candidate: {refusal}")
        if expected is not None:
            sentences += [f"differs from what the rules ask for: {each}" for each in differences(model, expected)]
        all_well = "each pair's packets reach the alpha queue, nothing else does, and every queue is served"
        parts = [_listed(sentences) or all_well, *_unread_words(model.unparsed), *_unchecked_words(model)]
        is_touched = any(each.is_reason for each in model.unparsed)
        is_open = not sentences and is_touched
        if is_open and expected is not None and not is_adopted:
            parts.append(f"If these statements stay: {ALONE}")
        return Verdict(
            self.name, "findings", "not_judged" if is_open else outcome_of(holds=not sentences), ". ".join(parts),
            0.0, len(sentences), "findings",
        )  # fmt: skip


def _unread_words(unparsed: Sequence[UnparsedStatement]) -> list[str]:
    """Statements of a whole configuration that the parser skipped: relevant ones first."""
    sentences = []
    touching = [f"{_place(each)} can touch {each.touches}" for each in unparsed if each.is_reason]
    unknown = [_place(each) for each in unparsed if each.touches is not None and not each.blocks]
    harmless = [_place(each) for each in unparsed if each.touches is None]
    if touching:
        sentences.append(f"Not parsed, and therefore not judged: {_listed(touching, UNREAD_LISTED)}")
    if unknown:
        sentences.append(f"Not known, and outside of the judged ports: {_listed(unknown, UNREAD_LISTED)}")
    if harmless:
        sentences.append(f"Not parsed, without effect on the judgement: {_listed(harmless, UNREAD_LISTED)}")
    return sentences


def _place(unparsed: UnparsedStatement) -> str:
    lines = f"line {unparsed.line}"
    if unparsed.statements > 1:
        lines = f"{unparsed.statements} statements, lines {unparsed.line} to {unparsed.last_line}"
    return f"`{unparsed.text}` ({lines})"


def _unchecked_words(model: EffectiveModel) -> list[str]:
    """Paths that the text uses but does not define: they depend on the router."""
    found = {
        entry.action.path for edge in model.edges for program in edge.programs for entry in program.entries
    } | {each.path for each in model.class_paths}  # fmt: skip
    names = sorted(
        f"LSP {path.name}" if isinstance(path, Lsp) else f"tunnel {path.number}"
        for path in found
        if isinstance(path, Lsp | Tunnel)
    )
    return [f"Not checked whether the router has {', '.join(names)}"] if names else []


def _listed(sentences: Sequence[str], most: int = LISTED) -> str:
    listed = "; ".join(sentences[:most])
    more = len(sentences) - most
    return f"{listed}; and {more} more" if more > 0 else listed


STRUCTURE = Structure()
