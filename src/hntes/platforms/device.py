"""The interface of a session with a router, whatever its platform."""

from collections.abc import Callable, Sequence
from typing import Protocol

from hntes.platforms.counters import Counter
from hntes.platforms.dialect import Dialect
from hntes.platforms.owned_config import OwnedConfig


class Device(Protocol):
    """One session with one router. A request may raise RefusedError (not done) or UnclearError (perhaps done)."""

    @property
    def dialect(self) -> Dialect: ...

    def lock(self) -> None:
        """Nobody else can change or commit the configuration until the session ends, or its trial begins.

        TrialError where a trial is under way which this session can neither confirm nor end.
        """

    def running(self) -> str:
        """The committed configuration, as text."""

    def trial(self) -> str | None:
        """What the router's log says of a commit that waits for its confirmation; None if it names none."""

    def inherited(self) -> str:
        """The committed configuration with what groups give it, as text."""

    def load(self, commands: str, *, is_removal: bool) -> str:
        """Puts commands into the candidate; returns the difference to what is committed.

        It is the router's own, or is made of its two configurations where its own cannot be believed.
        """

    def candidate(self) -> str:
        """The candidate, as text."""

    def discard(self) -> None:
        """The candidate is what is committed again."""

    def check(self) -> None:
        """Whether the candidate could be committed."""

    def commit_trial(self, minutes: int, remark: str) -> None:
        """Commits; the router goes back by itself unless it is confirmed within that time.

        RefusedError: nothing was changed. UnclearError also where a part of it is in effect until the time is over.
        """

    def confirm(self, remark: str) -> None:
        """Lets what is on trial stay.

        Nothing is to be done where only the session that began a trial can, and this one has the lock: it is over.
        """

    def save(self) -> None:
        """What is in effect is what the router starts with. NotStoredError: it is not."""

    def counters(self, interfaces: Sequence[str]) -> tuple[Counter, ...]:
        """What the router has counted of the pairs' packets; by interface, where it counts so, for those named.

        DeliveryError: its answer is not understood, or a number cannot be.
        """

    def close(self) -> None:
        """Ends the session, answered or not."""


def held(device: Device) -> OwnedConfig:
    """The part of what is committed there that is HNTES' own."""
    return device.dialect.owned(device.running())


# Opens a new session. Raises UnreachableError.
Opener = Callable[[], Device]
