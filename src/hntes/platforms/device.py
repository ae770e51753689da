"""The interface of a session with a router, for all platforms."""

from collections.abc import Callable, Sequence
from typing import Protocol

from hntes.platforms.counters import Counter
from hntes.platforms.dialect import Dialect
from hntes.platforms.owned_config import OwnedConfig


class Device(Protocol):
    """One session with one router. A request may raise RefusedError (not done) or UnclearError (may be done)."""

    @property
    def dialect(self) -> Dialect: ...

    def lock(self) -> None:
        """Locks the configuration against changes by others until the session ends or its trial starts.

        TrialError: a trial is in progress that this session can neither confirm nor end.
        """

    def running(self) -> str:
        """The committed configuration, as text."""

    def trial(self) -> str | None:
        """The router's log entry of a commit that awaits its confirmation; None if it shows none."""

    def undo_trial(self, remark: str) -> None:
        """Ends HNTES' own trial at once: commits the configuration before it, as the router would later.

        Only called while this session holds the lock, and `trial` names a commit or trials have ids: then it ends that
        of HNTES alone, and does nothing if there is none. RefusedError: the trial goes on.
        """

    def inherited(self) -> str:
        """The committed configuration with statements inherited from groups, as text."""

    def load(self, commands: str, *, is_removal: bool) -> str:
        """Loads commands into the candidate; returns its diff to the committed configuration.

        The diff is the router's own, or computed from both configurations if the router's is unreliable.
        """

    def candidate(self) -> str:
        """The candidate, as text."""

    def inherited_candidate(self) -> str:
        """The candidate with statements inherited from groups, as text."""

    def discard(self) -> None:
        """Resets the candidate to the committed configuration."""

    def check(self) -> None:
        """Checks that the candidate can be committed."""

    def commit_trial(self, minutes: int, remark: str) -> None:
        """Commits on trial: the router rolls back unless the commit is confirmed within that time.

        RefusedError: nothing was changed. UnclearError also if a part is in effect until the timer expires.
        """

    def confirm(self, remark: str) -> None:
        """Confirms the trial.

        Does nothing if only the session that started the trial could confirm it: since this one has the lock, the
        trial has ended.
        """

    def save(self) -> None:
        """Makes the running configuration the startup configuration. NotStoredError: it is not stored."""

    def counters(self, interfaces: Sequence[str]) -> tuple[Counter, ...]:
        """The router's counters of the pairs' packets; for the named interfaces if it counts per interface.

        DeliveryError: the answer cannot be parsed, or a number is implausible.
        """

    def close(self) -> None:
        """Closes the session, with or without an answer."""


def held(device: Device) -> OwnedConfig:
    """The committed configuration that HNTES owns."""
    return device.dialect.owned(device.running())


# A function that opens a session. Raises UnreachableError.
Opener = Callable[[], Device]
