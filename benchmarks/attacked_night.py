"""Processor time of a night after each attack on flow data, beside one without: medians over rounds in turn.

Beside each attack stands what as many records without harm cost, since a flood is at least that many records to read.
"""

import argparse
import json
import statistics
import tempfile
from collections.abc import Callable
from pathlib import Path

from tests.support.attacks import ATTACKS, Attack, Night, command, night_after
from tests.support.forger import Collector, Sent, spread_out, v5

EXPORTER = "127.0.0.1"
SMALL_RECORDS = 1000  # so few cost nothing by their number


def harmless(records: int) -> Attack:
    """So many records of short flows, of as many pairs."""

    def send(collector: Collector) -> None:
        flows = spread_out(Sent("", "", 15_000, 10, duration_ms=1000), records)
        collector.send(v5(flows, engine=1), EXPORTER)

    return send


def records_of(night: Night) -> int:
    """Records in the night's flow files."""
    return sum(file["read_records"] for file in json.loads(command(night.site, "files", "--json")))


def main() -> None:
    """Prints a line for each attack that is named, or for all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("attacks", nargs="*", metavar="ATTACK", help=f"of {', '.join(ATTACKS)}; default: all")
    parser.add_argument("--rounds", type=int, default=5, help="nights of each kind (default: 5)")
    parser.add_argument("--background", type=int, default=300_000, help="other records (default: 300,000)")
    asked = parser.parse_args()
    unknown = set(asked.attacks) - ATTACKS.keys()
    if unknown:
        parser.error(f"unknown attack {', '.join(sorted(unknown))}")
    measure(asked.attacks or list(ATTACKS), asked.rounds, asked.background)


def measure(names: list[str], rounds: int, background: int) -> None:
    """Times the nights and prints the table."""
    with tempfile.TemporaryDirectory() as scratch:
        made = 0

        def night(attack: Attack | None) -> Night:
            nonlocal made
            made += 1
            return night_after(Path(scratch) / str(made), attack, background)

        clean = records_of(night(None))  # this first one also simulates what is simulated once
        extra = {name: records_of(night(ATTACKS[name])) - clean for name in names}
        kinds: dict[str, Attack | None] = {"none": None, **{name: ATTACKS[name] for name in names}}
        for count in sorted(set(extra.values())):
            if count > SMALL_RECORDS:
                kinds[f"harmless {count}"], extra[f"harmless {count}"] = harmless(count), count
        spent_s = _alternating(kinds, night, rounds)
    print(f"{clean} records without attack: {statistics.median(spent_s['none']):.1f} CPU s")
    for name, seconds in spent_s.items():
        ratios = [mine / base for mine, base in zip(seconds, spent_s["none"], strict=True)]
        print(
            f"{name}: {extra.get(name, 0)} records more, {statistics.median(seconds):.1f} CPU s, "
            f"{100 * (statistics.median(ratios) - 1):+.0f} % ({100 * (min(ratios) - 1):+.0f} to "
            f"{100 * (max(ratios) - 1):+.0f})"
        )


def _alternating(
    kinds: dict[str, Attack | None], night: Callable[[Attack | None], Night], rounds: int
) -> dict[str, list[float]]:
    spent_s: dict[str, list[float]] = {name: [] for name in kinds}
    for _ in range(rounds):
        for name, attack in kinds.items():
            spent_s[name].append(night(attack).cpu_s)
    return spent_s


if __name__ == "__main__":
    main()
