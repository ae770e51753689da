"""The language of a platform's configuration, as far as a delivery has to compare and change statements in it."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass

from hntes.platforms.capabilities import CommitModel
from hntes.platforms.owned_config import OwnedConfig, Statement, is_listed_change


@dataclass(frozen=True)
class Dialect:
    """The functions that take a configuration of one platform apart, and those that lead from one text to another.

    Attributes:
        platform: The platform's name.
        comment: What a line of remarks begins with, in a router's listing and in a rendered text.
        owned: The part of a whole configuration that is HNTES' own.
        foreign: All else of a whole configuration.
        held_text: A part as a text, with what the commands that remove it need to know.
        between: The commands that lead from one text to another; None is nothing of HNTES. Raises TransitionError.
        how: How these commands are loaded, in lines of remarks.
        how_removed: The same for those that lead to nothing; empty where it is `how`.
        is_to_be_loaded: Whether a text is meant to be loaded into a router, rather than listed by one.
        listed: An approved text in the form in which a router that holds it lists it.
        is_change: Whether a difference as the driver shows it leads from one part to another, and changes nothing else.
        effective_text: A configuration with what its groups give it, as a text without groups.
        ordered: A text in which what has no order of its own stands in one.
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
    is_change: Callable[[str, OwnedConfig, OwnedConfig], bool] = is_listed_change
    effective_text: Callable[[str], str] = str
    ordered: Callable[[str], str] = str
    commit_model: CommitModel = "candidate"

    def part_of(self, text: str | None) -> OwnedConfig:
        """The statements that an approved text is on a router; None is nothing. Raises DeliveryError as `owned`."""
        return OwnedConfig(()) if text is None else self.owned(self.listed(text))

    def commands(self, before: str | None, holds: OwnedConfig, after: str | None) -> list[str]:
        """The commands from a text, or from what the router holds where the text is None, to another."""
        return self.between(self.held_text(holds) if before is None else before, after)

    def transition(self, delivered: str | None, approved: str | None) -> str:
        """The commands between two texts below a head: the hashes of both, and how the commands are loaded."""
        how = (approved is None and self.how_removed) or self.how
        head = [f"HNTES transition from {_named(delivered)}", f"to {_named(approved)}", *how]
        lines = (*(f"{self.comment} {line}" for line in head), *self.between(delivered, approved))
        return "".join(f"{line}\n" for line in lines)


def _named(text: str | None) -> str:
    return "nothing" if text is None else hashlib.sha256(text.encode()).hexdigest()
