"""The transition from one text to another, with a head that says between what it leads and how it is loaded."""

from hntes.platforms.registry import platform_of


def transition(platform: str, delivered: str | None, approved: str | None) -> str:
    """The commands from what was delivered last to what is approved; None stands for nothing of HNTES.

    Raises:
        TransitionError: a text is not as the renderer writes it, or a policy changes under its name.
    """
    return platform_of(platform).dialect.transition(delivered, approved)


def withdrawal(platform: str, delivered: str) -> str:
    """The commands that remove all that a delivered text put on a router.

    Raises:
        TransitionError: the text is not as the renderer writes it.
    """
    return transition(platform, delivered, None)
