"""An installation with many emulated routers, an approved change for each, and a night whose clock the test moves."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from hntes import clock
from hntes.delivery.timer import Timer
from hntes.platforms.junos.dialect import DIALECT
from hntes.platforms.junos.statements import owned
from hntes.platforms.render import render
from hntes.rules.changeset.candidate import Candidate, write_candidate
from hntes.rules.pairs import PrefixPair
from hntes.rules.qos.build import build_model
from hntes.settings.model import Router
from hntes.settings.plans import TwoQueue
from hntes.sql import approved_texts, audit, changes, proposals
from hntes.sql.change import Change
from hntes.sql.session import Session, transaction
from hntes.workflow.candidates import text_entry
from hntes.workflow.context import opened
from hntes.workflow.delivery import rounds
from tests.support.databases import migrated_sqlite
from tests.support.delivery import OPERATORS_OWN, SharedTimer
from tests.support.devices.clock import ManualClock
from tests.support.devices.farm import EmulatedRouter, Farm
from tests.support.devices.junos.device import JunosRouter
from tests.support.devices.junos.rpc import NetconfSession
from tests.support.devices.junos.text import write_text
from tests.support.installation import Installation
from tests.support.qos_models import router

PUSH_TAKES_S = 120.0  # of the night, for each push that is begun
FIRST_DAY = date(2026, 11, 21)


@dataclass
class Night:
    """The wall clock, which goes on when HNTES waits and with each push. waited_s: how long each wait was in all.

    `set_by_s`: by how much somebody has set it. The time that HNTES waits by knows nothing of that.
    """

    wall: ManualClock
    waited_s: float = 0.0
    set_by_s: float = 0.0

    def now_ms(self) -> int:
        return round(1000 * (self.wall.now_s + self.set_by_s))

    def now_s(self) -> float:
        return self.wall.now_s

    def sleep(self, seconds: float) -> None:
        self.wall.advance(seconds)
        self.waited_s += seconds


@dataclass
class ManyRouters:
    """`paces` holds a time for each router, so that one which is waited for does not age the others' trials.

    `begun` has the routers in the order in which pushes began, with the wall clock's time.
    """

    installation: Installation
    routers: dict[str, JunosRouter]
    served: dict[str, EmulatedRouter]
    night: Night
    paces: dict[str, SharedTimer] = field(default_factory=dict)
    begun: list[tuple[str, float]] = field(default_factory=list)
    texts: dict[str, str] = field(default_factory=dict)

    def timer_of(self, chosen: Router | None) -> Timer:
        if chosen is None:
            return self.night
        self.begun.append((chosen.name, self.night.wall.now_s))
        self.night.wall.advance(PUSH_TAKES_S)
        return self.paces[chosen.name]

    def approve(self, day: date, pairs: Sequence[PrefixPair], names: Collection[str] = ()) -> None:
        """Approves a change of that day for each router, or for these, as of the wall clock's time."""
        with opened(self.installation.settings) as context:
            for name in names or self.routers:
                known = context.settings.router(name)
                model = build_model(known, TwoQueue(kind="two_queue"), pairs)
                candidate = Candidate(model, render(model))
                write_candidate(self.installation.output / name, candidate)
                with transaction(context.database) as session:
                    put_approved(session, name, day, candidate)
                self.texts[name] = candidate.text

    def holds_new(self, name: str) -> bool:
        """Whether the router holds what is approved, for good."""
        emulated = self.routers[name]
        running = "\n".join(write_text(emulated.active))
        return owned(running) == DIALECT.part_of(self.texts[name]) and emulated.pending is None

    def set(self, old: str, new: str) -> None:
        """Exchanges a text of the settings."""
        text = self.installation.settings.read_text(encoding="utf-8")
        assert old in text
        self.installation.settings.write_text(text.replace(old, new), encoding="utf-8")


def many_routers(
    farm: Farm, folder: Path, count: int, delivery: str, now: datetime, *, probes: Callable[[str], str] = lambda _: "[]"
) -> ManyRouters:
    """Routers pe01, pe02, ... that hold nothing of HNTES. delivery: the section's keys and windows, as TOML."""
    url = migrated_sqlite(folder / "hntes.db")
    installation = Installation(folder / "hntes.toml", url, folder / "lake", folder / "output")
    made = ManyRouters(installation, {}, {}, Night(ManualClock(now.astimezone(UTC).timestamp())))
    tables = [f'[paths]\nlake = "{folder}/lake"\noutput = "{folder}/output"', f'[database]\nurl = "{url}"', delivery]
    for number in range(1, count + 1):
        name = f"pe{number:02}"
        made.routers[name] = emulated = JunosRouter.with_text(name, OPERATORS_OWN)
        made.served[name] = farm.serve(emulated, netconf=_sessions(emulated))
        made.paces[name] = SharedTimer(emulated)
        tables.append(_settings_of(name, made.served[name], probes(name)))
    installation.settings.write_text("\n\n".join(tables) + "\n", encoding="utf-8")
    return made


def at_night(many: ManyRouters, patched: pytest.MonkeyPatch) -> None:
    """From here on HNTES has the night's clock and each router's time."""
    patched.setattr(clock, "now_ms", many.night.now_ms)
    patched.setattr(rounds, "timer_of", many.timer_of)


def _sessions(emulated: JunosRouter) -> Callable[[str], NetconfSession]:
    return lambda user: NetconfSession(emulated, user)


def _settings_of(name: str, served: EmulatedRouter, probes: str) -> str:
    ports = "\n".join(
        f'  [[routers.interfaces]]\n  name = "{each.name}"\n  unit = {each.unit}\n  role = "{each.role}"\n'
        f"  rate_bps = {each.rate_bps}"
        for each in router("junos").interfaces
    )
    return (
        f'[[routers]]\nname = "{name}"\nplatform = "junos"\nflow_folder = "flows/{name}"\n{ports}\n'
        f'  [routers.delivery]\n  address = "127.0.0.1"\n  port = {served.port}\n  user = "hntes"\n'
        f'  host_key = "{served.host_key}"\n  probes = {probes}\n'
    )


def put_approved(session: Session, name: str, day: date, candidate: Candidate) -> None:
    """As a decision would leave it; the gate is not what these tests are about."""
    base = changes.in_force(session, name)
    waiting = Change(
        router=name, day=day, base_hash=base.candidate_hash if base else None, candidate_hash=candidate.hash,
        model_hash=candidate.model_hash, state="pending", expires_ms=clock.now_ms() + 10**9, pairs_added=9,
    )  # fmt: skip
    proposals.put(session, waiting, day)
    approved = replace(waiting, state="approved", decided_by="anna")
    changes.write(session, approved)
    changes.put_in_force(session, approved)
    approved_texts.keep(session, text_entry(candidate))
    audit.append(session, replace(proposals.about(approved, "decide", "approved"), who="anna"))
