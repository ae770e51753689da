"""How a trial ends: kept, back, or confirmed over another session after the first one was lost.

The router is asked each time, over a new session. What it holds is believed once its lock was had: a commit of the
session that was lost may still be at work, and holds the lock as long.
"""

from dataclasses import dataclass
from typing import NoReturn

from hntes.delivery.journal import Entry, Journal
from hntes.delivery.request import PushRequest
from hntes.delivery.timer import Timer
from hntes.platforms.device import Device, Opener, held
from hntes.platforms.device_errors import (
    DeliveryError,
    NotKeptError,
    NotStoredError,
    StuckError,
    UnclearError,
    UnreachableError,
)
from hntes.platforms.owned_config import OwnedConfig

POLL_S = 5.0
# A router goes back within its time and what a commit takes there.
MARGIN_S = 120.0


@dataclass(frozen=True)
class Aftermath:
    """Of one push; `before` and `after` are the parts of the configuration that are HNTES' own."""

    request: PushRequest
    opened: Opener
    journal: Journal
    timer: Timer
    before: OwnedConfig
    after: OwnedConfig

    def kept(self, entry: Entry) -> None:
        """The router holds the new text, and it stays."""
        self.journal.step(entry, "kept")
        self.request.record("kept")
        self.journal.end()

    def stored(self, device: Device) -> None:
        """The router holds the new text for good, and would start with it.

        Raises:
            NotStoredError: it would not.
        """
        try:
            device.save()
        except NotStoredError:
            self.request.record("confirmed, but not stored")
            raise

    def back(self, cause: Exception) -> NoReturn:
        """Waits until the router is seen to hold the text before again.

        Raises:
            NotKeptError: it does.
            StuckError: it holds something else although its time is over.
            UnclearError: it does not answer.
        """
        deadline_s = self._deadline_s()
        while True:
            is_over = self.timer.now_s() >= deadline_s
            holds = self._holds(is_locked=not is_over)
            if holds is not None and self._is_back(holds):
                self._gone_back(cause)
            if is_over:
                self._not_back(holds, cause)
            self.timer.sleep(POLL_S)

    def confirm_anew(self, entry: Entry, cause: Exception) -> None:
        """After a confirmation without a clear answer: confirms again if the router still holds the new text.

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
        """What the router holds; None without an answer that is a configuration, or while another is at work there."""
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
        """The lock is taken only for what would be believed: it might keep a router from going back."""
        holds = held(device)
        if is_locked and self._is_back(holds):
            device.lock()
            holds = held(device)
        return holds

    def _is_back(self, holds: OwnedConfig) -> bool:
        """Of a withdrawal that an earlier call began it is not known what was there before: then it is anything."""
        return holds == self.before if self.before != self.after else holds != self.after

    def _gone_back(self, cause: Exception) -> NoReturn:
        self.request.record("back: the router holds the text before")
        self.journal.end()
        raise NotKeptError(f"router {self.request.router}: {cause}\nThe router holds what it held before") from cause

    def _not_back(self, holds: OwnedConfig | None, cause: Exception) -> NoReturn:
        name = f"router {self.request.router}: {cause}"
        if holds is None:
            raise UnclearError(
                f"{name}\nThe router does not answer, or not with a configuration; call again when it does"
            ) from cause
        what, next_step = "it holds neither text", "Look at it (`hntes router drift`), undo it there or withdraw it"
        if holds == self.after:
            what = "the router holds the new text: it was confirmed"
            next_step = "Deliver again to verify and keep it, or withdraw it"
        self.request.record(f"not back: {what}")
        raise StuckError(f"{name}\nNot back: {what}. {next_step}") from cause
