"""The command line of an IOS-XR router.

Sources: Cisco IOS XR Getting Started Guide for the ASR 9000, "Managing Configuration Sessions"; System Management
Command Reference ("commit", "configure", "abort", "clear", "rollback configuration", "show configuration failed", "show
configuration merge"). What is printed is as in published transcripts of IOS XRv 9000 and ASR 9000 routers; there lists
are shown with prefix lengths or, if the router `shows_wildcards`, with wildcards.
"""

import re
from collections.abc import Callable
from ipaddress import ip_network

from tests.support.devices.cisco.grammar import LineError, Match, match
from tests.support.devices.cisco.iosxr import Change, NotCommittedError, XrRouter, XrSession
from tests.support.devices.cisco.modes import ModeStack
from tests.support.devices.cisco.section import Section, input_classes
from tests.support.devices.cisco.statements import XR

_TIME = "Mon Nov 23 02:00:00.000 UTC\n"
_FAILED = (
    "\n% Failed to commit one or more configuration items during a pseudo-atomic operation. All changes made have been "
    "reverted. Please issue 'show configuration failed [inheritance]' from this session to view the errors\n"
)
_SEMANTIC = (
    "!! SEMANTIC ERRORS: This configuration was rejected by \n!! the system due to semantic errors. The individual \n"
    "!! errors with each failed configuration command can be \n!! found below.\n\n\n"
)
_REFUSALS = {
    "semantic": _FAILED,
    "locked": "\n% Failed to commit .. As an error (Permission denied) encountered: the namespace is locked\n",
    "trial": "\n% Cannot commit because there is an unexpired trial/rollback session '00001000-00000001-00000000'.\n",
    "disk": "\n% Failed to commit .. As an error (No space left on device) encountered\n",
}
_OTHERS = (
    "One or more commits have occurred from other configuration sessions since this session started or since the last "
    "commit was made from this session. You can use the 'show configuration commit changes' command to browse the "
    "changes.\nDo you wish to proceed with this commit anyway? [no]: "
)
_UNCOMMITTED = "Uncommitted changes found, commit them before exiting(yes/no/cancel)? [cancel]:"
_LEAVES_TRIAL = "This session has a trial commit, which will be rolled back.\nDo you wish to exit? [no]: "
_COMMIT = re.compile(
    r"commit(?: label (?P<label>\S+))?(?: confirmed (?P<minutes>minutes )?(?P<number>\d+))?"
    r"(?: comment (?P<comment>.+))?"
)


class XrTerminal:
    """One session."""

    def __init__(self, router: XrRouter, user: str) -> None:
        self._router = router
        self._user = user
        self._modes = ModeStack(XR)
        self._session: XrSession | None = None
        self._answer: Callable[[str], str] | None = None
        self.ended = False

    def greeting(self) -> str:
        return "\n\n" + self._prompt()

    def refuse(self, message: str) -> str:
        return f"{message}\n{self._prompt()}"

    def end(self) -> None:
        """A session that ends loses its target configuration; a trial of its goes on until its time is over."""
        self._leave()

    def enter(self, line: str) -> str:
        self._router.settle()
        line = line.strip()
        if self._answer is not None:
            answer, self._answer = self._answer, None
            output = answer(line)
        elif not line or line.startswith("!"):
            output = ""
        else:
            try:
                output = self._configure(line) if self._session is not None else self._execute(line)
            except LineError as error:
                output = str(error)
        return "" if self.ended else output + ("" if self._answer else self._prompt())

    def _prompt(self) -> str:
        name = self._router.running.below["hostname"].words()[1]
        mode = "-".join(part for part in ("config", self._modes.name) if part)
        return f"RP/0/RSP0/CPU0:{name}" + (f"({mode})#" if self._session is not None else "#")

    def _leave(self) -> None:
        if self._session is not None:
            self._router.close(self._session)
        self._session = None
        self._modes = ModeStack(XR)

    def _execute(self, line: str) -> str:
        found = match(line, _COMMANDS, len(self._prompt()))
        return _COMMANDS[found.pattern](self, found)

    def _configure(self, line: str) -> str:
        words = line.split()
        if words[0] == "commit":
            return self._commit(line)
        if line == "root":
            self._modes = ModeStack(XR)
            return ""
        if words[0] in _SESSION_COMMANDS:
            return _SESSION_COMMANDS[words[0]](self)
        if words[0] in ("show", "do"):
            return self._show(line)
        resolved = self._modes.resolve(line, len(self._prompt()))
        session = self._current
        if resolved.words[0] in ("end-class-map", "end-policy-map"):
            self._modes.stack = self._modes.stack[:1]
            return ""
        text = None if resolved.removes else " ".join(resolved.words)
        session.changes.append(Change(resolved.path, resolved.key, text))
        if resolved.statement.enters and not resolved.removes:
            self._modes.enter(resolved.path, resolved.statement.enters, resolved.key)
        return ""

    @property
    def _current(self) -> XrSession:
        assert self._session is not None
        return self._session

    def _exit(self) -> str:
        return "" if self._modes.leave() else self._end()

    def _end(self) -> str:
        session = self._current
        if self._router.changed(session):
            self._answer = self._end_with_changes
            return _UNCOMMITTED
        trial = self._router.trial
        if trial is not None and trial.session == session.number:
            self._answer = self._end_with_trial
            return _LEAVES_TRIAL
        self._leave()
        return ""

    def _end_with_changes(self, answer: str) -> str:
        if answer.lower().startswith("y"):
            printed = self._committed(None, "", "")
            if printed == "":
                self._leave()
            return printed
        if answer.lower().startswith("n"):
            self._leave()
        return ""

    def _end_with_trial(self, answer: str) -> str:
        if answer.lower().startswith("y"):
            self._router.abandon_trial()
            self._leave()
        return ""

    def _abort(self) -> str:
        self._leave()
        return ""

    def _clear(self) -> str:
        self._current.changes = []
        self._modes = ModeStack(XR)
        return ""

    def _commit(self, line: str) -> str:
        found = _COMMIT.fullmatch(line)
        if found is None:
            raise LineError("% Invalid input detected at '^' marker.\n\n")
        if found["number"] and found["comment"] and not self._router.comments_trials:
            raise LineError(" " * line.index("comment") + "^\n% Invalid input detected at '^' marker.\n")
        trial_s = None
        if found["number"]:
            trial_s = int(found["number"]) * (60 if found["minutes"] else 1)
            if not (60 <= trial_s <= 1024 * 60 if found["minutes"] else 30 <= trial_s <= 65535):
                raise LineError("% Invalid input detected at '^' marker.\n\n")
        return _TIME + self._committed(trial_s, found["label"] or "", found["comment"] or "")

    def _committed(self, trial_s: int | None, label: str, comment: str, force: bool = False) -> str:
        session = self._current
        confirms = self._router.trial is not None and self._router.trial.session == session.number
        try:
            done = self._router.commit(session, trial_s, label, comment, force)
        except NotCommittedError as refused:
            if refused.kind != "others":
                return _REFUSALS[refused.kind]
            self._answer = lambda answer: (
                self._committed(trial_s, label, comment, force=True) if answer.lower().startswith("y") else ""
            )
            return _OTHERS
        if not done:
            return "% No configuration changes to commit.\n"
        if trial_s is not None:
            return self._router.says_of_trial
        return self._router.says_of_confirmation if confirms else ""

    def _show(self, line: str) -> str:
        what = line.removeprefix("do ")
        if what in ("show commit changes diff", "show configuration changes diff"):
            changed = self._router.changed(self._current)
            return _TIME + "Building configuration...\n!! IOS XR Configuration 7.3.1\n" + _lines(changed) + "end\n\n"
        if what in ("show configuration failed", "show configuration failed inheritance"):
            return _TIME + _failed(self._current)
        if what == "show configuration merge":
            return self._shown(self._router.target(self._current))
        if what == "show configuration":
            target = [line[1:] for line in self._router.changed(self._current) if line[0] != "-"]
            return _TIME + "Building configuration...\n!! IOS XR Configuration 7.3.1\n" + _lines(target) + "end\n\n"
        return self._execute(what)

    def _terminal(self, _: Match) -> str:
        return ""

    def _enter_configuration(self, found: Match) -> str:
        try:
            self._session = self._router.open(self._user, exclusive="exclusive" in found.words)
        except NotCommittedError as refused:
            if refused.kind == "trial":
                return "Cannot enter exclusive mode. A trial commit is underway in another configuration session.\n"
            holder = self._router.lock_holder
            user = holder.user if holder else ""
            return (
                "Current Configuration Session  Line       User     Date                     Lock\n"
                f"00001000-000043a7-00000000     vty0       {user:<8} Mon Nov 23 02:00:00 2026 *\n"
                "Cannot enter exclusive mode. The Configuration Namespace is locked by another agent.\n"
            )
        return _TIME

    def _running(self, _: Match) -> str:
        return self._shown(self._router.running)

    def _shown(self, root: Section) -> str:
        head = "Building configuration...\n!! IOS XR Configuration 7.3.1\n!! Last configuration change by admin\n!\n"
        lines = _displayed(root)
        return _TIME + head + _lines(_wildcards(lines) if self._router.shows_wildcards else lines) + "end\n\n"

    def _policy_counters(self, found: Match) -> str:
        name = found.words[3]
        policy, classes = input_classes(self._router.running, name)
        if not policy:
            return _TIME + f"{name} direction input: Service Policy not installed\n\n"
        lines = ["", f"{name} input: {policy}", ""]
        for each in classes:
            matched = "{}/{}".format(*self._router.counted.get((name, each), (0, 0)))
            lines += [f"Class {each}", "  Classification statistics          (packets/bytes)     (rate - kbps)"]
            lines += [f"    {word:<20}: {text:>31}{0:>14}" for word, text in
                      (("Matched", matched), ("Transmitted", matched), ("Total Dropped", "0/0"))]  # fmt: skip
        return _TIME + _lines(lines)

    def _list(self, _: Match) -> str:
        rows = [f"{n:<4} {each.number}  {each.user:<9} {each.label or each.comment}" for n, each in
                enumerate(self._router.commits, 1)]  # fmt: skip
        return _TIME + "SNo. Label/ID    User      Comment\n" + _lines(rows)

    def _rollback(self, found: Match) -> str:
        try:
            done = self._router.rollback(self._user, int(found.words[-1]))
        except NotCommittedError as refused:
            return _REFUSALS[refused.kind]
        if not done:
            return "% Failed to rollback: no such configuration commit\n"
        return _TIME + "Loading Rollback Changes.\nLoaded Rollback Changes in 1 sec\nUpdated Commit database\n"

    def _logout(self, _: Match) -> str:
        self.ended = True
        return ""


def _lines(lines: list[str]) -> str:
    return "".join(line + "\n" for line in lines)


def _failed(session: XrSession) -> str:
    if not session.failed:
        return "% No such configuration item(s)\n\n"
    parts = ["".join(line + "\n" for line in each.lines) + f"!!% {each.message}\n" for each in session.failed]
    return _SEMANTIC + "!\n".join(parts) + "!\nend\n\n"


def _wildcards(lines: list[str]) -> list[str]:
    """Prefixes of IPv4 as an address and its wildcard."""

    def wildcard(found: re.Match[str]) -> str:
        network = ip_network(found[0])
        return f"{network.network_address} {network.hostmask}"

    return [re.sub(r"\d+(?:\.\d+){3}/\d+", wildcard, line) if " permit " in line else line for line in lines]


_CLOSING = {"class-map": " end-class-map", "policy-map": " end-policy-map"}


def _displayed(root: Section) -> list[str]:
    """With `!` behind each section, and the words that close class maps and policies."""
    lines: list[str] = []
    for each in root.below.values():
        lines.append(each.text)
        for child in each.below.values():
            lines += [" " + child.text, *child.lines(2)]
            lines += [" !"] if child.below or child.text.startswith("class ") else []
        lines += [_CLOSING[each.words()[0]]] if each.words()[0] in _CLOSING else []
        lines += ["!"] if each.below or each.words()[0] in (*_CLOSING, "interface") else []
    return lines


_SESSION_COMMANDS: dict[str, Callable[[XrTerminal], str]] = {
    "exit": XrTerminal._exit,
    "end": XrTerminal._end,
    "abort": XrTerminal._abort,
    "clear": XrTerminal._clear,
}
_COMMANDS: dict[str, Callable[[XrTerminal, Match], str]] = {
    "terminal (length|width) <0-512>": XrTerminal._terminal,
    "configure": XrTerminal._enter_configuration,
    "configure terminal": XrTerminal._enter_configuration,
    "configure exclusive": XrTerminal._enter_configuration,
    "show running-config": XrTerminal._running,
    "show configuration commit list": XrTerminal._list,
    "show policy-map interface WORD input": XrTerminal._policy_counters,
    "rollback configuration last <1-100>": XrTerminal._rollback,
    "exit": XrTerminal._logout,
}


def typed(router: XrRouter, text: str, user: str = "alice") -> None:
    """Lines of configuration as a person types them, each of which is taken, and a commit."""
    terminal = XrTerminal(router, user)
    terminal.enter("configure")
    for line in text.splitlines():
        if line and not line.startswith(" "):
            terminal.enter("root")
        printed = terminal.enter(line)
        assert "\n" not in printed, f"{line}: {printed}"
    assert "%" not in terminal.enter("commit")
    terminal.enter("end")
