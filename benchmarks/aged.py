"""CPU seconds of commands over a flow folder with a week of files in the ledger, and with a year of them.

The files are links to one file, and the ledger's entries and parts are made up; the night reads one new file.
"""

import argparse
import os
import shutil
import tempfile
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

from benchmarks._process import hntes, used_by
from hntes.etl.ingest.part_names import part_stem
from hntes.etl.lake.part import folder_tag
from hntes.etl.sources.nfcapd.probe import REFERENCE_FILE
from hntes.sql.engine import open_database, upgrade
from hntes.sql.entries import FileEntry, FilePart, OutcomeCount, SamplingEntry
from hntes.sql.ledger import replace_file
from hntes.sql.session import transaction

NEW_DAY = date(2026, 11, 28)
PER_DAY, HASH = 288, "a" * 64
# A file system has a limit of links to one file.
MOST_LINKS = 30_000
NIGHT = ("stage", "ingest", "--day", NEW_DAY.isoformat())
COMMANDS = {"night": NIGHT, "night after a kill": NIGHT, "nothing new": NIGHT,
            "files": ("data", "files"), "all files": ("data", "files", "--all"), "check": ("check",)}  # fmt: skip
SETTINGS = """[paths]
lake = "{0}/lake"
output = "{0}/output"
[database]
url = "sqlite:///{0}/hntes.db"
[[routers]]
name = "r1"
platform = "junos"
flow_folder = "{0}/flows"
[[routers.interfaces]]
name = "xe-0/0/0"
role = "both"
rate_bps = 10_000_000_000
"""


def main() -> None:
    """Prints a line per age and command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--days", type=int, nargs="+", default=[7, 365])
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for days in chosen.days:
            root = Path(folder) / str(days)
            make(root, days)
            for name, command in COMMANDS.items():
                prepare(root, name)
                used = used_by(hntes(root / "hntes.toml", *command), root, root / "said")
                print(f"{days:4} days  {name:20} {used.cpu_s:7.2f} CPU s {used.peak_mb:6.0f} MB", flush=True)


def make(root: Path, days: int) -> None:
    """The folder, the ledger and the lake of so many days, and one file of the day after them."""
    flows = root / "flows"
    flows.mkdir(parents=True)
    (root / "hntes.toml").write_text(SETTINGS.format(root))
    database = open_database(f"sqlite:///{root}/hntes.db")
    upgrade(database)
    # of the last day only what a night does not look at
    last = datetime(NEW_DAY.year, NEW_DAY.month, NEW_DAY.day, tzinfo=UTC) - timedelta(hours=1)
    for day in range(days):
        moments = [last - timedelta(minutes=5 * (day * PER_DAY + number)) for number in range(PER_DAY)]
        with transaction(database) as session:
            for number, moment in enumerate(moments):
                path = f"{moment:%Y/%m/%d}/nfcapd.{moment:%Y%m%d%H%M}"
                link(root, flows / path, day * PER_DAY + number)
                sha256 = f"{day * PER_DAY + number:064x}"[::-1]
                stem = part_stem(flows, sha256, HASH)
                part = f"flows/router=r1/day={moment:%Y-%m-%d}/{stem}.parquet"
                (root / "lake" / part).parent.mkdir(parents=True, exist_ok=True)
                (root / "lake" / part).touch()
                start_ms = int(moment.timestamp()) * 1000
                replace_file(
                    session,
                    FileEntry(str(flows), path, sha256, 1, start_ms, HASH, "ingested", "", 1, "1.7.1", 9, 9),
                    [OutcomeCount("r1", "kept", 9, 900)],
                    [FilePart("r1", moment.date(), part, 9, 900)],
                    [SamplingEntry("192.0.2.1", 100, "announced", 9, 900)],
                )
    database.dispose()
    new = flows / f"{NEW_DAY:%Y/%m/%d}/nfcapd.{NEW_DAY:%Y%m%d}0005"
    new.parent.mkdir(parents=True)
    shutil.copy(REFERENCE_FILE, new)
    shutil.copy(root / "hntes.db", root / "before.db")


def link(root: Path, path: Path, number: int) -> None:
    """A name of a file that is there already."""
    original = root / f"file{number // MOST_LINKS}"
    if not original.exists():
        shutil.copy(REFERENCE_FILE, original)
    path.parent.mkdir(parents=True, exist_ok=True)
    os.link(original, path)


def prepare(root: Path, name: str) -> None:
    """The state in which a command begins."""
    if name.startswith("night"):
        for left in root.glob("hntes.db*"):
            left.unlink()
        shutil.copy(root / "before.db", root / "hntes.db")
        # else the night waits until all of the copy is written
        with (root / "hntes.db").open("rb+") as copied:
            os.fsync(copied.fileno())
    if name == "night after a kill":
        mark = root / "lake" / ".unfinished" / folder_tag(root / "flows")
        mark.parent.mkdir(parents=True, exist_ok=True)
        mark.touch()


if __name__ == "__main__":
    main()
