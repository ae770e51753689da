"""The transition as a text with a head that says between what it leads and how it is loaded."""

import hashlib

from hntes.platforms.cisco.blocks import read_blocks
from hntes.platforms.iosxe.transition import iosxe_commands
from hntes.platforms.iosxr.transition import iosxr_commands
from hntes.platforms.junos.transition import junos_removal, junos_text
from hntes.settings.terms import Platform

_JUNOS_LOAD = (
    "Load with `load replace`, then `commit check` and `commit confirmed`. The group is replaced as a whole.",
    "A statement of the router's own in the same place wins over the group's: `show | display inheritance` shows both.",
    "So does what was loaded of HNTES without the group: delete it in the same commit.",
)
_JUNOS_REMOVAL = (
    "Load with `load set`, then `commit confirmed`.",
    "What was loaded of HNTES without the group stays: delete it in the same commit.",
)
_HOW = {
    "iosxr": ("Load everything into the target configuration and commit once.",),
    "iosxe": (
        "Type line by line in configuration mode, in this order: each line is in force at once.",
        "Between `no service-policy` and the next line the interface has no policy of ours: keep the two together.",
    ),
}


def transition(platform: Platform, delivered: str | None, approved: str | None) -> str:
    """The commands from what was delivered last to what is approved; None stands for nothing of HNTES.

    Raises:
        TransitionError: a text is not as the renderer writes it, or a policy changes under its name.
    """
    if platform == "junos":
        if approved is None:
            return _text("#", _JUNOS_REMOVAL, delivered, approved, junos_removal(delivered))
        return _text("#", _JUNOS_LOAD, delivered, approved, junos_text(approved, delivered))
    old, new = read_blocks(delivered), read_blocks(approved)
    commands = iosxr_commands(old, new) if platform == "iosxr" else iosxe_commands(old, new)
    return _text("!", _HOW[platform], delivered, approved, commands)


def withdrawal(platform: Platform, delivered: str) -> str:
    """The commands that remove all that a delivered text put on a router.

    Raises:
        TransitionError: the text is not as the renderer writes it.
    """
    return transition(platform, delivered, None)


def _text(mark: str, how: tuple[str, ...], delivered: str | None, approved: str | None, commands: list[str]) -> str:
    head = [f"HNTES transition from {_named(delivered)}", f"to {_named(approved)}", *how]
    return "".join(f"{line}\n" for line in (*(f"{mark} {line}" for line in head), *commands))


def _named(text: str | None) -> str:
    return "nothing" if text is None else hashlib.sha256(text.encode()).hexdigest()
