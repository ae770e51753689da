"""The request and the result of a push."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from typing import Literal

from hntes.platforms.device import Device
from hntes.platforms.dialect import Dialect

Outcome = Literal["shown", "done", "held", "finished", "undone", "kept"]


def _nothing_to_judge(_: Dialect, __: str) -> None:
    """The judgement of a removal: none."""


def not_watched() -> None:
    """The load of a router that is not watched."""


def always_allowed() -> None:
    """The permission of a removal, which needs none."""


def _lost(_: str) -> str | None:
    """The text of an interrupted push: unknown."""
    return None


@dataclass(frozen=True)
class PushRequest:
    """A request to change a router from the text before to the text after, None for nothing of HNTES.

    day: of the approval, None for a removal. minutes: the router's rollback timer. verify: raises unless the router
    of that session behaves as the text after says. record: writes a step to the audit log before it is done, and
    the end of the push. begun_text: the text of an interrupted push by its hash, None if it is lost. only_finishes:
    end an interrupted push, start nothing new. takes_anything: replace whatever HNTES has on the router, as a
    removal does. confirms_others: go on although another commit awaits its confirmation, which this one gives.
    is_known: the log already says that the router runs the text after, so nothing is recorded if it holds it.
    judge: raises unless a whole configuration, the one before its trial or the one that already holds the text,
    behaves as the text after says; not used if that is nothing. require_allowed: raises if a router that holds the text
    before may not be given the one after; asked before it is loaded, and again before it is confirmed. before_push:
    raises if the router's load is too high to begin. on_trial: raises if it is too high on trial; may wait.
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
    begun_text: Callable[[str], str | None] = _lost
    confirms_others: bool = False
    judge: Callable[[Dialect, str], None] = _nothing_to_judge
    require_allowed: Callable[[], None] = always_allowed
    before_push: Callable[[], None] = not_watched
    on_trial: Callable[[], None] = not_watched

    @property
    def remark(self) -> str:
        """The commit comment in the router's own log."""
        return remark_of(sha256(self.after))


@dataclass(frozen=True)
class PushResult:
    """The result of a push. `difference` is the router's own diff, empty if nothing was loaded.

    `outcome`: "shown" (dry run), "done", "held" (the router already held it), "finished" (an interrupted push was
    completed), "undone" (the router had rolled back an interrupted push) or "kept" (somebody had confirmed an
    interrupted push that was not to be completed: its text is there for good, and was not verified).
    """

    outcome: Outcome
    difference: str = ""


def remark_of(text_sha256: str | None) -> str:
    """The commit comment of a push to the text with that hash."""
    return f"hntes {(text_sha256 or 'nothing')[:12]}"


def sha256(text: str | None) -> str | None:
    """The SHA-256 of a text; None for None."""
    return None if text is None else hashlib.sha256(text.encode()).hexdigest()
