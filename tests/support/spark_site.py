"""An installation whose stages run on a cluster on loopback, and the processes of that cluster that work for it."""

import os
import signal
from dataclasses import dataclass
from pathlib import Path

from tests.support.airflow_site import reader_settings, write_reader
from tests.support.installation import Installation, installation_in
from tests.support.spark import JAVA_OPTIONS
from tests.support.spark_cluster import LOOPBACK_CONF
from tests.support.waiting import wait_until

# Where others keep the machine busy, a session takes minutes to start.
LIMIT_S = 1800.0


@dataclass(frozen=True)
class AtWork:
    """Process ids: of the Python process that reads a file, of its executor, and of the executor's worker."""

    reader: int
    executor: int
    worker: int


@dataclass(frozen=True)
class SparkSite:
    """`folder` has the nfdump that stands still on request (`write_reader`)."""

    hntes: Installation
    folder: Path

    def hold(self) -> None:
        """Has the next task that comes to a flow file of 18:30 stand still there, until `release`."""
        (self.folder / "holds" / "hold.0").touch()

    def held(self) -> AtWork:
        """Waits for that task."""
        holds = self.folder / "holds"
        wait_until(lambda: any(holds.glob("held.*")), "a task stands still", LIMIT_S)
        (marked,) = holds.glob("held.*")
        reader = int(marked.suffix[1:])
        above = _parents(reader)
        executor = next(pid for pid in above if "CoarseGrainedExecutorBackend" in _command(pid))
        worker = next(pid for pid in above if "deploy.worker.Worker" in _command(pid))
        return AtWork(reader, executor, worker)

    def release(self) -> None:
        """Lets what stands still go on."""
        (self.folder / "holds" / "release").touch()


def site_here(folder: Path, routers: int, **replaced: str) -> SparkSite:
    """The demonstration's first routers on one machine, with the reader of `spark_site`."""
    write_reader(folder)
    made = installation_in(folder / "site", routers=routers, **replaced)
    text = made.settings.read_text(encoding="utf-8")
    made.settings.write_text(text.replace("[ingest]", reader_settings(folder), 1), encoding="utf-8")
    return SparkSite(made, folder)


def spark_site(folder: Path, master: str, routers: int = 1, **replaced: str) -> SparkSite:
    """The demonstration's first routers on this cluster, each command with one of its cores."""
    conf = LOOPBACK_CONF | {
        "spark.driver.extraJavaOptions": JAVA_OPTIONS,
        "spark.executor.extraJavaOptions": JAVA_OPTIONS,
        # an executor that is killed is missed at once, one whose machine is gone after this
        "spark.network.timeout": "60s",
        "spark.executor.heartbeatInterval": "5s",
    }
    lines = "".join(f'"{key}" = "{value}"\n' for key, value in conf.items())
    spark = (
        f'[analytics]\nkind = "spark"\n[analytics.spark]\nmaster = "{master}"\nmax_cores = 1\n'
        f"executor_memory_mb = 512\n[analytics.spark.conf]\n{lines}\n[plans.recommended]"
    )
    site = site_here(folder, routers, **replaced)
    text = site.hntes.settings.read_text(encoding="utf-8")
    site.hntes.settings.write_text(text.replace("[plans.recommended]", spark, 1), encoding="utf-8")
    return site


def kill(pid: int) -> None:
    """Ends a process without notice."""
    os.kill(pid, signal.SIGKILL)


def _parents(pid: int) -> list[int]:
    """The processes above one, the nearest first."""
    found = []
    while pid > 1:
        pid = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
        found.append(pid)
    return found


def _command(pid: int) -> str:
    return Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ") if pid > 1 else ""
