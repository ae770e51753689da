"""CPU of the review page and of three commands; with --full on 40 routers with 10,000 pairs for 30 days, else on less.

python -m benchmarks.review_page [--full] [--database sqlite|postgresql] [--keep FOLDER] ...

Pages are asked for in this process, in turn on all routers, and cost what a worker of `hntes web` spends on them; CPU
of PostgreSQL's own processes stands beside it. Commands are processes of their own, their start included.
"""

import argparse
import gc
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from benchmarks.startup import cpu_s
from tests.support.full_state import FULL, Size, build, destination_of, source_of
from tests.support.postgres import Server, find_binaries, temporary_server
from tests.support.review_page import browser

LIMIT_MS = 200.0
COMMAND_LIMITS_S = {"why": 2.0, "rules": 2.0, "propose": 4.0}
COMMAND_RUNS = 5


def main() -> None:
    """Builds the state, or takes it from --keep, and prints both tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--database", choices=["sqlite", "postgresql"], default="sqlite")
    parser.add_argument("--requests", type=int, default=40, help="for each page (default: 40)")
    parser.add_argument("--keep", type=Path, help="folder for the state on SQLite; used again if it is there")
    parser.add_argument("--full", action="store_true", help="the state that the limits are for, unless sizes are given")
    names = ("routers", "pairs", "days", "term_budget")
    for name in names:
        parser.add_argument(f"--{name.replace('_', '-')}", type=int)
    asked = parser.parse_args()
    given = {name: getattr(asked, name) for name in names if getattr(asked, name) is not None}
    size = replace(FULL if asked.full else Size(), **given)
    gc.set_threshold(50_000)  # as the command line does
    with state(asked.database, asked.keep, size) as (settings, server_cpu_s):
        print_pages(settings, size, asked.requests, server_cpu_s)
        print_commands(settings, size)


@contextmanager
def state(database: str, kept: Path | None, size: Size) -> Iterator[tuple[Path, Callable[[], float]]]:
    """The settings file of the state, and what PostgreSQL's processes have spent so far."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = kept or Path(scratch)
        if database == "sqlite":
            settings = folder / "hntes.toml"
            if not (folder / "built").exists():
                build(folder, f"sqlite:///{folder / 'hntes.db'}", size)
                (folder / "built").touch()
            yield settings, lambda: 0.0
            return
        binaries = find_binaries()
        assert binaries is not None, "no PostgreSQL server on this machine"
        with temporary_server(binaries) as server, server.database() as url:
            yield build(folder, url, size), lambda: _spent_s(server)


def _spent_s(server: Server) -> float:
    """CPU of the server, of its processes that have ended, and of those that serve a connection that stays open."""
    ticks = 0
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            # after the name in parentheses: ppid, utime, stime, cutime, cstime are fields 4 and 14 to 17 of proc(5)
            fields = path.read_text().rpartition(")")[2].split()
        except (FileNotFoundError, ProcessLookupError):  # ended meanwhile
            continue
        if server.pid in (int(path.parent.name), int(fields[1])):
            ticks += sum(map(int, fields[11:15]))
    return ticks / os.sysconf("SC_CLK_TCK")


def pages(size: Size) -> dict[str, Callable[[int], str]]:
    """Addresses by what they show; the number of the request chooses router and pair."""

    def router(number: int) -> str:
        return size.names[number % size.routers]

    def pair(number: int) -> int:
        return 977 * number % size.pairs

    day = size.day
    return {
        "morning": lambda _: "/",
        "change": lambda n: f"/change/{router(n)}/{day}",
        "pair, by host": lambda n: f"/pair?router={router(n)}&q={source_of(pair(n))}",
        "pair, by both ends": lambda n: f"/pair?router={router(n)}&q={source_of(pair(n))}>{destination_of(pair(n))}",
        "router": lambda n: f"/router/{router(n)}",
        "routers": lambda _: "/routers",
        "explore, all routers": lambda _: "/explore",
        "explore, by site": lambda n: f"/explore?router={router(n)}&by=site&until={day}",
        "pairs by owner": lambda n: f"/change/{router(n)}/{day}?show=all&by=owner",
        "backtests": lambda _: "/backtests",
        "log": lambda _: "/log",
        "log of a router": lambda n: f"/log?router={router(n)}",
    }


def print_pages(settings: Path, size: Size, requests: int, server_cpu_s: Callable[[], float]) -> None:
    """CPU of a worker for each page: the first request, then the median and the 95th percentile of the others."""
    made = browser(settings)
    made.log_in("anna")
    print(f"\n{'page':22}{'first':>8}{'p50':>8}{'p95':>8}   ms of CPU; PostgreSQL beside it, mean")
    for name, address in pages(size).items():
        first = _cost_ms(made, address(0))
        before_s = server_cpu_s()
        costs = sorted(_cost_ms(made, address(number)) for number in range(1, requests + 1))
        beside_ms = 1000 * (server_cpu_s() - before_s) / requests
        p95 = costs[-(-95 * len(costs) // 100) - 1]
        mark = "" if p95 <= LIMIT_MS else f"  above {LIMIT_MS:g}"
        print(f"{name:22}{first:8.0f}{statistics.median(costs):8.0f}{p95:8.0f}{beside_ms:10.0f}{mark}", flush=True)


def _cost_ms(made: Any, address: str) -> float:
    before_s = time.process_time()
    answer = made.get(address)
    taken_ms = 1000 * (time.process_time() - before_s)
    assert answer.status_code == 200, f"{address}: {answer.status_code}"
    return taken_ms


def print_commands(settings: Path, size: Size) -> None:
    """CPU of whole processes, for the first router."""
    hntes, of = (sys.executable, "-m", "hntes", "--settings", str(settings)), ("--router", size.names[0])
    moving = size.first_moving + size.moving // 2
    commands = {"why": ("why", source_of(moving), *of), "rules": ("rules", *of), "propose": ("stage", "propose", *of)}
    print(f"\n{'command':12}{'min':>8}{'median':>8}   s of CPU, {COMMAND_RUNS} runs")
    for name, command in commands.items():
        taken_s = [cpu_s((*hntes, *command)) for _ in range(COMMAND_RUNS)]
        limit_s = COMMAND_LIMITS_S[name]
        mark = "" if max(taken_s) <= limit_s else f"  above {limit_s:g}"
        print(f"{name:12}{min(taken_s):8.2f}{statistics.median(taken_s):8.2f}{mark}", flush=True)


if __name__ == "__main__":
    main()
