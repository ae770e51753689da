"""The transition as a text with a head that says between what it leads and how it is loaded."""

import hashlib
from collections.abc import Iterable

from hntes.platforms.registry import platform_of


def transition(platform: str, delivered: str | None, approved: str | None) -> str:
    """The commands from what was delivered last to what is approved; None stands for nothing of HNTES.

    Raises:
        TransitionError: a text is not as the renderer writes it, or a policy changes under its name.
    """
    return platform_of(platform).transition(delivered, approved)


def withdrawal(platform: str, delivered: str) -> str:
    """The commands that remove all that a delivered text put on a router.

    Raises:
        TransitionError: the text is not as the renderer writes it.
    """
    return transition(platform, delivered, None)


def transition_text(
    comment: str, how: Iterable[str], delivered: str | None, approved: str | None, commands: Iterable[str]
) -> str:
    """Commands below a head: the hashes of both texts, and how the commands are loaded, in lines of remarks."""
    head = [f"HNTES transition from {_named(delivered)}", f"to {_named(approved)}", *how]
    return "".join(f"{line}\n" for line in (*(f"{comment} {line}" for line in head), *commands))


def _named(text: str | None) -> str:
    return "nothing" if text is None else hashlib.sha256(text.encode()).hexdigest()
