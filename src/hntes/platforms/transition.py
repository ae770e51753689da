"""Transitions between two texts, with a head that names both and says how to load the commands."""

from hntes.platforms.registry import platform_of


def transition(platform: str, delivered: str | None, approved: str | None) -> str:
    """The commands from the delivered to the approved configuration; None is nothing of HNTES.

    Raises:
        TransitionError: a text was not written by the renderer, or a policy changes under the same name.
    """
    return platform_of(platform).dialect.transition(delivered, approved)


def removal(platform: str, delivered: str) -> str:
    """The commands that remove everything of a delivered text from a router.

    Raises:
        TransitionError: the text was not written by the renderer.
    """
    return transition(platform, delivered, None)
