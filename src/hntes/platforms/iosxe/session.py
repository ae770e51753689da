"""An IOS-XE router, asked line by line: it has no candidate, and each line is in effect as it is typed.

Its trial is the timed rollback: `configure terminal revert timer MINUTES` stores the running configuration in the
archive and brings it back when the time is over, unless `configure confirm` came. What is confirmed is lost at a
restart until it is stored as well.

Sources: Cisco IOS XE 17.x System Management Configuration Guide, "Configuration Rollback Confirmed Change",
"Configuration Replace and Configuration Rollback", "Exclusive Configuration Change Access and Access Session
Locking"; Configuration Management Command Reference: "configure terminal" (1 to 120 minutes), "configure revert" (the
archive must be enabled; only the user who set the timer can confirm), "show archive config rollback timer". The words
with which a router says that no change waits are those that NAPALM's driver for IOS looks for.
"""

import math
import re
import time
from collections.abc import Callable, Sequence

from hntes.platforms.cisco.channel import Channel, open_channel
from hntes.platforms.counters import Counter
from hntes.platforms.device_errors import DeliveryError, NotStoredError, RefusedError, TrialError, UnclearError
from hntes.platforms.dialect import Dialect
from hntes.platforms.iosxe.apply_commands import typed
from hntes.platforms.iosxe.counters import iosxe_counter
from hntes.platforms.iosxe.dialect import DIALECT
from hntes.platforms.iosxe.startup_config import require_archive, unsaved
from hntes.settings.delivery import Access

_NONE_WAITS = "No Rollback Confirmed Change pending"
_TIMER = "show archive config rollback timer"
# Of a trial's time, not used: a minute before it goes back a router says so on the terminal, between lines or behind
# one, and what it holds while it goes back does not say whether a confirmation came before.
_LAST_S = 60.0
_QUESTION = r"\[confirm\]|\[(?:no|yes)\]:? ?|\]\? ?"


class IosxeDevice:
    """One session; see `hntes.platforms.device`. `now_s`: time that goes on by itself, in s from any moment."""

    def __init__(self, channel: Channel, now_s: Callable[[], float] = time.monotonic) -> None:
        self._channel = channel
        self._now_s = now_s
        self._lines: list[str] = []
        self._candidate = ""
        self._until_s = math.inf

    @property
    def dialect(self) -> Dialect:
        return DIALECT

    def lock(self) -> None:
        """There is none that a session could hold, but no trial must be under way: its end changes what was read.

        Where the operator has `configuration mode exclusive auto`, a router that somebody else is configuring refuses
        the trial, and nobody else can configure it while the lines are typed.
        """
        waits = self._waits()
        if not self._channel.is_privileged:
            raise RefusedError("the login ends in user mode (a prompt with `>`); give the user privilege 15")
        if waits:
            raise TrialError(f"a change waits for its confirmation there ({waits})")

    def running(self) -> str:
        return self._listed("show running-config")

    def trial(self) -> str | None:
        """Always None: `lock` has refused a router with a trial under way."""
        return None

    def inherited(self) -> str:
        return self.running()

    def load(self, commands: str, *, is_removal: bool) -> str:  # noqa: ARG002 - the commands say all
        running = self.running()
        require_archive(running)
        if lines := unsaved(running, self._listed("show startup-config")):
            raise DeliveryError(
                "somebody's change is not stored on the router, and would be stored with this one; store it "
                "(`write memory`) or undo it:\n" + "\n".join(lines)
            )
        self._candidate = typed(running, commands)
        self._lines = [line for line in map(str.strip, commands.splitlines()) if line and not line.startswith("!")]
        return "\n".join(DIALECT.owned(self._candidate).changes(DIALECT.owned(running)))

    def candidate(self) -> str:
        return self._candidate

    def discard(self) -> None:
        self._lines, self._candidate = [], ""

    def check(self) -> None:
        """Nothing is checked there before it is in effect."""

    def commit_trial(self, minutes: int, remark: str) -> None:  # noqa: ARG002 - a router keeps no remark
        if minutes < 2:
            raise RefusedError("[delivery] confirm_minutes must be 2 or more for IOS-XE: its last minute is not used")
        self._until_s = self._now_s() + 60.0 * minutes - _LAST_S
        self._begin_trial(minutes)
        for line in self._lines:
            if self._now_s() > self._until_s:
                raise UnclearError(f"the router's time is nearly over before `{line}`, which was not sent")
            try:
                self._channel.enter(line)
            except RefusedError as refused:
                raise UnclearError(f"{refused}; the lines before it are in effect until the time is over") from refused
        self._leave()

    def confirm(self, remark: str) -> None:  # noqa: ARG002 - a router keeps no remark
        """Where nothing waits any more it was confirmed or its time was over: what the router holds says which."""
        if self._now_s() > self._until_s:
            raise RefusedError("the router's time is nearly over, and it was not confirmed")
        said = self._channel.ask("configure confirm")
        if waits := self._waits():
            raise RefusedError(f"the router did not confirm: {' '.join(said.split())} ({waits})")

    def save(self) -> None:
        running = self.running()
        if lines := unsaved(running, self._listed("show startup-config")):
            raise NotStoredError(
                "the router holds the new text, but somebody else's change beside it is not stored, so nothing was: "
                "store it there (`write memory`) or undo it, then deliver again\n" + "\n".join(lines)
            )
        said = " ".join(self._channel.ask("write memory", _QUESTION).split())
        if re.search(rf"(?:{_QUESTION})\Z", said):
            raise NotStoredError(f"the router holds the new text and asks before it stores it: {said}; do it by hand")
        if DIALECT.owned(self._listed("show startup-config")) != DIALECT.owned(running):
            raise NotStoredError(f"the router holds the new text but did not store it: {said}; then deliver again")

    def counters(self, interfaces: Sequence[str]) -> tuple[Counter, ...]:
        said = ((name, self._channel.ask(f"show policy-map interface {name} input")) for name in interfaces)
        return tuple(each for name, answer in said for each in iosxe_counter(answer, name))

    def close(self) -> None:
        """What was typed stays in effect; the time of a trial goes on."""
        self._channel.close()

    def _waits(self) -> str | None:
        """What the router says of a change that waits: whatever it prints but the words that there is none."""
        said = " ".join(self._channel.ask(_TIMER).split())
        return None if _NONE_WAITS in said else said or f"no answer to `{_TIMER}`"

    def _begin_trial(self, minutes: int) -> None:
        """The router is asked whether its time runs before any line is sent, whatever it printed."""
        said = " ".join(self._channel.ask(f"configure terminal revert timer {minutes}").split())
        if self._channel.mode != "config":
            raise RefusedError(f"the router refused a trial: {said}")
        if _NONE_WAITS in self._channel.ask(f"do {_TIMER}"):
            self._leave()
            raise RefusedError(f"the router set no timer: {said}")

    def _leave(self) -> None:
        self._channel.ask("end")
        if self._channel.mode:
            raise UnclearError("the router did not leave configuration mode")

    def _listed(self, command: str) -> str:
        """A whole configuration: between the lines with its size and its `end`."""
        said = self._channel.ask(command)
        lines = said.rstrip().splitlines()
        if not lines or lines[-1].strip() != "end":
            raise RefusedError(f"`{command}` gave a configuration without its end: {' '.join(said.split())[:200]}")
        first = next((at for at, line in enumerate(lines) if line.startswith("!")), 0)
        return "\n".join(lines[first:]) + "\n"


def open_iosxe(access: Access, timeout_s: int) -> IosxeDevice:
    """A session with a router that shows the pinned host key.

    Raises:
        UnreachableError: as `open_channel`.
    """
    return IosxeDevice(open_channel(access, timeout_s, "cisco_xe"))
