"""CPU seconds of starting, `why`, `rules` and `propose` with 10,000 pairs a day for 30 days; beside another commit's.

python -m benchmarks.questions [--beside FOLDER] [--runs 3] [--pairs 10000] [--days 30]

FOLDER is a work tree of another commit (git worktree add FOLDER COMMIT). It makes a database of its own and gets the
same observations, days and loads, so far as it has columns for them. Both are run in alternation, as whole processes
of this Python. What one of them stores when it proposes is there for the next run, as after a night; a configuration
is in force only here.
"""

import argparse
import os
import sqlite3
import statistics
import sys
import tempfile
from pathlib import Path

from benchmarks._full_state import Size, build, destination_of, source_of
from benchmarks.startup import cpu_s

ROOT = Path(__file__).resolve().parent.parent
TABLES = ("day_status", "observation", "load_day", "interface_load")


def main() -> None:
    """Builds both states and prints one line a command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--beside", type=Path, help="work tree of another commit (default: this one alone)")
    parser.add_argument("--runs", type=int, default=3, help="of each command (default: 3)")
    parser.add_argument("--pairs", type=int, default=10_000, help="a day (default: 10000)")
    parser.add_argument("--days", type=int, default=30, help="with flows (default: 30)")
    asked = parser.parse_args()
    size = Size(routers=1, pairs=asked.pairs, days=asked.days, term_budget=asked.pairs // 5)
    with tempfile.TemporaryDirectory() as scratch:
        here = Path(scratch) / "here"
        trees = {ROOT: build(here, f"sqlite:///{here / 'hntes.db'}", size)}
        if asked.beside:
            other = asked.beside.resolve()
            trees[other] = _copied(other, here, Path(scratch) / "beside")
        _compare(trees, _commands(size), asked.runs)


def _commands(size: Size) -> dict[str, tuple[str, ...]]:
    moving = size.term_budget + 100
    pair = f"{_network(source_of(moving))}>{_network(destination_of(moving))}"
    of = ("--router", size.names[0])
    return {
        "--help": ("--help",),
        "why --help": ("why", "--help"),
        f"why {pair}": ("why", pair, *of),
        "rules": ("rules", *of),
        "propose": ("propose", *of),
    }


def _network(address: str) -> str:
    return f"{address.rpartition('.')[0]}.0/24"


def _copied(tree: Path, here: Path, folder: Path) -> Path:
    """The same state as another commit keeps it; its settings file."""
    folder.mkdir()
    text = (here / "hntes.toml").read_text(encoding="utf-8").replace(str(here), str(folder))
    settings = folder / "hntes.toml"
    # a limit that only the review page knows, and only since it is there
    settings.write_text(text.replace("new_pairs_limit = 100000\n", ""), encoding="utf-8")
    os.chdir(tree)
    cpu_s((*_hntes(settings), "changes"))  # makes the database
    with sqlite3.connect(folder / "hntes.db") as connection:
        connection.execute("attach ? as here", (str(here / "hntes.db"),))
        for table in TABLES:
            columns = ", ".join(row[1] for row in connection.execute(f"pragma table_info({table})"))
            if not columns:
                sys.exit(f"{tree}: its database has no table {table}")
            connection.execute(f"insert into {table} ({columns}) select {columns} from here.{table}")
    return settings


def _compare(trees: dict[Path, Path], commands: dict[str, tuple[str, ...]], runs: int) -> None:
    print(f"CPU seconds, medians of {runs}: " + ", ".join(str(tree) for tree in trees))
    for name, command in commands.items():
        taken_s: dict[Path, list[float]] = {tree: [] for tree in trees}
        for _ in range(runs):
            for tree, settings in trees.items():
                os.chdir(tree)
                taken_s[tree].append(cpu_s((*_hntes(settings), *command)))
        medians = [statistics.median(each) for each in taken_s.values()]
        print(f"{name:40}" + "".join(f"{each:8.2f}" for each in medians), flush=True)


def _hntes(settings: Path) -> tuple[str, ...]:
    return sys.executable, "-m", "hntes", "--settings", str(settings)


if __name__ == "__main__":
    main()
