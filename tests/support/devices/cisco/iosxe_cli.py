"""The command line of an IOS-XE router, for a user in privileged EXEC mode.

Sources: Cisco IOS Configuration Fundamentals Command Reference ("configure terminal", "copy running-config
startup-config"); Managing Configuration Files Configuration Guide, "Configuration Rollback Confirmed Change",
"Configuration Replace and Configuration Rollback", "Contextual Configuration Diff Utility", "Exclusive Configuration
Change Access"; Configuration Management Command Reference, "show archive config rollback timer". That a minute before
it goes back the router says so on the terminal, unasked, is from transcripts of others.
"""

import re
from collections.abc import Callable

from tests.support.devices.cisco.grammar import LineError, Match, match
from tests.support.devices.cisco.iosxe import XeRouter, class_map
from tests.support.devices.cisco.modes import ModeStack, Resolved, section_at
from tests.support.devices.cisco.section import Section, difference, input_classes
from tests.support.devices.cisco.statements import XE

_BEGIN = "Enter configuration commands, one per line.  End with CNTL/Z.\n"
_ROLLED_BACK = "Total number of passes: 1\nRollback Done\n\n"
_REPLACES = """This will apply all necessary additions and deletions
to replace the current running configuration with the
contents of the specified configuration file, which is
assumed to be a complete configuration, not a partial
configuration. Enter Y if you are sure you want to proceed. ? [no]: """
_IPV6 = re.compile(r"\b[0-9a-f]{1,4}:[0-9a-f:]+(?=[\s/])")
_WARNING = """Rollback Confirmed Change: Rollback will begin in one minute.
Enter "configure confirm" if you wish to keep what you've configured

"""
_OTHER_RELEASE = """Warning: Attempting to overwrite an NVRAM configuration previously written
by a different version of the system image.
Overwrite the previous NVRAM configuration?[confirm]"""


class XeTerminal:
    """One session."""

    def __init__(self, router: XeRouter, user: str) -> None:
        self._router = router
        self._user = user
        self._modes: ModeStack | None = None
        self._answer: Callable[[str], str] | None = None
        self._to_be_warned = False
        self.ended = False

    def greeting(self) -> str:
        return "\n" + self._prompt()

    def refuse(self, message: str) -> str:
        return f"{message}\n{self._prompt()}"

    def end(self) -> None:
        """A session that ends changes nothing: what was entered is in effect."""
        self._modes = None

    def enter(self, line: str) -> str:
        self._router.settle()
        if self._answer is not None:
            answer, self._answer = self._answer, None
            return answer(line.strip()) + self._prompt()
        if not line.strip() or line.strip().startswith("!"):
            return self._prompt()
        try:
            output = self._configure(line) if self._modes is not None else self._execute(line)
        except LineError as error:
            output = str(error)
        return "" if self.ended else output + self._warning() + ("" if self._answer else self._prompt())

    def _warning(self) -> str:
        """On the terminal that set the timer, once, with the next line that is entered after it has become due."""
        revert = self._router.revert
        if revert is None or not self._to_be_warned or self._router.clock.now_s < revert.deadline_s - 60:
            return ""
        self._to_be_warned = False
        return _WARNING

    def _prompt(self) -> str:
        name = self._router.running.below["hostname"].words()[1]
        if self._modes is None:
            return f"{self._router.own_prompt or name}#"
        mode = "-".join(part for part in ("config", self._modes.name) if part)
        return f"{name[: self._router.shown_name_characters]}({mode})#"

    def _execute(self, line: str) -> str:
        found = match(line, _COMMANDS, len(self._prompt()))
        return _COMMANDS[found.pattern](self, found)

    def _configure(self, line: str) -> str:
        assert self._modes is not None
        words = line.split()
        if words[0] in ("end", "\x1a"):
            self._modes = None
            return ""
        if words[0] in ("exit", "ex", "exi"):
            if not self._modes.leave():
                self._modes = None
            return ""
        if words[0] == "do":
            return self._execute(line.strip()[3:])
        resolved = self._modes.resolve(line, len(self._prompt()))
        section = section_at(self._router.running, resolved.path)
        if section is None:
            raise LineError("% Invalid input detected at '^' marker.\n\n")
        if resolved.removes:
            self._router.remove(section, self._removed(resolved))
            return ""
        opened = self._router.enter(section, resolved.statement, resolved.words)
        if resolved.statement.enters:
            key = next(key for key, each in section.below.items() if each is opened)
            self._modes.enter(resolved.path, resolved.statement.enters, key)
        return ""

    def _removed(self, resolved: Resolved) -> str:
        """The key of what a `no` names: a class map by its name alone, an access list entry by its content too."""
        if resolved.words[0] == "class-map":
            found = class_map(self._router.running, resolved.words[-1])
            return found.text if found else ""
        section = section_at(self._router.running, resolved.path)
        if resolved.words[0] in ("permit", "deny") and section is not None:
            content = " ".join(resolved.words)
            return next((key for key, each in section.below.items() if each.text.endswith(content)), "")
        return resolved.key

    def _terminal(self, _: Match) -> str:
        return ""

    def _enter_configuration(self, found: Match) -> str:
        holder = self._router.locked_by
        if holder is not None:
            raise LineError(
                f"Configuration mode locked exclusively by user '{holder}' process '3' from terminal '1'. "
                "Please try later.\n"
            )
        backup = ""
        if "revert" in found.words:
            name = self._router.begin_revert(int(found.words[-1]), self._user)
            self._to_be_warned = True
            backup = f"Rollback Confirmed Change: Backing up current running config to {name}\n\n"
        self._modes = ModeStack(XE)
        return backup + _BEGIN

    def _confirm(self, _: Match) -> str:
        self._router.confirm(self._user)
        return ""

    def _revert_now(self, _: Match) -> str:
        self._router.revert_now(self._user)
        return _ROLLED_BACK

    def _revert_timer(self, found: Match) -> str:
        revert = self._router.pending(self._user)
        revert.deadline_s = self._router.clock.now_s + 60 * int(found.words[-1])
        return ""

    def _replace(self, found: Match) -> str:
        path = found.words[2]

        def replace(answer: str) -> str:
            if not answer.lower().startswith("y"):
                return "\n"
            try:
                self._router.replace(path)
            except LineError as error:
                return str(error)
            return _ROLLED_BACK

        if "force" in found.words:
            return replace("y")
        self._answer = replace
        return _REPLACES

    def _copy(self, _: Match) -> str:
        self._answer = lambda _: self._save()
        return "Destination filename [startup-config]? "

    def _write(self, _: Match) -> str:
        if not self._router.asks_before_saving:
            return self._save()
        self._answer = lambda answer: "" if answer.lower().startswith("n") else self._save()
        return _OTHER_RELEASE

    def _save(self) -> str:
        if not self._router.save():
            return "startup-config file open failed (Not enough space)\n"
        return "Building configuration...\n[OK]\n"

    def _listed(self, root: Section) -> str:
        body = _body(root)
        return _IPV6.sub(lambda found: found[0].upper(), body) if self._router.lists_capitals else body

    def _running(self, _: Match) -> str:
        body = self._listed(self._router.running)
        return f"Building configuration...\n\nCurrent configuration : {len(body)} bytes\n{body}"

    def _startup(self, _: Match) -> str:
        body = self._listed(self._router.startup)
        return f"Using {len(body)} out of 33554432 bytes\n{body}"

    def _differences(self, _: Match) -> str:
        lines = difference(self._router.startup, self._router.running) or ["!No changes were found"]
        return "!Contextual Config Diffs:\n" + "".join(line + "\n" for line in lines) + "\n"

    def _rollback_timer(self, _: Match) -> str:
        revert = self._router.pending()
        return (
            "Time configured(or reconfigured): 02:00:00 UTC Mon Nov 23 2026\nTimer type: absolute timer\n"
            f"Timer value: {revert.minutes} min\nUser: {revert.user}\n"
        )

    def _archive(self, _: Match) -> str:
        if self._router.archive_path() is None:
            return "Archive feature not enabled\n"
        files = self._router.files
        return "Archive #  Name\n" + "".join(f"   {n}        {name}\n" for n, name in enumerate(files, 1))

    def _policy_counters(self, found: Match) -> str:
        """As the Quality of Service Solutions Command Reference shows it, without rates of other times."""
        policy, classes = input_classes(self._router.running, found.words[3])
        lines = [f" {found.words[3]} ", "", f"  Service-policy input: {policy}", ""] if policy else []
        for name in classes:
            packets, byte_count = self._router.counted.get((found.words[3], name), (0, 0))
            lines += [f"    Class-map: {name} (match-any)  ", f"      {packets} packets, {byte_count} bytes"]
            lines += ["      5 minute offered rate 0000 bps, drop rate 0000 bps", "      Match: any ", ""]
        return "".join(f"{line}\n" for line in lines)

    def _exit(self, _: Match) -> str:
        self.ended = True
        return ""


def _body(root: Section) -> str:
    parts = ["\n".join((each.text, *each.lines(1))) for each in root.below.values()]
    return "\n!\n".join(["!\nversion 17.6", *parts, "end\n\n"])


_COMMANDS: dict[str, Callable[[XeTerminal, Match], str]] = {
    "terminal (length|width) <0-512>": XeTerminal._terminal,
    "enable": XeTerminal._terminal,
    "configure terminal": XeTerminal._enter_configuration,
    "configure terminal revert timer <1-120>": XeTerminal._enter_configuration,
    "configure confirm": XeTerminal._confirm,
    "configure revert now": XeTerminal._revert_now,
    "configure revert timer <1-120>": XeTerminal._revert_timer,
    "configure replace WORD": XeTerminal._replace,
    "configure replace WORD force": XeTerminal._replace,
    "copy running-config startup-config": XeTerminal._copy,
    "write memory": XeTerminal._write,
    "write": XeTerminal._write,
    "show running-config": XeTerminal._running,
    "show startup-config": XeTerminal._startup,
    "show archive config differences": XeTerminal._differences,
    "show archive config rollback timer": XeTerminal._rollback_timer,
    "show archive": XeTerminal._archive,
    "show policy-map interface WORD input": XeTerminal._policy_counters,
    "exit": XeTerminal._exit,
    "logout": XeTerminal._exit,
}
