"""Pushes to an emulated router without an installation: two texts, a log in memory, a clock that both share.

The router is one of Junos; pushes_iosxe and pushes_iosxr have others.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import date
from functools import cache, partial
from pathlib import Path
from random import Random
from typing import Any, ClassVar

from hntes.delivery.journal import Journal
from hntes.delivery.load_watch import LoadWatch
from hntes.delivery.push import push
from hntes.delivery.request import PushRequest, PushResult, always_allowed
from hntes.delivery.verify import check_effect, check_part
from hntes.platforms.device import Device
from hntes.platforms.dialect import Dialect
from hntes.platforms.junos.session import open_junos
from hntes.platforms.junos.transition import junos_text
from hntes.platforms.render import render
from hntes.settings.delivery import Access
from tests.support.delivery import OPERATORS_OWN, SharedTimer
from tests.support.devices.farm import Farm
from tests.support.devices.junos.altered import Altered, AlteredSession
from tests.support.devices.junos.device import JunosRouter
from tests.support.devices.junos.load import load
from tests.support.devices.junos.rpc import NetconfSession
from tests.support.devices.junos.text import write_text
from tests.support.devices.junos.tree import Node
from tests.support.qos_models import PAIRS, model
from tests.support.waiting import wait_until

BEFORE, AFTER = model(pairs=PAIRS[:4]), model(pairs=PAIRS[2:])
TEXTS = {"before": render(BEFORE), "after": render(AFTER)}
MINUTES = 2
# For a login, of which the emulated router's side waits for a processor as well, and for an answer that may never come.
LOGIN_S, ANSWER_S = 60, 5


class KilledError(BaseException):
    """Ends a push as a kill does: nothing that the program does about errors is done."""


@dataclass
class Bench:
    """One router that holds the text before, and what pushes to it need.

    `at`: what is done when a step is recorded, by the step's words. `extra`: a further check of what is on trial.
    `killed_at`: at which request, counted from 1 over all sessions, and whether before it or after it.
    `before_request`: what is done before the n-th one. `watch`: who reads the router's load, if anybody.
    `require_allowed`: raises if the text after may not be given to the router.
    """

    texts: ClassVar[dict[str, str]] = TEXTS
    # The requests that ask whose trial is under way and what the candidate inherits, and that begin the trial, counted
    # from the connection on.
    asking_at: ClassVar[int] = 3
    inheriting_at: ClassVar[int] = 9
    trial_at: ClassVar[int] = 11
    # Whether another session may confirm a trial, after the one that began it was lost.
    is_confirmed_by_any: ClassVar[bool] = True
    # Whether what was confirmed is stored by a request of its own, for which a full disk has no room.
    stores_apart: ClassVar[bool] = False
    # What somebody else changes: in the part of HNTES, by which statements that is shown, and elsewhere.
    alices_own: ClassVar[str] = "set groups hntes class-of-service schedulers hntes-alpha priority low"
    alices_own_shown: ClassVar[str] = r"(?s)- .*priority medium-high\n\+ .*priority low"
    alices_elsewhere: ClassVar[str] = "set system host-name elsewhere"

    folder: Path
    router: Any
    served: Any
    log: list[str] = field(default_factory=list)
    at: dict[str, Callable[[], None]] = field(default_factory=dict)
    extra: Callable[[], None] = lambda: None
    asked: int = 0
    killed_at: tuple[int, str] | None = None
    before_request: dict[int, Callable[[], None]] = field(default_factory=dict)
    watch: LoadWatch | None = None
    require_allowed: Callable[[], None] = always_allowed
    timer: SharedTimer = field(init=False)

    def __post_init__(self) -> None:
        self.timer = SharedTimer(self.router)

    def push(self, *, commit: bool = True, before: str = "before", after: str = "after") -> PushResult:
        request = PushRequest(
            "r1", self.texts[before], self.texts[after], date(2026, 11, 20), MINUTES, partial(self._verify, after),
            self._record, judge=partial(self._judge, after), require_allowed=self.require_allowed,
        )  # fmt: skip
        if self.watch is not None:
            on_trial = partial(self.watch.on_trial, MINUTES)
            request = replace(request, before_push=self.watch.before_push, on_trial=on_trial)
        return push(request, self.opened, self.journal, self.timer, commit=commit)

    def opened(self) -> Device:
        key = self.served.host_key
        access = Access(address=self.served.host, port=self.served.port, user="hntes", host_key=key)
        device = open_junos(access, LOGIN_S)
        device._client.timeout = ANSWER_S
        device._ask = partial(self._asked, device._ask)  # type: ignore[method-assign]
        return device

    def _asked(self, ask: Callable[..., Any], *request: Any) -> Any:
        """A request of any session; with `killed_at` the process ends before it is sent, or before its answer."""
        self.asked += 1
        self.before_request.pop(self.asked, lambda: None)()
        if self.killed_at == (self.asked, "before"):
            raise KilledError
        answer = ask(*request)
        if self.killed_at == (self.asked, "after"):
            raise KilledError
        return answer

    @property
    def journal(self) -> Journal:
        return Journal(self.folder / "journal.json")

    @property
    def holds(self) -> str:
        """The name of the text that is committed; `on trial` behind it until it is confirmed; else `neither`."""
        return self.name_of(self.router.active) + (" on trial" if self.router.pending else "")

    @property
    def starts_with(self) -> str:
        """The name of the text with which the router would start."""
        return self.holds

    def shown(self) -> str:
        """The committed configuration."""
        return "\n".join(write_text(self.router.active))

    @staticmethod
    def operators_own() -> str:
        """As `shown`, without anything of HNTES."""
        return "\n".join(write_text(JunosRouter.with_text("r1", OPERATORS_OWN).active))

    def commits(self) -> list[Any]:
        """Each configuration that was ever committed, the newest first."""
        return [each.root for each in self.router.commits]

    def drawn_request(self, draw: Random) -> int:
        """Of a push or, since an undisturbed one has fewer, after it."""
        return draw.randint(1, 24)

    def alice_commits(self) -> None:
        """Somebody else commits during a trial, which confirms it."""
        self.router.commit(self.router.open("alice"))

    def changed_by_alice(self, lines: str) -> None:
        """What somebody else commits, once the router has noticed that the session before has ended."""
        wait_until(lambda: self.router.lock_holder is None, "nobody has the router's configuration locked")
        session = self.router.open("alice")
        assert self.router.load(session, lines, "set") == []
        self.router.commit(session)

    @staticmethod
    def name_of(root: Any) -> str:
        """Whether a configuration is the operator's own and the text before, the one after, or neither."""
        shown = write_text(root)
        return next((name for name in TEXTS if shown == _lines_of(name)), "neither")

    def _verify(self, after: str, device: Device) -> None:
        check_part(device.dialect, device.running(), self.texts[after])
        self._judge(after, device.dialect, device.inherited())
        self.extra()

    def _judge(self, after: str, dialect: Dialect, configuration: str) -> None:
        check_effect(dialect, configuration, self.texts[after], model(dialect.platform).interfaces)

    def _record(self, step: str) -> None:
        if step in self.at:
            self.at.pop(step)()
        self.log.append(step)


def bench(farm: Farm, folder: Path, altered: Altered | None = None) -> Bench:
    """A router that holds the text before and what is its operator's own; its answers may be altered."""
    router = JunosRouter("r1", candidate=_configured("before"))
    session = partial(AlteredSession, altered=altered) if altered else NetconfSession
    return Bench(folder, router, farm.serve(router, netconf=lambda user: session(router, user)))


@cache
def _lines_of(name: str) -> list[str]:
    return write_text(_configured(name))


def _configured(name: str) -> Node:
    root = Node()
    problems = load(root, OPERATORS_OWN, "override") + load(root, "\n".join(junos_text(TEXTS[name])), "replace")
    if problems:
        raise ValueError(problems[0].message)
    return root
