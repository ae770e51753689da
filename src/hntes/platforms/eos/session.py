"""A session with an EOS router over SSH: a configuration session, and a trial by its commit timer.

Sources: EOS User Manual, "Configure Session" (a session is a copy of the running configuration that a commit puts in
its place, with what was committed since by others undone; `commit timer hh:mm:ss`; `configure session NAME commit`
confirms, `abort` ends it; sessions that were left stay pending, five at most). Transcripts of 4.35.0F: a trial that
nobody confirms ends by itself, any login may confirm it, and commits do not save the startup configuration. Published
listings of sessions, 4.2x: a pending session has a user and a terminal while somebody is in it, neither once he left.
napalm-automation/napalm, issue 2166, and listings of 4.35.0F: up to 4.31 the session of a trial has a state of its own,
from 4.32 on it is `committed`, and a line above the table names it. ansible/ansible, issue 36979: `abort` below the top
of a session only leaves a mode.
"""

import re
import secrets
from collections.abc import Sequence
from contextlib import suppress
from typing import NamedTuple

from hntes.platforms.cisco.channel import Channel, open_channel, without_log
from hntes.platforms.counters import Counter
from hntes.platforms.device_errors import DeliveryError, NotStoredError, RefusedError, TrialError, UnclearError
from hntes.platforms.dialect import Dialect
from hntes.platforms.eos.counters import COMMAND, policy_counters
from hntes.platforms.eos.dialect import DIALECT
from hntes.settings.delivery import Access

_PREFIX = "hntes-"
_SESSIONS = "show configuration sessions detail"
# An asterisk marks the session of the login that asks.
_TRIAL_OF = re.compile(r"Session with pending commit timer: *(?P<name>\S+).*")
_SESSION = re.compile(r"[ *]*(?P<name>\S+) +(?P<state>pendingCommitTimer|pending)\b.*")
_COLUMNS = re.compile(r"-+")
# Its head, above a table that may be empty, or the line below the table's head.
_LISTS_SESSIONS = re.compile(r"^(?:Maximum number of \w+ sessions|[ -]*---[ -]*$)", re.MULTILINE)
_ON_TRIAL = "pendingCommitTimer"
_SHOWN = 10


class _Session(NamedTuple):
    """A session that was not committed for good. holder: who is in it, and where; "" if nobody is listed."""

    name: str
    state: str
    holder: str
    line: str

    @property
    def is_own(self) -> bool:
        return self.name.startswith(_PREFIX)


class EosDevice:
    """One session; see `hntes.platforms.device`. EOS has no lock: what others commit meanwhile is looked for."""

    def __init__(self, channel: Channel) -> None:
        self._channel = channel
        self._name = ""
        self._begun_with = ""

    @property
    def dialect(self) -> Dialect:
        return DIALECT

    def lock(self) -> None:
        """There is no lock to hold. A trial of others cannot be confirmed; sessions that a lost push left are ended."""
        for each in self._sessions():
            if each.state == _ON_TRIAL and not each.is_own:
                raise TrialError(f"a commit awaits its confirmation ({each.line})")
        for each in self._sessions():
            if each.state != _ON_TRIAL and each.is_own:
                self._channel.ask(f"configure session {each.name} abort")

    def running(self) -> str:
        return self._listed("show running-config")

    def trial(self) -> str | None:
        return next((each.line for each in self._sessions() if each.state == _ON_TRIAL), None)

    def undo_trial(self, remark: str) -> None:  # noqa: ARG002 - an ended session has no comment
        name = self._on_trial()
        said = self._channel.ask(f"configure session {name} abort") if name is not None else ""
        if self._on_trial() is not None:
            raise RefusedError(f"the router did not end the trial: {' '.join(said.split())}")

    def inherited(self) -> str:
        return self.running()

    def candidate(self) -> str:
        return self._listed("show session-config")

    def inherited_candidate(self) -> str:
        return self.candidate()

    def load(self, commands: str, *, is_removal: bool) -> str:
        """Others' unsaved changes do not delay a removal, which saves them."""
        self._check_sessions()
        running = self.running()
        if not is_removal and (lines := _unlike(running, self._listed("show startup-config"))):
            raise DeliveryError(
                "the router has an unsaved change of somebody else, which would be saved with this one; save it "
                "(`write memory`) or undo it:\n" + "\n".join(lines)
            )
        self._name = f"{_PREFIX}{secrets.token_hex(4)}"
        said = self._channel.ask(f"configure session {self._name}")
        if not self._channel.mode.startswith("config-s-"):
            raise RefusedError(f"the router began no configuration session: {' '.join(said.split())}")
        self._begun_with = self.candidate()
        for line in commands.splitlines():
            if line.strip() and not line.lstrip().startswith("!"):
                self._channel.enter(line)
        return "\n".join(DIALECT.owned(self.candidate()).changes(DIALECT.owned(running)))

    def discard(self) -> None:
        self._channel.ask("end")
        self._channel.ask(f"configure session {self._name} abort")
        self._name = ""

    def check(self) -> None:
        """The only check is the commit itself, which is all or nothing; it would undo what others did meanwhile."""
        self._check_sessions()
        if lines := _unlike(self.running(), self._begun_with, is_all=True):
            raise DeliveryError("somebody else changed the configuration meanwhile: try again\n" + "\n".join(lines))

    def commit_trial(self, minutes: int, remark: str) -> None:  # noqa: ARG002 - a session has no comment
        self.check()
        said = without_log(self._channel.ask(f"commit timer {minutes // 60:02}:{minutes % 60:02}:00"))
        if self._channel.mode:
            raise RefusedError(f"the router refused: {' '.join(said.split())}")
        if self._on_trial() != self._name:
            raise UnclearError(f"the router shows no timer of the commit: {' '.join(said.split())}")

    def confirm(self, remark: str) -> None:  # noqa: ARG002 - a session has no comment
        """Confirms; a trial that the router does not know has ended, and what it left is read again by the caller."""
        name = self._on_trial()
        if name is None:
            return
        said = self._channel.ask(f"configure session {name} commit")
        if self._on_trial() is not None:
            raise RefusedError(f"the router did not confirm: {' '.join(said.split())}")

    def save(self) -> None:
        said = " ".join(self._channel.ask("write memory").split())
        if DIALECT.owned(self._listed("show startup-config")) != DIALECT.owned(self.running()):
            raise NotStoredError(f"the router holds the new text but did not save it: {said}; then deliver again")

    def counters(self, interfaces: Sequence[str]) -> tuple[Counter, ...]:  # noqa: ARG002 - a policy counts all interfaces
        return policy_counters(self._channel.ask(COMMAND))

    def close(self) -> None:
        """Discards an uncommitted session, which would stay on the router, and closes the connection."""
        with suppress(DeliveryError):  # the connection is closed anyway
            if self._channel.mode.startswith("config-s-"):
                self.discard()
        self._channel.close()

    def _check_sessions(self) -> None:
        """Refuses while somebody else is in a session: its commit would undo what was delivered since it began."""
        for each in self._sessions():
            if each.holder and not each.is_own:
                raise DeliveryError(
                    f"somebody else is in configuration session {each.name} ({each.holder}), whose commit would undo "
                    f"this delivery: try again once it is committed or aborted (`configure session {each.name} abort`)"
                )

    def _sessions(self) -> list[_Session]:
        """The sessions that were not committed for good.

        Raises:
            RefusedError: the login is in user mode, which may list none.
            UnclearError: the router does not list them: a refusal says nothing of the trials and sessions of others.
        """
        found, columns, head = [], list[re.Match[str]](), ""
        said = without_log(self._channel.ask(_SESSIONS))
        if not self._channel.is_privileged:
            raise RefusedError("the login ends in user mode (a prompt with `>`); give the user privilege 15")
        if _LISTS_SESSIONS.search(said) is None:
            raise UnclearError(f"the answer to `{_SESSIONS}` is no list of sessions: {' '.join(said.split())[:200]}")
        for line in said.splitlines():
            if line.strip() and not line.strip(" -"):
                columns = list(_COLUMNS.finditer(line))
            elif (trial := _TRIAL_OF.fullmatch(line.strip())) is not None:
                found.append(_Session(trial["name"], _ON_TRIAL, "", " ".join(line.split())))
            elif (one := _SESSION.fullmatch(line)) is not None:
                cells = {head[each.start() : each.end()].strip(): line[each.start() : each.end()] for each in columns}
                holder = [cells.get(name, "").strip() for name in ("User", "Terminal")]
                is_held = one["state"] != _ON_TRIAL and holder[1] != ""
                shown = " on ".join(each for each in holder if each) if is_held else ""
                found.append(_Session(one["name"], one["state"], shown, " ".join(line.split())))
            elif not columns:
                head = line
        return found

    def _on_trial(self) -> str | None:
        """The session of HNTES that awaits its confirmation."""
        return next((each.name for each in self._sessions() if each.state == _ON_TRIAL and each.is_own), None)

    def _listed(self, command: str) -> str:
        """A whole configuration, without its `end`."""
        lines = self._channel.ask(command).rstrip().splitlines()
        if not lines or lines[-1].strip() != "end":
            raise DeliveryError(f"the answer to `{command}` is an incomplete configuration: {' '.join(lines)[-200:]}")
        return "".join(f"{line}\n" for line in lines[:-1])


def _unlike(running: str, other: str, *, is_all: bool = False) -> list[str]:
    """What differs from another configuration outside of HNTES' part, or anywhere: `+` only running, `-` only there."""
    now, then = DIALECT.foreign(running), DIALECT.foreign(other)
    if is_all:
        now, then = now | set(DIALECT.owned(running).statements), then | set(DIALECT.owned(other).statements)
    lines = [f"+ {' '.join(each)}" for each in sorted(now - then)]
    lines += [f"- {' '.join(each)}" for each in sorted(then - now)]
    return lines if len(lines) <= _SHOWN else [*lines[:_SHOWN], f"and {len(lines) - _SHOWN} more"]


def open_eos(access: Access, timeout_s: int) -> EosDevice:
    """A session with a router that shows the pinned host key.

    Raises:
        UnreachableError: as `open_channel`.
    """
    return EosDevice(open_channel(access, timeout_s, "arista_eos"))
