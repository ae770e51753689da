"""The summary of a change, as the night wrote it for a terminal, taken apart for a page."""

from dataclasses import dataclass

from hntes.workflow.stages.pair_days import PairError, PrefixPair

_SIGNS = {"added    ": "+", "removed  ": "-", "+ ": "+", "- ": "-"}


@dataclass(frozen=True)
class ShownPair:
    """A pair that comes ("+") or goes ("-"), and why; the reason is "" where it is no longer kept."""

    sign: str
    pair: PrefixPair
    reason: str


@dataclass(frozen=True)
class SummaryParts:
    """The first line without the router and day, the pairs, and all other lines: notes, remarks, other changes."""

    headline: str
    pairs: tuple[ShownPair, ...]
    notes: tuple[str, ...]


def summary_parts(summary: str) -> SummaryParts:
    """Takes a summary apart; nothing of it is lost: a line that is no pair's is a note."""
    first, *lines = summary.splitlines() or [""]
    pairs, notes = [], []
    for line in lines:
        text = line.strip()
        found = _pair(text)
        if found is not None:
            pairs.append(found)
        elif text:
            notes.append(text.removeprefix("change: ") if text.startswith("change: ") else text)
    _, colon, headline = first.partition(": ")
    return SummaryParts(headline if colon else first, tuple(pairs), tuple(notes))


def _pair(text: str) -> ShownPair | None:
    for prefix, sign in _SIGNS.items():
        if text.startswith(prefix):
            # an IPv6 prefix has colons, none of them before a blank
            named, _, reason = text.removeprefix(prefix).partition(": ")
            try:
                return ShownPair(sign, PrefixPair.parse(named), reason)
            except PairError:
                return None
    return None
