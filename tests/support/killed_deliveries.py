"""`hntes router deliver --commit` as a process, killed at a random moment, then called again; what must hold after
each call.

The router is emulated in the test's process and goes on when the command is killed. Its clock is the test's.
"""

import copy
import shutil
import time
from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from typing import Any

from hntes.platforms.dialect import Dialect
from hntes.platforms.owned_config import OwnedConfig
from hntes.platforms.registry import platform_of
from tests.support.delivery import SITES
from tests.support.devices.farm import Farm
from tests.support.devices.junos.text import write_text
from tests.support.devices.sros.datastore import shown
from tests.support.forked_commands import ForkedCommands
from tests.support.installation import Installation

MINUTES = 5
_PATIENCE_S = 60.0


@dataclass(frozen=True)
class Killed:
    """One killed command.

    at_s: when, since its start or, `in_push`, since it wrote its journal. step: of the journal that it left. broken:
    what did not hold, None if all did.
    """

    platform: str
    in_push: bool
    at_s: float
    status: int
    step: str
    broken: str | None


class KilledDeliveries:
    """A router and an approved change for it, both as they were before each command that is killed."""

    def __init__(self, platform: str, farm: Farm, installation: Installation, commands: ForkedCommands) -> None:
        self._platform = platform
        self._site = SITES[platform](farm, installation)
        self._commands = commands
        approved = self._site.approve()
        folder = installation.output / self._site.name / "candidates"
        self._texts = (None, (folder / f"{approved}.conf").read_text(encoding="utf-8"))
        self._folder = installation.settings.parent
        self._before = self._folder.with_name("before")
        shutil.copytree(self._folder, self._before)
        self._router = copy.deepcopy(vars(self._site.router))
        self._others = self._dialect.foreign(self._shown(self._site.router))
        self._lasts_s: dict[bool, float] = {}

    def kill(self, draw: Random, within: float = 1.0) -> Killed:
        """Kills one delivery at a moment within that part of its time, and calls again.

        The call comes when the router's trial is over, or while it is under way.
        """
        in_push = draw.random() < 0.75
        if in_push not in self._lasts_s:
            self._lasts_s[in_push] = self._undisturbed(in_push)
        at_s, status = self._disturbed(draw, within, in_push)
        self._quiet()
        entry = self._site.journal
        step = entry.read_text(encoding="utf-8").split('"step": "')[1].split('"')[0] if entry.exists() else "none"
        broken = self._unapproved()
        # Elsewhere no other session ends a trial: the command would wait for it.
        if self._platform != "junos" or draw.random() < 0.5:
            self._site.served.call(lambda: self._site.router.clock.advance(60.0 * MINUTES + 1))
            broken = broken or self._half() or self._untrue()
        again, _ = self._deliver()
        self._quiet()
        broken = broken or self._unapproved() or self._unmended(again)
        return Killed(self._platform, in_push, at_s, status, step, broken)

    def _disturbed(self, draw: Random, within: float, in_push: bool) -> tuple[float, int]:
        """When it was killed, and the exit status.

        One that ends before its kill, though that comes well within its time, was timed when the machine was slower:
        its own time counts from now on, and another one is killed.
        """
        while True:
            self._anew()
            at_s = draw.uniform(0, within * self._lasts_s[in_push])
            status, lasts_s = self._deliver(at_s, in_push=in_push)
            if status or within >= 1.0:
                return at_s, status
            self._lasts_s[in_push] = lasts_s

    def _undisturbed(self, in_push: bool) -> float:
        """How long a delivery takes, from its start or from its journal on."""
        self._anew()
        status, lasts_s = self._deliver(in_push=in_push)
        if status:
            raise ValueError(f"an undisturbed delivery ended with status {status}")
        return lasts_s

    def _deliver(self, kill_after_s: float | None = None, *, in_push: bool = False) -> tuple[int, float]:
        settings = str(self._site.installation.settings)
        arguments = ("--settings", settings, "router", "deliver", "--router", self._site.name, "--commit")
        return self._commands.run(*arguments, kill_after_s=kill_after_s, since=self._site.journal if in_push else None)

    def _anew(self) -> None:
        self._quiet()
        shutil.rmtree(self._folder)
        shutil.copytree(self._before, self._folder)
        state = copy.deepcopy(self._router)
        self._site.served.call(lambda: vars(self._site.router).update(state))

    def _quiet(self) -> None:
        """Waits until the router has heard that the connections have ended."""
        deadline_s = time.monotonic() + _PATIENCE_S
        connections = self._site.served.connections
        while any(not each.is_closed() for each in connections):
            if time.monotonic() > deadline_s:
                raise TimeoutError("a connection of a command that has ended is still open")
            time.sleep(0.01)
        connections.clear()

    @property
    def _dialect(self) -> Dialect:
        return platform_of(self._platform).dialect

    def _shown(self, router: Any) -> str:
        return _text(router.active) if self._platform == "junos" else _text(router.running)

    def _parts(self) -> tuple[OwnedConfig, OwnedConfig]:
        before, after = (self._dialect.part_of(each) for each in self._texts)
        return before, after

    def _committed(self) -> Iterator[str]:
        """Each configuration that a restart could have brought back since the beginning."""
        router, is_sros = self._site.router, self._platform == "sros"
        if self._platform == "junos":
            yield from (_text(each.root) for each in router.commits)
        elif self._platform == "iosxr":
            since = router.commits[: len(router.commits) - len(self._router["commits"])]
            yield from (_text(each) for each in (router.running, *(one.before for one in since)))
        elif self._platform == "iosxe":
            yield from map(_text, router.stored[len(self._router["stored"]) - 1 :])
        else:
            # SR OS has the newest first, EOS the newest last
            before = len(self._router["history"])
            since = router.history[: len(router.history) - before] if is_sros else router.history[before:]
            yield from map(_text, (router.startup, router.running, *since))

    def _unapproved(self) -> str | None:
        for each in self._committed():
            if self._dialect.owned(each) not in self._parts():
                return "a configuration was committed that is neither what was there nor what was approved"
            if self._dialect.foreign(each) != self._others:
                return "a statement of the operator's was changed"
        return None

    def _settled(self) -> OwnedConfig:
        self._site.served.call(self._site.router.settle)
        return self._dialect.owned(self._shown(self._site.router))

    def _half(self) -> str | None:
        """Once the trial is over."""
        if self._settled() not in self._parts():
            return "half a state is held"
        others = self._dialect.foreign(self._shown(self._site.router))
        return None if others == self._others else "a statement of the operator's was changed"

    def _untrue(self) -> str | None:
        """Whether what the log says of the router is so, once the trial is over."""
        log = self._site.log()
        holds_new = self._settled() == self._parts()[1]
        if holds_new and "push verified: to be confirmed" not in log:
            return "the router holds the new text for good, and the log does not say that it was verified"
        if not holds_new and {"push kept", "loaded", "verified"} & set(log):
            return "the log says that the new text was kept, and the router does not hold it"
        return None

    def _unmended(self, status: int) -> str | None:
        if status:
            return f"the next call ended with status {status}"
        self._site.served.call(lambda: self._site.router.clock.advance(1e6))
        if half := self._half():
            return half
        if self._settled() != self._parts()[1]:
            return "after the next call the router does not hold the new text"
        if self._site.journal.exists():
            return "after the next call the journal has not ended"
        log = self._site.log()
        if [each for each in log if not each.startswith("push ")] != ["loaded", "verified"] or "push kept" not in log:
            return f"the log does not tell once that the text was delivered: {log}"
        return None


def _text(root: Any) -> str:
    if isinstance(root, dict):
        return "\n".join(shown(root)) + "\n"
    lines = write_text(root) if hasattr(root, "children") else root.lines()
    return "\n".join(lines) + "\n"
