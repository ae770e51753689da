"""An IOS-XR router, asked on its command line.

Sources: Cisco ASR 9000 Getting Started Guide, "Configuring General Router Features", "Managing Configuration Sessions"
(two stages; a commit is all or nothing; `configure exclusive`; options of `commit`, of which `comment` is the last);
System Management Command Reference, "Configuration Management Commands" (`show configuration merge`, `show
configuration failed`, `clear`, `abort`). Of trials this was seen on an IOS XRv 9000, release 24.3.1, and stands in no
guide: only the session that began one can confirm it; the exclusive lock ends with it; no other session gets that lock
meanwhile; a session that ends leaves it to its time; leaving configuration mode ends it.

`show commit changes diff` is not asked: it was seen to be wrong in releases 7.2.2 and 7.6.2 (V. Bernat, "Broken commit
diff on Cisco IOS XR", 2022). The difference is made of `show running-config` and `show configuration merge`.
"""

import re
from collections.abc import Sequence

from hntes.platforms.cisco.channel import Channel, open_channel
from hntes.platforms.counters import Counter
from hntes.platforms.device_errors import DeliveryError, RefusedError, TrialError
from hntes.platforms.dialect import Dialect
from hntes.platforms.iosxr.counters import iosxr_counter
from hntes.platforms.iosxr.dialect import DIALECT
from hntes.settings.delivery import Access

_TIME = re.compile(r"\A\s*[A-Z][a-z]{2} [A-Z][a-z]{2} +\d+ [\d:.]+ \S+(?:\n|\Z)")
_QUESTION = r"\[(?:yes|no|cancel|confirm)\][:?]? ?"
_CONFIRMED = "Confirming commit for trial session"


class IosXrDevice:
    """One session; see `Device`. A trial that it began keeps it in configuration mode until it is closed."""

    def __init__(self, channel: Channel) -> None:
        self._channel = channel
        self._has_trial = False

    @property
    def dialect(self) -> Dialect:
        return DIALECT

    def lock(self) -> None:
        said = self._said("configure exclusive")
        if not self._is_configuring:
            waits = "trial commit is underway" in said
            raise (TrialError if waits else RefusedError)(f"the router refused the lock: {' '.join(said.split())}")

    def running(self) -> str:
        return self._configuration("show running-config")

    def trial(self) -> str | None:
        """Always None: a router refuses the lock while a trial is under way."""
        return None

    def inherited(self) -> str:
        """What groups would give is not shown: a reader refuses the line that applies one."""
        return self.running()

    def candidate(self) -> str:
        return self._configuration("show configuration merge")

    def load(self, commands: str, *, is_removal: bool) -> str:  # noqa: ARG002 - typed lines say themselves what they do
        for line in commands.splitlines():
            if line.strip() != "!":
                self._channel.enter(line)
            elif line == "!" and self._channel.mode != "config":
                self._channel.enter("root")
        changes = DIALECT.owned(self.candidate()).changes(DIALECT.owned(self.running()))
        return "\n".join(changes)

    def discard(self) -> None:
        self._channel.enter("clear")

    def check(self) -> None:
        """The router has no check but its commit, which is all or nothing."""

    def commit_trial(self, minutes: int, remark: str) -> None:
        """What a release says beside a trial that it began is not known; what the router holds then is verified."""
        said = self._committed(f"commit confirmed {60 * minutes} comment {remark}")
        if said.startswith("%"):
            raise RefusedError(f"the router refused: {' '.join([*said.split(), *self._failed().split()])}")
        self._has_trial = True

    def confirm(self, remark: str) -> None:  # noqa: ARG002 - a commit that confirms has no entry of its own
        """Of a trial that another session began: since this one has the lock, it is over, and what is there stays.

        Leaving the mode shows whether it was confirmed: else the router asks, or goes back at once.
        """
        if not self._has_trial:
            return
        said = self._committed("commit")
        if _CONFIRMED not in said:
            raise RefusedError(f"the router did not confirm: {' '.join(said.split())}")
        self._committed("end")
        self._has_trial = False

    def save(self) -> None:
        """What is committed is what the router starts with."""

    def counters(self, interfaces: Sequence[str]) -> tuple[Counter, ...]:
        said = ((name, self._said(f"show policy-map interface {name} input")) for name in interfaces)
        return tuple(each for name, answer in said for each in iosxr_counter(answer, name))

    def close(self) -> None:
        """What was not committed is given up, and with it the lock, which a router may keep for a lost connection."""
        try:
            if self._is_configuring and not self._has_trial:
                self._channel.ask("abort")
        except DeliveryError:
            pass  # the connection ends all the same
        finally:
            self._channel.close()

    @property
    def _is_configuring(self) -> bool:
        return self._channel.mode.startswith("config")

    def _said(self, line: str, question: str | None = None) -> str:
        """An answer without the time before it."""
        return _TIME.sub("", self._channel.ask(line, question)).strip()

    def _committed(self, line: str) -> str:
        """The answer to a commit, or to leaving the mode; whatever the router asks, such as whether to go over others'
        commits, is denied."""
        said = self._said(line, _QUESTION)
        if re.search(rf"{_QUESTION}\Z", said):
            self._channel.ask("no")
            raise RefusedError(f"the router asked: {' '.join(said.split())}")
        return said

    def _failed(self) -> str:
        """Why a commit failed, by the router's words."""
        lines = self._said("show configuration failed").splitlines()
        return " ".join(line for line in lines if not line.startswith("!! ") and line.strip(" !") not in ("", "end"))

    def _configuration(self, line: str) -> str:
        """A whole configuration; a router ends it with `end`."""
        lines = self._said(line).splitlines()
        if not lines or lines[-1].strip() != "end":
            raise DeliveryError(f"the answer to `{line}` is a configuration without its end: {' '.join(lines)[-200:]}")
        return "".join(f"{each}\n" for each in lines if not each.startswith("Building configuration"))


def open_iosxr(access: Access, timeout_s: int) -> IosXrDevice:
    """A session with a router that shows the pinned host key.

    Raises:
        UnreachableError: no connection, another host key, the login is refused, or no prompt was seen.
    """
    return IosXrDevice(open_channel(access, timeout_s, "cisco_xr"))
