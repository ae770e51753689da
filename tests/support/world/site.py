"""An installation whose routers are emulated in the same process, and the processes that run on its machine.

The gate judges in earnest, each plan beside each peak once for all worlds of a process. The peak is that of the
settings, so that not each night has plans of its own to simulate.
"""

import importlib
import re
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any
from unittest.mock import patch

from sqlalchemy import Engine

from hntes.etl.engines.duck import DuckEngine
from hntes.settings import Settings
from hntes.settings.model import Database, Router
from hntes.sql.engine import open_database
from hntes.sql.session import Session, reading
from hntes.workflow import context as context_module
from hntes.workflow.context import Context, Databases, opened, settings_of
from hntes.workflow.delivery import push as push_module
from hntes.workflow.delivery import removal as removal_module
from hntes.workflow.errors import expected
from hntes.workflow.stages import ingest as ingest_stage
from hntes.workflow.stages import judge as judge_stage
from tests.support.databases import SIMULATIONS, migrated_sqlite
from tests.support.scheduled_site import JUDGED_PLAN
from tests.support.world.answers import remembering
from tests.support.world.ledger import LEAD_S
from tests.support.world.machine import Machine, Outcome, running
from tests.support.world.places import LOGICAL, PORTS, QUEUES, Place, place
from tests.support.world.readers import remembering_readers
from tests.support.world.record import Record
from tests.support.world.traffic import INDEX_CORE, INDEX_EDGE, PROTECTED, ROTATION_S

# the package has a function of the same name
_GATE = importlib.import_module("hntes.gate.judge")
AGEING_DAYS = 5
_HEAD = """[paths]
lake = "{folder}/lake"
output = "{folder}/output"
simulations = "{simulations}"
audit_anchors = "{folder}/anchors/audit.log"

[database]
url = "{url}"

[ageing]
days = {ageing}
usual_exporter_records = 10

[ingest]
rotation_s = {rotation}
workers = 1

[gate]
tcp_profiles = ["linux-2.6.33"]
reach_pct = {reach}
{gate}

[shares]
min_complete_days = 3650

[review]
approvals = {approvals}

[protected]
prefixes = [{protected}]

[plans.recommended]
kind = "two_queue"
{plan}
"""
# With a class for reservations, and what of the gate's questions its texts pass.
_RESERVING = f"{JUDGED_PLAN}\n\n[reservations]\npropose_hours = 48\nlead_s = {LEAD_S}"
_PASSING = "beta_peak_pct = 15.0\nround_trips_ms = [2.0]"
_ROUTER = """
[[routers]]
name = "{name}"
platform = "{platform}"
flow_folder = "{folder}/flows/{name}"
exporters = ["{exporter}"]
{queues}
  [routers.delivery]
  address = "192.0.2.{number}"
  port = 22
  user = "hntes"
  host_key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIDJTo0GIhPZoSyFJ4tWV5CQmtvzpTf6ZLqZRMZZyGFpZ"
  [[routers.interfaces]]
  name = "{edge}"
  {logical_edge}
  role = "edge"
  rate_bps = 10_000_000_000
  snmp_index = {index_edge}
  [[routers.interfaces]]
  name = "{core}"
  {logical_core}
  role = "core"
  rate_bps = 10_000_000_000
  snmp_index = {index_core}
"""


def _queues(platform: str) -> str:
    numbers = ", ".join(f"{name} = {number}" for name, number in QUEUES[platform].items())
    return f"queues = {{ {numbers} }}" if numbers else ""


@dataclass
class Site:
    """`protected`: numbers of sources whose prefixes no pair may hold. `reach_pct`: a limit of the gate. `reserves`:
    whether rates can be reserved."""

    folder: Path
    machine: Machine
    places: list[Place]
    approvals: int = 1
    reserves: bool = False
    protected: list[int] = field(default_factory=lambda: [PROTECTED])
    reach_pct: float = 10.0
    url: str = ""
    databases: Databases = field(default_factory=lambda: _Kept())
    record: Record = field(init=False)

    def __post_init__(self) -> None:
        self.record = Record(self.database)
        self.url = migrated_sqlite(self.database)
        self.write_settings()
        for each in self.places:
            each.before_request = self.machine.request

    @property
    def database(self) -> Path:
        return self.folder / "hntes.db"

    @property
    def settings(self) -> Path:
        return self.folder / "hntes.toml"

    @property
    def output(self) -> Path:
        return self.folder / "output"

    def exporter(self, number: int) -> str:
        return f"192.0.2.{200 + number}"

    def write_settings(self) -> None:
        text = _HEAD.format(
            folder=self.folder, simulations=SIMULATIONS, url=self.url, ageing=AGEING_DAYS, rotation=ROTATION_S,
            reach=self.reach_pct, approvals=self.approvals, gate=_PASSING if self.reserves else "",
            plan=_RESERVING if self.reserves else "",
            protected=", ".join(f'"198.18.{each}.0/24"' for each in self.protected),
        )  # fmt: skip
        for number, each in enumerate(self.places):
            edge, core = PORTS[each.platform]
            logical = [f'logical = "{name}"' for name in LOGICAL.get(each.platform, ())] or ["", ""]
            text += _ROUTER.format(
                name=each.name, platform=each.platform, folder=self.folder, exporter=self.exporter(number),
                number=10 + number, edge=edge, core=core, index_edge=INDEX_EDGE, index_core=INDEX_CORE,
                logical_edge=logical[0], logical_core=logical[1], queues=_queues(each.platform),
            )  # fmt: skip
        self.settings.write_text(text, encoding="utf-8")

    def read_settings(self, path: Path | None = None) -> Settings:
        """The settings of a file: they say the same until it has another text."""
        read = path or self.settings
        return _read(read, read.read_text(encoding="utf-8"))

    def process(self, action: Callable[[Context], Any]) -> Outcome:
        """One command: reads the settings, does something, ends."""

        def run() -> Any:
            with opened(self.settings, self.databases) as context:
                return action(context)

        done = self.machine.call(run, expected())
        if done.word in ("died", "failed"):
            self.databases.close()
        return done

    def look(self, action: Callable[[Session], Any]) -> Any:
        """What the database says, without a process to which something could happen."""
        chosen = Database(url=self.url)
        with self.machine.aside(), reading(self.databases.of(chosen)) as session:
            return action(session)

    def close_database(self) -> None:
        """All connections end, and what is only in the write-ahead log joins the file."""
        self.record.close()
        self.databases.close()

    def replace_database(self, path: Path) -> None:
        """A copy takes its place; its connections, which a long-running program keeps, end."""
        self.close_database()
        shutil.copyfile(path, self.database)

    def opened_for(self, router: Router, _: int) -> Callable[[], Any]:
        """In the place of what opens sessions over a network."""
        return next(each.opened for each in self.places if each.name == router.name)


@contextmanager
def site(folder: Path, platforms: Sequence[str], approvals: int = 1, *, reserves: bool = False) -> Iterator[Site]:
    """An installation with a router of each of these platforms, in this process."""
    folder.mkdir(parents=True, exist_ok=True)
    machine = Machine(folder)
    places = [place(f"r{n}", each) for n, each in enumerate(platforms, start=1)]
    made = Site(folder, machine, places, approvals, reserves)
    with (
        running(machine),
        remembering_readers(platforms),
        patch.object(push_module, "opener", made.opened_for),
        patch.object(removal_module, "opener", made.opened_for),
        patch.object(_GATE, "judge_plans", _once(_GATE.judge_plans)),
        patch.object(_GATE, "control_verdicts", _once(_GATE.control_verdicts)),
        # pages and figures for people, a second for each judgement
        patch.object(judge_stage, "write_report", lambda *_: {}),
        patch.object(DuckEngine, "run", remembering(DuckEngine.run)),
        patch.object(context_module, "settings_of", made.read_settings),
        # a process for each night and folder, of which none hangs
        patch.object(ingest_stage, "require_answer", lambda *_: None),
    ):
        yield made
        made.close_database()


@lru_cache(maxsize=8)
def _read(path: Path, _: str) -> Settings:
    return settings_of(path)


class _Kept(Databases):
    """A database whose statements are compiled once, though a process that died takes its connections with it: the
    engine stays, and serves each file that comes to lie at its address."""

    def of(self, chosen: Database) -> Engine:
        return _engine(chosen.url)

    def close(self) -> None:
        for each in _ENGINES.values():
            each.dispose()


_ENGINES: dict[str, Engine] = {}


def _engine(url: str) -> Engine:
    if url not in _ENGINES:
        for other in _ENGINES.values():
            other.dispose()
        _ENGINES.clear()
        _ENGINES[url] = open_database(url)
    return _ENGINES[url]


_JUDGED: dict[tuple[str, str], list[Any]] = {}
_LINE = re.compile(r"\bline \d+")


def _once(judged: Callable[..., list[Any]]) -> Callable[..., list[Any]]:
    """The same verdicts for the same plans beside the same peak, whatever the lines are that their sentences name."""
    asked = getattr(judged, "__wrapped__", judged)

    def remembered(plans: Sequence[Any], *others: Any, **options: Any) -> list[Any]:
        key = asked.__name__, _LINE.sub("line", repr([(each.port, each.gate, each.beta_peak.pct) for each in plans]))
        if key not in _JUDGED:
            _JUDGED[key] = asked(plans, *others, **options)
        return list(_JUDGED[key])

    return remembered
