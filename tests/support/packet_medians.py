"""What the packet engine gives for the random plans: medians of three seeds, kept in tests/data with trace hashes.

Made anew by: python -m tests.support.packet_medians >tests/data/packet_medians.json
69 runs packet by packet take minutes: tests/integration/test_fluid_engine.py runs three plans again, and takes the
others from the file. A change of the packet engine that alters a trace needs the file made anew.
"""

import hashlib
import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from simulator import run
from simulator.steadiness.agreement import Measures, measure, median_of
from tests.support.random_plans import overloaded, random_plan

FILE = Path(__file__).resolve().parents[1] / "data" / "packet_medians.json"
RATE_BPS, DURATION_S = 1e9, 60.0
PLANS, SEEDS = 24, 3


@dataclass(frozen=True)
class PacketMedian:
    """One plan: the hash of its scenario without the seed, the traces' hashes by seed, the median of their measures."""

    plan_hash: str
    trace_hashes: list[str]
    median: Measures


def compared_plans() -> list[int]:
    """The numbers of those plans that the fluid engine takes."""
    plans = {number: plan(number) for number in range(PLANS)}
    return [number for number, one in plans.items() if one["ports"][0]["reopen_bytes"] or not overloaded(one)]


def plan(number: int) -> dict[str, Any]:
    """A random plan of the rate and length that is compared."""
    return random_plan(number, RATE_BPS, DURATION_S)


def plan_hash(number: int) -> str:
    """Of the scenario as data, its seed left out."""
    content = {key: value for key, value in plan(number).items() if key != "seed"}
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def packet_median(number: int) -> PacketMedian:
    """Runs the plan packet by packet, once per seed."""
    results = [run({**plan(number), "seed": number + 1000 * other}) for other in range(SEEDS)]
    hashes = [result.trace_hash for result in results]
    return PacketMedian(plan_hash(number), hashes, median_of([measure(result) for result in results]))


def stored_medians() -> dict[int, PacketMedian]:
    """What the file holds."""
    content = json.loads(FILE.read_text(encoding="utf-8"))
    return {
        int(number): PacketMedian(one["plan_hash"], one["trace_hashes"], Measures(**one["median"]))
        for number, one in content.items()
    }


def main() -> None:
    """Prints the file's content."""
    print(json.dumps({number: asdict(packet_median(number)) for number in compared_plans()}, indent=1))


if __name__ == "__main__":
    main()
