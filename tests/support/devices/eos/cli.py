"""The command line of an EOS router.

Sources: EOS User Manual, "Command-Line Interface", "Configure Session"; published transcripts of sessions (prompts with
the first six characters of the session's name, the table of `show configuration sessions detail`, also of 4.35.0F), and
of `show traffic-policy ... detail`. Octets behind packets follow arista-traffic-policy.yang, not a transcript.
ansible/ansible, issue 36979: `abort` below the top of a session leaves that mode alone.
"""

import re
from collections.abc import Callable, Iterator

from tests.support.devices.cisco.grammar import LineError, Match, match
from tests.support.devices.cisco.iosxr import Change, apply
from tests.support.devices.cisco.modes import ModeStack
from tests.support.devices.cisco.section import Section, difference
from tests.support.devices.eos.device import EosRouter, EosSession, NotDoneError, tidy
from tests.support.devices.eos.statements import DEFAULTS, EOS, OFF

_INVALID = "% Invalid input\n"
_TIMER = re.compile(r"commit timer (\d\d):(\d\d):(\d\d)")
_HEAD = "! Command: {}\n! device: {} (DCS-7280CR3-32P4, EOS-4.33.1F)\n!\n! boot system flash:/EOS.swi\n!\n"


class EosTerminal:
    """One login, in a configuration session, in `configure terminal` or in neither."""

    def __init__(self, router: EosRouter, user: str) -> None:
        self._router = router
        self._user = user
        self._modes = ModeStack(EOS)
        self._session: EosSession | None = None
        self._is_configuring = False
        self.ended = False

    def greeting(self) -> str:
        return "\n" + self._prompt()

    def refuse(self, message: str) -> str:
        return f"% {message}\n{self._prompt()}"

    def end(self) -> None:
        """A connection that ends leaves its session pending."""
        self._leave()

    def enter(self, line: str) -> str:
        self._router.settle()
        line = line.strip()
        try:
            if not line or line.startswith("!"):
                said = ""
            elif self._is_configuring:
                said = self._configure(line)
            else:
                said = self._execute(line)
        except (LineError, NotDoneError) as error:
            said = str(error)
        return "" if self.ended else said + self._prompt()

    def _prompt(self) -> str:
        name = self._router.running.below["hostname"].words()[1]
        if not self._is_configuring:
            return f"{name}#"
        session = f"-s-{self._session.name[:6]}" if self._session is not None else ""
        mode = f"-{self._modes.name}" if self._modes.name else ""
        return f"{name}(config{session}{mode})#"

    def _leave(self) -> str:
        tidy(self._router.running)
        if self._session is not None:
            self._session.terminal = ""
        self._session, self._is_configuring, self._modes = None, False, ModeStack(EOS)
        return ""

    def _execute(self, line: str) -> str:
        found = match(line, _COMMANDS, len(self._prompt()))
        return _COMMANDS[found.pattern](self, found)

    def _configure(self, line: str) -> str:
        if line == "end":
            return self._leave()
        if line == "exit":
            return "" if self._modes.leave() else self._leave()
        if line.startswith("show "):
            return self._execute(line)
        if self._session is not None and line == "abort" and self._modes.leave():
            return ""
        if self._session is not None and line.split()[0] in ("commit", "abort"):
            return self._finish(self._session, line)
        change, enters = self._resolved(line)
        if self._session is not None:
            apply(self._session.target, change)
        else:
            apply(self._router.running, change)
        if enters and change.text is not None:
            self._modes.enter(change.path, enters, change.key)
        return ""

    def _resolved(self, line: str) -> tuple[Change, str]:
        """The change that a line makes in the mode at hand or in those around it, and the mode that it opens."""
        for depth in range(len(self._modes.stack), 0, -1):
            mode = self._modes.stack[depth - 1][0]
            path = tuple(key for _, key in self._modes.stack[1:depth])
            if (mode, line) in OFF:
                return Change(path, OFF[mode, line], line), ""
            if (mode, line) in DEFAULTS:
                return Change(path, DEFAULTS[mode, line], None), ""
        resolved = self._modes.resolve(line, len(self._prompt()))
        text = None if resolved.removes else " ".join(resolved.words)
        return Change(resolved.path, resolved.key, text), resolved.statement.enters

    def _finish(self, session: EosSession, line: str) -> str:
        if line == "abort":
            self._router.abort(session.name)
        elif line == "commit":
            self._router.commit(session, None)
        elif (timer := _TIMER.fullmatch(line)) is not None:
            hours, minutes, seconds = map(int, timer.groups())
            self._router.commit(session, 3_600 * hours + 60 * minutes + seconds)
        else:
            raise LineError(_INVALID)
        return self._leave()

    def _terminal(self, _: Match) -> str:
        return "Width set to 511 columns.\nPagination disabled.\n"

    def _configure_terminal(self, _: Match) -> str:
        self._is_configuring = True
        return ""

    def _configure_session(self, found: Match) -> str:
        self._session = self._router.session(found.words[2], self._user)
        self._session.user, self._session.terminal = self._user, "vty5"
        self._is_configuring, self._modes = True, ModeStack(EOS)
        return ""

    def _confirm(self, found: Match) -> str:
        self._router.confirm(found.words[2])
        return ""

    def _abort(self, found: Match) -> str:
        self._router.abort(found.words[2])
        return ""

    def _sessions(self, _: Match) -> str:
        """A session that somebody is in has his name and terminal, that of the login which asks an asterisk."""
        rows = []
        for each in self._router.sessions.values():
            mark, user = "*" if each is self._session else " ", each.user if each.terminal else ""
            rows.append(f"{mark} {each.name:<14} {each.state:<20} {user:<10} {each.terminal:<10} {'':<6}")
        head = "Maximum number of completed sessions: 1\nMaximum number of pending sessions: 5\n\n"
        if self._router.names_trial and (trial := self._router.trial) is not None:
            left_s = int(trial.deadline_s - self._router.clock.now_s)
            expiry = f"{left_s // 3600}:{left_s % 3600 // 60:02}:{left_s % 60:02}"
            head += f"Session with pending commit timer: {trial.session.name}\n"
            head += f"Time left until commit timer expiry: in {expiry}\n\n"
        head += "  Name           State                User       Terminal   PID    Commit Time Left\n"
        head += "  -------------- -------------------- ---------- ---------- ------ ----------------\n"
        return head + _lines(rows)

    def _running(self, _: Match) -> str:
        return self._shown("show running-config", self._router.running)

    def _startup(self, _: Match) -> str:
        return self._shown("show startup-config", self._router.startup)

    def _session_config(self, _: Match) -> str:
        if self._session is None:
            raise LineError("% Not in a configuration session\n")
        return self._shown(f"show session-config named {self._session.name}", self._session.target)

    def _session_diffs(self, _: Match) -> str:
        if self._session is None:
            raise LineError("% Not in a configuration session\n")
        return _lines(difference(self._router.running, self._session.target))

    def _shown(self, command: str, root: Section) -> str:
        shown = root.copy()
        tidy(shown)
        return _HEAD.format(command, self._router.name) + _lines([*_listed(shown, 0), "end"])

    def _write(self, _: Match) -> str:
        return "Copy completed successfully.\n" if self._router.save() else "% Error copying: No space left on device\n"

    def _policies(self, _: Match) -> str:
        lines: list[str] = []
        around = self._router.running.get("traffic-policies")
        for policy in around.starting("traffic-policy") if around is not None else ():
            rules = policy.starting("match")
            lines += [f"Traffic policy {policy.words()[1]}", "   Configured on interfaces: ",
                      f"   Total number of rules configured: {len(rules)}"]  # fmt: skip
            for rule in rules:
                packets, octets = self._router.counted.get(rule.words()[1], (0, 0))
                size = f", {octets} bytes" if self._router.lists_bytes else ""
                lines.append(f"      {rule.text}")
                if (actions := rule.get("actions")) is not None and actions.get("count") is not None:
                    lines.append(f"         Actions: Count: {packets} packets{size}")
        return _lines(lines)

    def _logout(self, _: Match) -> str:
        self.ended = True
        return ""


def _lines(lines: list[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def _listed(root: Section, depth: int) -> Iterator[str]:
    """As EOS lists: by three blanks, with `!` before each section and at its end."""
    for each in root.below.values():
        if depth and each.below:
            yield f"{' ' * 3 * depth}!"
        yield f"{' ' * 3 * depth}{each.text}"
        yield from _listed(each, depth + 1)
        if not depth:
            yield "!"


_COMMANDS: dict[str, Callable[[EosTerminal, Match], str]] = {
    "terminal (length|width) <0-32767>": EosTerminal._terminal,
    "enable": lambda *_: "",
    "configure terminal": EosTerminal._configure_terminal,
    "configure session WORD commit": EosTerminal._confirm,
    "configure session WORD abort": EosTerminal._abort,
    "configure session WORD": EosTerminal._configure_session,
    "show configuration sessions detail": EosTerminal._sessions,
    "show running-config": EosTerminal._running,
    "show startup-config": EosTerminal._startup,
    "show session-config diffs": EosTerminal._session_diffs,
    "show session-config": EosTerminal._session_config,
    "show traffic-policy interface detail": EosTerminal._policies,
    "write memory": EosTerminal._write,
    "exit": EosTerminal._logout,
}


def typed(router: EosRouter, text: str, user: str = "alice") -> None:
    """Lines of configuration as a person types them, each of which is taken and in force at once."""
    terminal = EosTerminal(router, user)
    terminal.enter("configure terminal")
    for line in text.splitlines():
        printed = terminal.enter(line)
        assert "\n" not in printed, f"{line}: {printed}"
    terminal.enter("end")
