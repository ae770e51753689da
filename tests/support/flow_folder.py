"""A flow folder with small real nfcapd files, and sites (lake and database) that ingest it."""

import shutil
import subprocess
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from hntes.etl.ingest.readers import LocalReader
from hntes.etl.ingest.router_exporters import RouterExporters
from hntes.etl.ingest.run import FolderPlan, IngestReport, ingest_folder
from hntes.etl.sources.nfcapd.nfdump import Nfdump
from hntes.etl.sources.nfcapd.probe import REFERENCE_FILE, probe
from hntes.sql.entries import FileEntry
from hntes.sql.ledger import files_of_folder, parts_between
from hntes.sql.session import reading
from tests.support.databases import opened
from tests.support.nfcapd import by_nfdump
from tests.support.state import State, state_of

LATER = 1 << 62
NFDUMP = shutil.which("nfdump") or "nfdump"


def write_flow_file(path: Path, records: int) -> None:
    """A real nfcapd file with the reference file's first records."""
    path.parent.mkdir(parents=True, exist_ok=True)
    made = path.with_name(f".{path.name}.new")
    command = ["nfdump", "-q", "-r", str(REFERENCE_FILE), "-w", str(made), "-c", str(records)]
    subprocess.run(command, check=True, capture_output=True)
    made.replace(path)


def make_folder(folder: Path, files: dict[str, int]) -> Path:
    for name, records in files.items():
        write_flow_file(folder / name, records)
    return folder


def program(path: Path, *lines: str) -> str:
    """A shell script that stands for nfdump; `$REAL` is the real one."""
    path.write_text("\n".join(("#!/bin/sh", f"REAL={NFDUMP}", *lines, "")))
    path.chmod(0o755)
    return str(path)


def statistics(flows: int, packets: int = 0, byte_count: int = 0) -> str:
    """What `nfdump -I` says of a file of records without a known protocol, as the argument of printf."""
    lines = [f"Flows: {flows}"]
    for name, total in (("Packets", packets), ("Bytes", byte_count)):
        lines += [f"{name}: {total}", f"{name}_tcp: 0", f"{name}_udp: 0", f"{name}_icmp: 0", f"{name}_other: {total}"]
    return "\\n".join((*lines, ""))


class Site:
    """A lake and a database of their own over a flow folder that several sites may share."""

    def __init__(self, folder: Path, flows: Path, database_url: str, claim: RouterExporters | None = None) -> None:
        self.flows, self.url, self.lake = flows, database_url, folder / "lake"
        self.plan = FolderPlan(flows, (claim or RouterExporters("r1"),))
        self.nfdump = probe("nfdump")
        self.database = opened(database_url)

    def ingest(self, *, nfdump: Nfdump | None = None, workers: int = 1, **options: Any) -> IngestReport:
        chosen = nfdump or self.nfdump
        options.setdefault("reader", LocalReader(workers))
        return ingest_folder(self.database, by_nfdump(chosen), self.lake, self.plan, **options)

    def with_program(self, name: str, version: tuple[int, int, int] | None = None) -> Nfdump:
        return replace(self.nfdump, program=name, version=version or self.nfdump.version)

    def replan(self, **changes: Any) -> None:
        self.plan = replace(self.plan, **changes)

    def entries(self) -> dict[str, FileEntry]:
        with reading(self.database) as session:
            return {entry.path: entry for entry in files_of_folder(session, str(self.flows))}

    def states(self) -> dict[str, str]:
        return {path: entry.state for path, entry in self.entries().items()}

    def parts(self) -> list[str]:
        with reading(self.database) as session:
            return [part.part for part in parts_between(session, "r1", 0, LATER)]

    def records(self) -> int:
        """Rows of the parts that the ledger names."""
        return sum(pq.ParquetFile(self.lake / part).metadata.num_rows for part in self.parts())

    def bytes(self) -> int:
        tables = (pq.ParquetFile(self.lake / part).read(["bytes"]) for part in self.parts())
        return sum(sum(table["bytes"].to_pylist()) for table in tables)

    def stray_files(self) -> set[str]:
        """What lies in the lake and the ledger does not name: there must never be any after a run."""
        named = Counter(self.parts())
        assert max(named.values(), default=1) == 1, f"a part is named twice: {named.most_common(1)}"
        lying = {path.relative_to(self.lake).as_posix() for path in self.lake.glob("flows/**/*") if path.is_file()}
        return lying ^ set(named)

    def state(self) -> State:
        return state_of(self.url, self.lake)
