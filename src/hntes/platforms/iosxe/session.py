"""A session with an IOS-XE router, line by line: it has no candidate, and each line takes effect as it is typed.

The trial is the timed rollback: `configure terminal revert timer MINUTES` stores the running configuration in the
archive and restores it when the timer expires, unless `configure confirm` is given. A confirmed configuration is lost
at a restart until it is saved as well.

Sources: Cisco IOS XE 17.x System Management Configuration Guide, "Configuration Rollback Confirmed Change",
"Configuration Replace and Configuration Rollback", "Exclusive Configuration Change Access and Access Session
Locking"; Configuration Management Command Reference: "configure terminal" (1 to 120 minutes), "configure revert" (the
archive must be enabled; only the user who set the timer can confirm), "show archive config rollback timer". The message
that no change is pending is the one that NAPALM's driver for IOS looks for.
"""

import math
import re
import time
from collections.abc import Callable, Sequence

from hntes.platforms.cisco.channel import Channel, open_channel
from hntes.platforms.counters import Counter
from hntes.platforms.device_errors import (
    DeliveryError,
    NotStoredError,
    RefusedError,
    TrialEndedError,
    TrialError,
    UnclearError,
)
from hntes.platforms.dialect import Dialect
from hntes.platforms.iosxe.apply_commands import typed
from hntes.platforms.iosxe.counters import iosxe_counter
from hntes.platforms.iosxe.dialect import DIALECT
from hntes.platforms.iosxe.startup_config import require_archive, unsaved
from hntes.settings.delivery import Access

_NONE_WAITS = "No Rollback Confirmed Change pending"
_TIMER = "show archive config rollback timer"
# The unused end of the timer: a minute before the rollback a router prints a warning on the terminal, between or after
# lines, and its configuration during a rollback does not show whether a confirmation came before.
_LAST_S = 60.0
_HOST_NAME = re.compile(r"^hostname (\S+)$", re.MULTILINE)
_QUESTION = r"\[confirm\]|\[(?:no|yes)\]:? ?|\]\? ?"


class IosxeDevice:
    """One session; see `hntes.platforms.device`. `now_s`: monotonic time in s."""

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
        """There is no lock to hold, but no trial may be in progress: its end would change the configuration.

        With the operator's `configuration mode exclusive auto`, a router refuses the trial while somebody else
        configures it, and nobody else can configure it while the lines are typed.
        """
        waits = self._waits()
        if not self._channel.is_privileged:
            raise RefusedError("the login ends in user mode (a prompt with `>`); give the user privilege 15")
        if waits:
            raise TrialError(f"a change awaits its confirmation ({waits})")

    def running(self) -> str:
        running = self._listed("show running-config")
        if host_name := _HOST_NAME.search(running):
            self._channel.learn_host_name(host_name[1])
        return running

    def trial(self) -> str | None:
        """Always None: `lock` has refused a router with a trial in progress."""
        return None

    def undo_trial(self, remark: str) -> None:  # noqa: ARG002 - never called
        """Not possible: `lock` has refused a router with a trial in progress."""
        raise RefusedError("no trial of this session is in progress")

    def inherited(self) -> str:
        return self.running()

    def load(self, commands: str, *, is_removal: bool) -> str:
        """An unsaved change of somebody else does not delay a removal, which is then in effect, but not saved."""
        running = self.running()
        require_archive(running)
        if not is_removal and (lines := unsaved(running, self._listed("show startup-config"))):
            raise DeliveryError(
                "the router has an unsaved change of somebody else, which would be saved with this one; save it "
                "(`write memory`) or undo it:\n" + "\n".join(lines)
            )
        self._candidate = typed(running, commands)
        self._lines = [line for line in map(str.strip, commands.splitlines()) if line and not line.startswith("!")]
        return "\n".join(DIALECT.owned(self._candidate).changes(DIALECT.owned(running)))

    def candidate(self) -> str:
        return self._candidate

    def inherited_candidate(self) -> str:
        return self._candidate

    def discard(self) -> None:
        self._lines, self._candidate = [], ""

    def check(self) -> None:
        """IOS-XE cannot check a configuration before it takes effect."""

    def commit_trial(self, minutes: int, remark: str) -> None:  # noqa: ARG002 - a router keeps no remark
        if minutes < 2:
            raise RefusedError("[delivery] confirm_minutes must be 2 or more for IOS-XE: its last minute is not used")
        self._until_s = self._now_s() + 60.0 * minutes - _LAST_S
        self._begin_trial(minutes)
        for line in self._lines:
            if self._now_s() > self._until_s:
                raise UnclearError(f"the rollback timer nearly expired before `{line}`, which was not sent")
            try:
                self._channel.enter(line)
            except RefusedError as refused:
                raise UnclearError(f"{refused}; the lines before it are in effect until the timer expires") from refused
        self._require_timer()
        self._leave()

    def confirm(self, remark: str) -> None:  # noqa: ARG002 - a router keeps no remark
        """If no change is pending, it was confirmed or rolled back: the configuration shows which."""
        if self._now_s() > self._until_s:
            raise RefusedError("the rollback timer nearly expired; not confirmed")
        said = self._channel.ask("configure confirm")
        if waits := self._waits():
            raise RefusedError(f"the router did not confirm: {' '.join(said.split())} ({waits})")

    def save(self) -> None:
        running = self.running()
        if lines := unsaved(running, self._listed("show startup-config")):
            raise NotStoredError(
                "the change is in effect, but nothing was saved, because of an unsaved change of somebody else: save "
                "it (`write memory`) or undo it, then give the same command again\n" + "\n".join(lines)
            )
        said = " ".join(self._channel.ask("write memory", _QUESTION).split())
        if re.search(rf"(?:{_QUESTION})\Z", said):
            raise NotStoredError(f"the router holds the new text and asks before it saves: {said}; save it by hand")
        if DIALECT.owned(self._listed("show startup-config")) != DIALECT.owned(running):
            raise NotStoredError(f"the router holds the new text but did not save it: {said}; then deliver again")

    def counters(self, interfaces: Sequence[str]) -> tuple[Counter, ...]:
        said = ((name, self._channel.ask(f"show policy-map interface {name} input")) for name in interfaces)
        return tuple(each for name, answer in said for each in iosxe_counter(answer, name))

    def close(self) -> None:
        """Closes the session; typed lines stay in effect, and a trial's timer keeps running."""
        self._channel.close()

    def _waits(self) -> str | None:
        """The router's output on a pending change; None if it says that there is none."""
        said = " ".join(self._channel.ask(_TIMER).split())
        return None if _NONE_WAITS in said else said or f"no answer to `{_TIMER}`"

    def _begin_trial(self, minutes: int) -> None:
        """Starts the timer and verifies that it runs before any line is sent."""
        said = " ".join(self._channel.ask(f"configure terminal revert timer {minutes}").split())
        if self._channel.mode != "config":
            raise RefusedError(f"the router refused a trial: {said}")
        if _NONE_WAITS in self._channel.ask(f"do {_TIMER}"):
            self._leave()
            raise RefusedError(f"the router set no timer: {said}")

    def _require_timer(self) -> None:
        """Requires that the timer still runs: else nobody rolls back the lines that are in effect."""
        if _NONE_WAITS in self._channel.ask(f"do {_TIMER}"):
            self._leave()
            raise TrialEndedError(
                "somebody ended the rollback timer (`configure revert now`, `configure confirm`) while lines were sent"
            )

    def _leave(self) -> None:
        self._channel.ask("end")
        if self._channel.mode:
            raise UnclearError("the router did not leave configuration mode")

    def _listed(self, command: str) -> str:
        """A whole configuration, without the line with its size and its `end`."""
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
