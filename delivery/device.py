"""What a push asks of a router, whatever its platform."""

from collections.abc import Callable
from typing import Protocol


class Device(Protocol):
    """One session with one router. A request may raise RefusedError (not done) or UnclearError (perhaps done)."""

    def lock(self) -> None:
        """Nobody else can change or commit the configuration until the session ends."""

    def running(self) -> str:
        """The committed configuration, as text."""

    def trial(self) -> str | None:
        """What the router's log says of a commit that waits for its confirmation; None if it names none."""

    def inherited(self) -> str:
        """The committed configuration with what groups give it, as text."""

    def load(self, commands: str, *, is_removal: bool) -> str:
        """Puts commands into the candidate; returns the router's own difference to what is committed."""

    def candidate(self) -> str:
        """The candidate, as text."""

    def discard(self) -> None:
        """The candidate is what is committed again."""

    def check(self) -> None:
        """Whether the candidate could be committed."""

    def commit_trial(self, minutes: int, remark: str) -> None:
        """Commits; the router goes back by itself unless it is confirmed within that time."""

    def confirm(self, remark: str) -> None:
        """Lets what is on trial stay."""

    def close(self) -> None:
        """Ends the session, answered or not."""


# Opens a new session. Raises UnreachableError.
Opener = Callable[[], Device]
