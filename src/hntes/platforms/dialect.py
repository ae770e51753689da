"""The language of a platform's configuration, as far as a delivery has to compare and change statements in it."""

from collections.abc import Callable
from dataclasses import dataclass

from hntes.platforms.capabilities import CommitModel
from hntes.platforms.owned_config import OwnedConfig, Statement


def without_tabs(text: str) -> str:
    """A text with a blank for each tab: a margin of so many tabs is one of so many blanks.

    Example:
        >>> without_tabs("class a\\n\\tset qos-group 4\\n")
        'class a\\n set qos-group 4\\n'
    """
    return text.expandtabs(1)


@dataclass(frozen=True)
class Dialect:
    """The functions that take a configuration of one platform apart.

    Attributes:
        platform: The platform's name.
        comment: What a line of remarks begins with, in a router's listing and in a rendered text.
        owned: The part of a whole configuration that is HNTES' own.
        foreign: All else of a whole configuration.
        part_of: What an approved text is on a router; None is nothing.
        commands: The commands that lead from a text, or from what the router holds where the text is None, to another.
        is_change: Whether a difference as the driver shows it leads from one part to another, and changes nothing else.
        effective_text: A configuration with what its groups give it, as a text without groups.
        is_to_be_loaded: Whether a text is meant to be loaded into a router, rather than listed by one.
        ordered: A text in which what has no order of its own stands in one.
        tidied: A hand-edited text, line by line, without what a router passes over and a candidate may not have.
        commit_model: As in the platform's capabilities.
    """

    platform: str
    comment: str
    owned: Callable[[str], OwnedConfig]
    foreign: Callable[[str], frozenset[Statement]]
    part_of: Callable[[str | None], OwnedConfig]
    commands: Callable[[str | None, OwnedConfig, str | None], list[str]]
    is_change: Callable[[str, OwnedConfig, OwnedConfig], bool]
    effective_text: Callable[[str], str]
    is_to_be_loaded: Callable[[str], bool]
    ordered: Callable[[str], str] = str
    tidied: Callable[[str], str] = without_tabs
    commit_model: CommitModel = "candidate"
