"""Delivered texts without one of their pairs, and their storage for the next removal."""

import re
from pathlib import Path

from hntes.files import write_changed_text
from hntes.platforms.compare import differences
from hntes.platforms.expected import effective_of
from hntes.platforms.parse import parse_config
from hntes.platforms.registry import platform_of
from hntes.platforms.render import render
from hntes.rules.changeset.candidate import Candidate, write_candidate
from hntes.rules.pairs import PrefixPair
from hntes.rules.qos.remove_pairs import without_pair
from hntes.workflow.errors import CommandError
from hntes.workflow.folders import reduced_folder

# The number of texts, besides the one last handed over, that a router may hold.
_EARLIER = 20
_SHA256 = re.compile("[0-9a-f]{64}")


def reduced(base: Candidate, pair: PrefixPair) -> Candidate:
    """A candidate without one pair, verified by parsing its text.

    Raises:
        CommandError: this version renders the candidate differently, or the new text does something else.
        ParseError: the text violates the closed grammar.
    """
    dialect = platform_of(base.model.platform).dialect
    if dialect.part_of(render(base.model)) != dialect.part_of(base.text):
        raise CommandError(
            f"{base.hash[:12]}: rendered by another version, so more than the pair would change; remove all of "
            "HNTES (`hntes router remove` without --pair), or install that version"
        )
    model = without_pair(base.model, pair)
    less = Candidate(model, render(model))
    found = parse_config(model.platform, less.text, model.interfaces)
    if unlike := differences(found, effective_of(model)):
        raise CommandError(f"{base.hash[:12]} without {pair}: the text does something else: {unlike[0]}")
    return less


def keep(folder: Path, less: Candidate) -> None:
    """Stores the text in a router's folder, before the router is contacted."""
    write_candidate(folder, less)
    write_changed_text(reduced_folder(folder) / f"{less.hash}.conf", less.text)


def known_texts(folder: Path, last: str | None) -> list[str]:
    """Hashes of texts that were delivered or left by a removal: the last delivered one, then newest first."""
    paths = [path for place in (folder / "approved", reduced_folder(folder)) for path in place.glob("*.conf")]
    paths.sort(key=lambda path: path.stat().st_mtime_ns, reverse=True)
    names = dict.fromkeys(path.stem for path in paths if _SHA256.fullmatch(path.stem))
    return list(dict.fromkeys([*([last] if last else []), *names]))[:_EARLIER]


def wider_pairs(base: Candidate, pair: PrefixPair) -> tuple[PrefixPair, ...]:
    """The pairs of a candidate that match all packets of this one, and more."""
    return tuple(each for each in sorted(base.pairs, key=lambda one: one.sort_key) if _is_wider(each, pair))


def _is_wider(other: PrefixPair, pair: PrefixPair) -> bool:
    ends = ((pair.source[at], pair.destination[at]) for at in (0, -1))
    return other != pair and all(other.contains(*each) for each in ends)
