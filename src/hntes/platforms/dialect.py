"""What a push needs to know of the language of a router's configuration."""

from collections.abc import Callable
from dataclasses import dataclass

from hntes.platforms.cisco import statements as cisco_statements
from hntes.platforms.cisco.blocks import read_blocks
from hntes.platforms.iosxe import statements as iosxe_statements
from hntes.platforms.iosxe.transition import iosxe_commands
from hntes.platforms.iosxr.transition import iosxr_commands
from hntes.platforms.junos import statements as junos_statements
from hntes.platforms.junos.difference import is_change
from hntes.platforms.junos.transition import junos_removal, junos_text
from hntes.platforms.owned_config import Part, Statement
from hntes.settings.terms import Platform


@dataclass(frozen=True)
class Language:
    """One platform's.

    owned, foreign: the part of a whole configuration that is HNTES' own, and all else. part_of: what an approved text
    is on a router; None is nothing. commands: those that lead from a text, or from what the router holds where the text
    is None, to another. is_change: whether a difference as the driver shows it leads from one part to another, and
    changes nothing else. effective_text: a configuration with what its groups give it, as a text without groups.
    ordered: a text in which what has no order of its own stands in one. judges_candidate: a candidate says all that
    the router will do, and is judged before the first of its lines is sent.
    """

    platform: Platform
    owned: Callable[[str], Part]
    foreign: Callable[[str], frozenset[Statement]]
    part_of: Callable[[str | None], Part]
    commands: Callable[[str | None, Part, str | None], list[str]]
    is_change: Callable[[str, Part, Part], bool]
    effective_text: Callable[[str], str]
    ordered: Callable[[str], str] = str
    judges_candidate: bool = False


def _junos_commands(before: str | None, holds: Part, after: str | None) -> list[str]:
    old = junos_statements.listed_text(holds) if before is None else before
    return junos_removal(old) if after is None else junos_text(after, old)


def _iosxr_commands(before: str | None, holds: Part, after: str | None) -> list[str]:
    old = cisco_statements.text_of(holds) if before is None else before
    return iosxr_commands(read_blocks(old), read_blocks(after))


def _iosxe_commands(before: str | None, holds: Part, after: str | None) -> list[str]:
    old = cisco_statements.text_of(holds) if before is None else before
    return iosxe_commands(read_blocks(old), read_blocks(after))


def _is_cisco_change(shown: str, before: Part, after: Part) -> bool:
    """No router's difference is believed there: what the driver shows was made of two whole configurations."""
    return sorted(shown.splitlines()) == sorted(after.changes(before))


JUNOS = Language(
    "junos", junos_statements.owned, junos_statements.foreign, junos_statements.part_of, _junos_commands, is_change,
    junos_statements.effective_text,
)  # fmt: skip
IOSXR = Language(
    "iosxr", cisco_statements.owned, cisco_statements.foreign, cisco_statements.part_of, _iosxr_commands,
    _is_cisco_change, str,
)  # fmt: skip
IOSXE = Language(
    "iosxe", iosxe_statements.owned, cisco_statements.foreign, iosxe_statements.part_of, _iosxe_commands,
    _is_cisco_change, str, iosxe_statements.ordered, judges_candidate=True,
)  # fmt: skip
LANGUAGES: dict[Platform, Language] = {each.platform: each for each in (JUNOS, IOSXR, IOSXE)}
