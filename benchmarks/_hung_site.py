"""A site of many routers with small days, some of whose folders hang or are missing; what its night takes."""

import fcntl
import sys
import threading
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import sqlalchemy as sa

from hntes.etl.lake.part import folder_tag
from tests.support import postgres
from tests.support.dead_server import dead_server
from tests.support.installation import ROOT, Installation, demo_installation
from tests.support.killed_nights import NIGHT

FAULTS = 3  # folders that hang, and as many that are missing
DATABASES = ("sqlite", "postgresql")
HANGS = ("server", "lock")


@dataclass
class Seen:
    """Peaks of samples taken once per second: processes, their memory (PSS, MB), connections to each database."""

    processes: int = 0
    memory_mb: float = 0.0
    connections: tuple[int, ...] = ()


@contextmanager
def database(name: str) -> Iterator[str | None]:
    """An empty database of its own; None stands for a file."""
    if name == "sqlite":
        yield None
        return
    binaries = postgres.find_binaries()
    if binaries is None:
        sys.exit("no PostgreSQL server is installed: scripts/install_system_packages test")
    with postgres.temporary_server(binaries) as server, server.database() as url:
        yield url


def installed(folder: Path, url: str | None, routers: int) -> Installation:
    """Routers r001, r002, ...: the demonstration's first under other names, with folders of their own."""
    site = demo_installation(folder / "site", url, routers=1)
    head, table = site.settings.read_text(encoding="utf-8").split("[[routers]]\n")
    flows = ROOT / "demo" / "flows" / "r1"
    tables = []
    for number in range(1, routers + 1):
        name = f"r{number:03}"
        tables.append(table.replace('"r1"', f'"{name}"').replace(f'"{flows}"', f'"{folder / "flows" / name}"'))
        if not FAULTS < number <= 2 * FAULTS:
            (folder / "flows" / name).mkdir(parents=True)
            for file in flows.glob(f"nfcapd.{NIGHT.replace('-', '')}*"):
                (folder / "flows" / name / file.name).write_bytes(file.read_bytes())
    site.settings.write_text("[[routers]]\n".join([head, *tables]), encoding="utf-8")
    return site


@contextmanager
def hung(site: Installation, how: str) -> Iterator[None]:
    """The first folders hang: their file server is dead (`server`), or another process has each of them (`lock`)."""
    folders = [site.settings.parent.parent / "flows" / name for name in router_names(FAULTS)]
    with ExitStack() as held:
        if how == "server":
            held.enter_context(dead_server(*folders))
        else:
            for folder in folders:
                held.enter_context(_locked(site, folder))
        yield


def router_names(routers: int) -> list[str]:
    """r001, r002, ...: those whose folders hang, then those whose folders are missing, then the healthy."""
    return [f"r{number:03}" for number in range(1, routers + 1)]


@contextmanager
def _locked(site: Installation, folder: Path) -> Iterator[None]:
    """Another process has the folder, for which ingest waits ten minutes."""
    lock = site.lake / ".locks" / folder_tag(folder)
    lock.parent.mkdir(parents=True, exist_ok=True)
    with lock.open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        yield


@contextmanager
def watched(processes: Callable[[], Collection[int]], urls: Sequence[str]) -> Iterator[Seen]:
    """Looks at these processes and at the connections to these databases, of which files have none, once a second."""
    seen, over = Seen(), threading.Event()
    engines = [sa.create_engine(url) for url in urls if url.startswith("postgresql")]
    watching = threading.Thread(target=_watch, args=(processes, engines, seen, over))
    watching.start()
    try:
        yield seen
    finally:
        over.set()
        watching.join()
        for engine in engines:
            engine.dispose()


def _watch(
    processes: Callable[[], Collection[int]], engines: Sequence[sa.Engine], seen: Seen, over: threading.Event
) -> None:
    seen.connections = (0,) * len(engines)
    while not over.wait(1.0):
        pids = processes()
        seen.processes = max(seen.processes, len(pids))
        seen.memory_mb = max(seen.memory_mb, sum(map(_pss_mb, pids)))
        seen.connections = tuple(map(max, seen.connections, map(_connections, engines)))


def _connections(engine: sa.Engine) -> int:
    """Those to the database but this one."""
    counted = "select count(*) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()"
    with engine.connect() as asking:
        return int(asking.scalar(sa.text(counted)) or 0)


def _pss_mb(pid: int) -> float:
    """Its share of memory: pages that several processes have are divided among them."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0.0
    return sum(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1024
