"""CPU seconds of router-days on this machine alone, as tasks of Spark in it, and on two workers of a cluster here.

python -m benchmarks.cluster [--routers 8] [--records 1000000] [--metering ingress] [--folder FOLDER]
    [--endpoint HOST:9000 --bucket NAME]

The three have the same flow files, and a lake and a database each, whose files and rows must be equal in the end.
Each runs in a process of its own, with one session for all stages, whose start-up is reported separately. CPU
time includes all child processes, those of the cluster among them.

With a bucket, of a service that runs already, at plain HTTP, all lakes are in it; the service's own CPU time is not
counted. What was in them is removed first. Its keys are in AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from pyarrow import fs

from benchmarks._process import adopt_orphans, tree_cpu_s
from benchmarks.night import DAY, ROOT, SOURCES, make_flows, settings_text
from hntes.workflow.context import opened
from hntes.workflow.stages.detect import detect
from hntes.workflow.stages.ingest import ingest
from hntes.workflow.stages.measure import measure
from tests.support.databases import migrate
from tests.support.lake_on_s3 import hashes_on
from tests.support.spark_cluster import LOOPBACK_CONF, standalone_cluster
from tests.support.state import State, differences, state_of, without_surroundings

SESSION, STAGES = "session", ("ingest", "detect", "measure")
# Of parts of a lake: its two folders.
KINDS = ("flows", "set_aside")
HERE, LOCAL, CLUSTER = "one machine", "local[2]", "two workers"
# Executors take their memory from Java's; DuckDB and the readers have theirs beside it.
WORKER_MB = 1024
# CPU and clock seconds of a stage
Spent = dict[str, tuple[float, float]]


@dataclass(frozen=True)
class Bucket:
    """A bucket with a lake for each way of working."""

    endpoint: str
    name: str

    def lake(self, way: str) -> dict[str, str]:
        """SHA-256 of the parts of one, by name."""
        return {
            name: sha256 for kind in KINDS for name, sha256 in hashes_on(self.endpoint, self.name, way, kind).items()
        }

    def remove_lake(self, way: str) -> None:
        """Removes what an earlier run left."""
        client = fs.S3FileSystem(endpoint_override=self.endpoint, scheme="http", region="us-east-1")
        client.delete_dir_contents(f"{self.name}/{way}", missing_dir_ok=True)


def main() -> None:
    """Makes the flow files, runs each way of working and compares what they left; or, for itself, runs one of them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, help="for files and lakes (default: a temporary one)")
    parser.add_argument("--routers", type=int, default=8, help="default: 8")
    parser.add_argument("--records", type=int, default=1_000_000, help="of each router (default: a million)")
    parser.add_argument("--metering", choices=SOURCES, default="ingress", help="default: at ingress alone")
    parser.add_argument("--endpoint", help="HOST:PORT of an S3 service")
    parser.add_argument("--bucket", help="for the lakes, in place of folders")
    parser.add_argument("--session-of", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--root", type=int, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.session_of:
        print(json.dumps(_stages(asked.session_of, asked.root)))
        return
    if (asked.endpoint is None) != (asked.bucket is None):
        parser.error("--endpoint and --bucket belong together")
    bucket = Bucket(asked.endpoint, asked.bucket) if asked.bucket else None
    adopt_orphans()
    with tempfile.TemporaryDirectory() as scratch:
        folder = (asked.folder or Path(scratch)).resolve()
        if not (folder / "flows").exists():
            folder.mkdir(parents=True, exist_ok=True)
            make_flows(folder, asked.routers, asked.records, *SOURCES[asked.metering])
        spent, states = {}, {}
        for name, settings in _ways(folder, asked.routers, bucket):
            spent[name], states[name] = _run(settings), _state(settings.parent, bucket)
            print(f"{name}: {sum(cpu_s for cpu_s, _ in spent[name].values()):.1f} CPU s in all", flush=True)
        _print(spent, asked.routers, asked.records)
        _compare(states)


def _ways(folder: Path, routers: int, bucket: Bucket | None) -> Iterator[tuple[str, Path]]:
    """Each way's name and settings; the cluster runs while its settings are used."""
    yield HERE, _installed(folder / "here", folder, routers, "", bucket)
    yield LOCAL, _installed(folder / "local", folder, routers, _spark(LOCAL), bucket)
    with standalone_cluster(workers=2, worker_memory_mb=WORKER_MB) as master:
        yield CLUSTER, _installed(folder / "cluster", folder, routers, _spark(master), bucket)


def _spark(master: str) -> str:
    conf = "".join(f'"{key}" = "{value}"\n' for key, value in LOOPBACK_CONF.items())
    return (
        f'[analytics]\nkind = "spark"\n[analytics.spark]\nmaster = "{master}"\nmax_cores = 2\n'
        f"executor_memory_mb = {WORKER_MB}\n[analytics.spark.conf]\n{conf}"
    )


def _installed(here: Path, folder: Path, routers: int, analytics: str, bucket: Bucket | None) -> Path:
    """An empty installation in `here`, on the flow files of `folder`; its settings."""
    here.mkdir()
    text = settings_text(here, folder / "flows", routers)
    if bucket:
        bucket.remove_lake(here.name)
        text = text.replace(f'lake = "{here / "lake"}"', f'lake = "s3://{bucket.name}/{here.name}"')
        analytics = f'[lake_store]\nendpoint = "{bucket.endpoint}"\ntls = false\n{analytics}'
    (here / "hntes.toml").write_text(text.replace("[plans.recommended]", f"{analytics}[plans.recommended]"))
    migrate(f"sqlite:///{here / 'hntes.db'}")
    return here / "hntes.toml"


def _run(settings: Path) -> Spent:
    """The stages in a process of their own, so that each way starts its own Java, or none."""
    command = [sys.executable, "-m", "benchmarks.cluster", "--session-of", settings, "--root", str(os.getpid())]
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, check=True)
    found: Spent = {stage: (cpu_s, clock_s) for stage, (cpu_s, clock_s) in json.loads(done.stdout).items()}
    return found


def _stages(settings: Path, root: int) -> Spent:
    """CPU seconds of the session's start-up and of each stage, which processes all routers in turn."""
    spent: Spent = {}
    with opened(settings) as context:
        routers = context.chosen(())
        work: dict[str, Callable[[], object]] = {
            SESSION: context.analytics.check,
            "ingest": lambda: [ingest(context, router.flow_folder, DAY, _silent) for router in routers],
            "detect": lambda: [detect(context, router, DAY) for router in routers],
            "measure": lambda: [measure(context, router, DAY) for router in routers],
        }
        for stage, run in work.items():
            cpu_s, clock_s = tree_cpu_s(root), time.perf_counter()
            run()
            spent[stage] = tree_cpu_s(root) - cpu_s, time.perf_counter() - clock_s
    return spent


def _silent(_done: int, _all: int, _path: str) -> None:
    """Nobody looks at the progress."""


def _state(here: Path, bucket: Bucket | None) -> State:
    database_url = f"sqlite:///{here / 'hntes.db'}"
    if bucket:
        return without_surroundings(state_of(database_url)) | {"files": {"lake": bucket.lake(here.name)}}
    return without_surroundings(state_of(database_url, here / "lake"))


def _print(spent: dict[str, Spent], routers: int, records: int) -> None:
    print(f"\n{routers} routers of {records:,} records; CPU s of a router-day, session apart\n")
    print(f"| | {' | '.join(spent)} |\n|---|{'---|' * len(spent)}")
    print(f"| {SESSION}, once | {' | '.join(f'{way[SESSION][0]:.1f}' for way in spent.values())} |")
    for stage in STAGES:
        print(f"| {stage} | {' | '.join(f'{way[stage][0] / routers:.2f}' for way in spent.values())} |")
    totals = {name: sum(way[stage][0] for stage in STAGES) / routers for name, way in spent.items()}
    print(f"| router-day | {' | '.join(f'{total:.2f}' for total in totals.values())} |")
    print(f"| times one machine | {' | '.join(f'{total / totals[HERE]:.2f}' for total in totals.values())} |")
    clocks = (sum(way[stage][1] for stage in STAGES) for way in spent.values())
    print(f"| clock s, all routers | {' | '.join(f'{clock:.0f}' for clock in clocks)} |")


def _compare(states: dict[str, State]) -> None:
    """Says what is equal; ends with status 1 if anything is not."""
    problems = {name: differences(state, states[HERE]) for name, state in states.items() if name != HERE}
    for name, found in problems.items():
        for line in found[:10]:
            print(f"{name}: {line[:300]}")
    files, tables = states[HERE]["files"], states[HERE]["tables"]
    assert isinstance(files, dict)
    assert isinstance(tables, dict)
    counts = f"{sum(map(len, files.values()))} files of the lake and {sum(map(len, tables.values()))} rows"
    if any(problems.values()):
        sys.exit(f"of {counts} of {HERE}, not all are equal elsewhere")
    print(f"\nequal everywhere: {counts}")


if __name__ == "__main__":
    main()
