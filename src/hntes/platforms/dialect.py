"""The configuration language of a platform, as needed to compare and change statements in a delivery."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass

from hntes.platforms.capabilities import CommitModel
from hntes.platforms.owned_config import OwnedConfig, Statement, unlike_listed_change


def without_tabs(text: str) -> str:
    """A text with a space for each tab, so that indentation by tabs is read as well.

    Example:
        >>> without_tabs("class a\\n\\tset qos-group 4\\n")
        'class a\\n set qos-group 4\\n'
    """
    return text.expandtabs(1)


@dataclass(frozen=True)
class Dialect:
    """Functions that analyse a configuration of one platform, and that make the commands between two texts.

    Attributes:
        platform: The platform's name.
        comment: The start of a comment line, in a router's listing and in a rendered text.
        owned: The part of a whole configuration that HNTES owns.
        foreign: The rest of a whole configuration.
        held_text: An owned part as text, with what the commands to remove it need.
        between: The commands from one text to another; None is nothing of HNTES. Raises TransitionError.
        how: Instructions to load these commands, as comment lines.
        how_removed: The instructions to load a removal; empty if they equal `how`.
        is_to_be_loaded: Whether a text is to be loaded into a router, rather than listed by one.
        listed: An approved text in the form in which a router lists it.
        unlike_change: How a diff of the driver differs from the change from one part to another, line by line.
        effective_text: A configuration with inherited statements in place, without groups.
        ordered: A text with statements of arbitrary order sorted.
        tidied: A hand-edited text, line for line, without tabs and comments that a candidate lacks.
        commit_model: As in the platform's capabilities.
    """

    platform: str
    comment: str
    owned: Callable[[str], OwnedConfig]
    foreign: Callable[[str], frozenset[Statement]]
    held_text: Callable[[OwnedConfig], str]
    between: Callable[[str | None, str | None], list[str]]
    how: tuple[str, ...]
    is_to_be_loaded: Callable[[str], bool]
    how_removed: tuple[str, ...] = ()
    listed: Callable[[str], str] = str
    unlike_change: Callable[[str, OwnedConfig, OwnedConfig], list[str]] = unlike_listed_change
    effective_text: Callable[[str], str] = str
    ordered: Callable[[str], str] = str
    tidied: Callable[[str], str] = without_tabs
    commit_model: CommitModel = "candidate"

    def part_of(self, text: str | None) -> OwnedConfig:
        """The statements of an approved text on a router; None is nothing. Raises DeliveryError as `owned`."""
        return OwnedConfig(()) if text is None else self.owned(self.listed(text))

    def commands(self, before: str | None, holds: OwnedConfig, after: str | None) -> list[str]:
        """The commands from a text, or from the router's configuration if it is None, to another text."""
        return self.between(self.held_text(holds) if before is None else before, after)

    def transition(self, delivered: str | None, approved: str | None) -> str:
        """The commands between two texts, with a head that gives both hashes and the loading instructions."""
        how = (approved is None and self.how_removed) or self.how
        head = [f"HNTES transition from {_named(delivered)}", f"to {_named(approved)}", *how]
        lines = (*(f"{self.comment} {line}" for line in head), *self.between(delivered, approved))
        return "".join(f"{line}\n" for line in lines)


def _named(text: str | None) -> str:
    return "nothing" if text is None else hashlib.sha256(text.encode()).hexdigest()
