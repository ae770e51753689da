"""The end of a trial: kept, rolled back, or confirmed over another session after the first one was lost.

The router is queried each time, over a new session. Its configuration is trusted once the lock was obtained: a commit
of the lost session may still be running, and holds the lock meanwhile.
"""

from dataclasses import dataclass
from typing import NoReturn

from hntes.delivery.journal import Entry, Journal
from hntes.delivery.request import PushRequest
from hntes.delivery.timer import Timer
from hntes.platforms.device import Device, Opener, held
from hntes.platforms.device_errors import (
    DeliveryError,
    KeptError,
    NotKeptError,
    NotStoredError,
    StuckError,
    TrialEndedError,
    UnclearError,
    UnreachableError,
)
from hntes.platforms.owned_config import OwnedConfig

POLL_S = 5.0
# A router rolls back within its timer plus the duration of a commit.
MARGIN_S = 120.0


@dataclass(frozen=True)
class CommitOutcome:
    """The outcome of one push; `before` and `after` are the configurations owned by HNTES."""

    request: PushRequest
    opened: Opener
    journal: Journal
    timer: Timer
    before: OwnedConfig
    after: OwnedConfig

    def kept(self, entry: Entry) -> None:
        """Records that the router holds the new text permanently."""
        self.journal.step(entry, "kept")
        self.request.record("kept")
        self.journal.end()

    def stored(self, device: Device) -> None:
        """Stores the new text as startup configuration.

        Raises:
            NotStoredError: it could not be stored.
        """
        try:
            device.save()
        except NotStoredError:
            self.request.record("confirmed, but not stored")
            raise

    def back(self, cause: Exception) -> NoReturn:
        """Waits until the router has rolled back to the text before; always raises.

        Raises:
            NotKeptError: it has rolled back.
            KeptError, StuckError: it holds the new text, or neither, although its timer has expired.
            UnclearError: it does not answer.
        """
        deadline_s = self.timer.now_s() if isinstance(cause, TrialEndedError) else self._deadline_s()
        while True:
            is_over = self.timer.now_s() >= deadline_s
            holds = self._holds(is_locked=not is_over)
            if holds is not None and self._is_back(holds):
                self._gone_back(cause)
            if is_over:
                self._not_back(holds, cause)
            self.timer.sleep(POLL_S)

    def confirm_anew(self, entry: Entry, cause: Exception) -> None:
        """Confirms again after a confirmation without a clear answer, if the router still holds the new text.

        Raises:
            NotKeptError, StuckError, UnclearError: as `back`.
        """
        deadline_s = self._deadline_s()
        while self.timer.now_s() < deadline_s:
            try:
                holds = self._confirmed_by_another()
            except NotStoredError:
                raise
            except DeliveryError:
                self.timer.sleep(POLL_S)
                continue
            if holds == self.after:
                self.kept(entry)
                return
            break
        self.back(cause)

    def _confirmed_by_another(self) -> OwnedConfig:
        device = self.opened()
        try:
            device.lock()
            if (holds := held(device)) == self.after:
                device.confirm(self.request.remark)
                holds = held(device)
            if holds == self.after:
                self.stored(device)
            return holds
        finally:
            device.close()

    def _deadline_s(self) -> float:
        return self.timer.now_s() + 60.0 * self.request.minutes + MARGIN_S

    def _holds(self, *, is_locked: bool) -> OwnedConfig | None:
        """The configuration owned by HNTES; None without a valid answer, or while another session holds the lock."""
        try:
            device = self.opened()
        except UnreachableError:
            return None
        try:
            return self._read(device, is_locked=is_locked)
        except DeliveryError:
            return None
        finally:
            device.close()

    def _read(self, device: Device, *, is_locked: bool) -> OwnedConfig:
        """Reads the configuration. Takes the lock only if the result is to be trusted: it might block a rollback."""
        holds = held(device)
        if is_locked and self._is_back(holds):
            device.lock()
            holds = held(device)
        return holds

    def _is_back(self, holds: OwnedConfig) -> bool:
        """Whether the router has rolled back. Before an interrupted removal the text is unknown: any other counts."""
        return holds == self.before if self.before != self.after else holds != self.after

    def _gone_back(self, cause: Exception) -> NoReturn:
        self.request.record("rolled back: the router holds the text before")
        self.journal.end()
        raise NotKeptError(f"router {self.request.router}: {cause}\nThe router has rolled back") from cause

    def _not_back(self, holds: OwnedConfig | None, cause: Exception) -> NoReturn:
        name = f"router {self.request.router}: {cause}"
        if holds is None:
            raise UnclearError(
                f"{name}\nThe router does not answer with a configuration; call again when it does"
            ) from cause
        kind, what = StuckError, "it holds neither text"
        next_step = "Run `hntes router drift`, then undo the change or remove HNTES"
        if holds == self.after:
            kind, what = KeptError, "the router holds the new text: it was confirmed"
            next_step = "Deliver again to verify and keep it, or remove it"
        self.request.record(f"not rolled back: {what}")
        raise kind(f"{name}\nNot rolled back: {what}. {next_step}") from cause
