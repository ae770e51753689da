"""A command-line session with an IOS-XR router.

Sources: Cisco ASR 9000 Getting Started Guide, "Configuring General Router Features", "Managing Configuration Sessions"
(two stages; a commit is all or nothing; `configure exclusive`; options of `commit`, of which `comment` is the last);
System Management Command Reference, "Configuration Management Commands" (`show configuration merge`, `show
configuration failed`, `clear`, `abort`). Undocumented behaviour of trials, observed on an IOS XRv 9000, release 24.3.1:
only the session that started a trial can confirm it; the exclusive lock ends with it; no other session gets that lock
meanwhile; if the session ends, the timer keeps running; leaving configuration mode ends the trial.

`show commit changes diff` is not used: it was found wrong in releases 7.2.2 and 7.6.2 (V. Bernat, "Broken commit diff
on Cisco IOS XR", 2022). The diff is computed from `show running-config` and `show configuration merge`.
"""

import re
from collections.abc import Sequence
from typing import NoReturn

from hntes.platforms.cisco.channel import Channel, open_channel, without_log
from hntes.platforms.counters import Counter
from hntes.platforms.device_errors import DeliveryError, RefusedError, TrialError, UnclearError
from hntes.platforms.dialect import Dialect
from hntes.platforms.iosxr.counters import iosxr_counter
from hntes.platforms.iosxr.dialect import DIALECT
from hntes.settings.delivery import Access

_TIME = re.compile(r"\A\s*[A-Z][a-z]{2} [A-Z][a-z]{2} +\d+ [\d:.]+ \S+(?:\n|\Z)")
_QUESTION = r"\[(?:yes|no|cancel|confirm|y/n)\][:?]? ?"
# A question about nothing but the time that a commit takes (ASR 9000, release 6.x): netmiko, pull request 2363.
_TAKES_TIME = "This could be a few minutes if your config is large"
_INVALID = "% Invalid input detected"
_CONFIRMED = "Confirming commit for trial session"


class IosXrDevice:
    """One session; see `Device`. After it starts a trial it stays in configuration mode until it is closed."""

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
        """Always None: a router refuses the lock while a trial is in progress."""
        return None

    def undo_trial(self, remark: str) -> None:  # noqa: ARG002 - never called
        """Not possible: `lock` has refused a router with a trial in progress."""
        raise RefusedError("no trial of this session is in progress")

    def inherited(self) -> str:
        """The running configuration: it does not show inherited statements, and the parser refuses applied groups."""
        return self.running()

    def candidate(self) -> str:
        return self._configuration("show configuration merge")

    def inherited_candidate(self) -> str:
        return self.candidate()

    def load(self, commands: str, *, is_removal: bool) -> str:  # noqa: ARG002 - the commands suffice
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
        """The only check is the commit itself, which is all or nothing."""

    def commit_trial(self, minutes: int, remark: str) -> None:
        """Commits on trial. Messages on success depend on the release, so the configuration is verified afterwards.

        Releases 6.x take no comment behind `confirmed` (netmiko, pull request 3626): then there is none.
        """
        confirmed = f"commit confirmed {60 * minutes}"
        said = self._committed(f"{confirmed} comment {remark}")
        if _INVALID in said:
            said = self._committed(confirmed)
        if any(line.lstrip().startswith("%") for line in said.splitlines()):
            raise RefusedError(f"the router refused: {' '.join([*said.split(), *self._failed().split()])}")
        self._has_trial = True

    def confirm(self, remark: str) -> None:  # noqa: ARG002 - a confirming commit has no entry in the log
        """Confirms. A trial of another session has ended, since this one has the lock, and its result stays.

        Leaving the mode shows whether it was confirmed: otherwise the router asks, or rolls back at once.
        """
        if not self._has_trial:
            return
        said = self._committed("commit")
        if _CONFIRMED not in said:
            raise RefusedError(f"the router did not confirm: {' '.join(said.split())}")
        self._committed("end")
        self._has_trial = False

    def save(self) -> None:
        """Nothing to do: the committed configuration is the startup configuration."""

    def counters(self, interfaces: Sequence[str]) -> tuple[Counter, ...]:
        said = ((name, self._said(f"show policy-map interface {name} input")) for name in interfaces)
        return tuple(each for name, answer in said for each in iosxr_counter(answer, name))

    def close(self) -> None:
        """Discards uncommitted changes and releases the lock, which a router may keep for a lost connection."""
        try:
            if self._is_configuring and not self._has_trial:
                self._channel.ask("abort")
        except DeliveryError:
            pass  # the connection is closed anyway
        finally:
            self._channel.close()

    @property
    def _is_configuring(self) -> bool:
        return self._channel.mode.startswith("config")

    def _said(self, line: str, question: str | None = None) -> str:
        """An answer without its leading timestamp."""
        return _TIME.sub("", self._channel.ask(line, question)).strip()

    def _committed(self, line: str) -> str:
        """The answer to a commit, or to leaving the mode, without lines of the log. Any question, such as on overriding
        others' commits, is answered with no, but for one that only asks for patience."""
        said = self._said(line, _QUESTION)
        if _TAKES_TIME in said and _is_question(said):
            said = _TIME.sub("", self._channel.reply("y", _QUESTION)).strip()
        if _is_question(said):
            self._decline(" ".join(said.split()))
        return without_log(said)

    def _decline(self, question: str) -> NoReturn:
        """Answers a question with no: by one key if it asks for one."""
        try:
            self._channel.reply("n" if "y/n" in question or question.endswith("[confirm]") else "no", _QUESTION)
        except DeliveryError as cause:
            raise UnclearError(f"the router asked: {question}, and did not take no for an answer ({cause})") from cause
        raise RefusedError(f"the router asked: {question}")

    def _failed(self) -> str:
        """The router's reason for a failed commit."""
        lines = self._said("show configuration failed").splitlines()
        return " ".join(line for line in lines if not line.startswith("!! ") and line.strip(" !") not in ("", "end"))

    def _configuration(self, line: str) -> str:
        """A whole configuration, which ends with `end`."""
        lines = self._said(line).splitlines()
        if not lines or lines[-1].strip() != "end":
            raise DeliveryError(f"the answer to `{line}` is an incomplete configuration: {' '.join(lines)[-200:]}")
        return "".join(f"{each}\n" for each in lines if not each.startswith("Building configuration"))


def _is_question(said: str) -> bool:
    return re.search(rf"(?:{_QUESTION})\Z", said) is not None


def open_iosxr(access: Access, timeout_s: int) -> IosXrDevice:
    """A session with a router that shows the pinned host key.

    Raises:
        UnreachableError: no connection, another host key, a refused login, or no prompt.
    """
    return IosXrDevice(open_channel(access, timeout_s, "cisco_xr"))
