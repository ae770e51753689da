"""What a push is asked to do, and what it answers."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from typing import Literal

from hntes.platforms.device import Device
from hntes.platforms.dialect import Dialect

Outcome = Literal["shown", "done", "held", "finished", "undone"]


def _nothing_to_judge(_: Dialect, __: str) -> None:
    """Of a withdrawal."""


@dataclass(frozen=True)
class PushRequest:
    """The texts before and after, None for nothing of HNTES.

    day: of the approval, None for a withdrawal. minutes: how long the router waits for the confirmation. verify: raises
    unless the router of that session does what the text after says. record: tells the audit log of a step before it is
    done, and of how the push ended. only_finishes: what an earlier call began; nothing new is begun. takes_anything:
    whatever HNTES has there is replaced, as a withdrawal does. is_known: the log says already that the router runs the
    text after, so that nothing is recorded if it holds it. judge: raises unless a whole configuration does what the
    text after says; where that is nothing, nothing is judged.
    """

    router: str
    before: str | None
    after: str | None
    day: date | None
    minutes: int
    verify: Callable[[Device], None]
    record: Callable[[str], None]
    only_finishes: bool = False
    takes_anything: bool = False
    is_known: bool = False
    judge: Callable[[Dialect, str], None] = _nothing_to_judge

    @property
    def remark(self) -> str:
        """By which the router's own log names the push."""
        return f"hntes {(sha256(self.after) or 'nothing')[:12]}"


@dataclass(frozen=True)
class PushResult:
    """`difference` is the router's own, empty where nothing was loaded.

    `outcome`: "shown" (a dry run), "done", "held" (the router held it already), "finished" (what an earlier call began)
    or "undone" (what an earlier call began, the router had gone back from).
    """

    outcome: Outcome
    difference: str = ""


def sha256(text: str | None) -> str | None:
    """Of a text; None of nothing."""
    return None if text is None else hashlib.sha256(text.encode()).hexdigest()
