"""The request and the result of a push."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from typing import Literal

from hntes.platforms.device import Device
from hntes.platforms.dialect import Dialect

Outcome = Literal["shown", "done", "held", "finished", "undone"]


def _nothing_to_judge(_: Dialect, __: str) -> None:
    """The judgement of a removal: none."""


@dataclass(frozen=True)
class PushRequest:
    """A request to change a router from the text before to the text after, None for nothing of HNTES.

    day: of the approval, None for a removal. minutes: the router's rollback timer. verify: raises unless the router of
    that session behaves as the text after says. record: writes a step to the audit log before it is done, and the end
    of the push. only_finishes: end an interrupted push, start nothing new. takes_anything: replace whatever HNTES has
    on the router, as a removal does. is_known: the log already says that the router runs the text after, so nothing is
    recorded if it holds it. judge: raises unless a whole configuration, the one before its trial or the one that
    already holds the text, behaves as the text after says; not used if that is nothing.
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
        """The commit comment in the router's own log."""
        return f"hntes {(sha256(self.after) or 'nothing')[:12]}"


@dataclass(frozen=True)
class PushResult:
    """The result of a push. `difference` is the router's own diff, empty if nothing was loaded.

    `outcome`: "shown" (dry run), "done", "held" (the router already held it), "finished" (an interrupted push was
    completed) or "undone" (the router had rolled back an interrupted push).
    """

    outcome: Outcome
    difference: str = ""


def sha256(text: str | None) -> str | None:
    """The SHA-256 of a text; None for None."""
    return None if text is None else hashlib.sha256(text.encode()).hexdigest()
