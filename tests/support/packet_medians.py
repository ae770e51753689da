"""Results of the packet engine, kept in tests/data with trace hashes: for random plans, and for experiments.

Of a plan it is the median of three seeds, of an experiment one run. Plans are kept with hosts of Linux 6, too.

Made anew by: python -m tests.support.packet_medians >tests/data/packet_medians.json
154 runs packet by packet take minutes: tests/integration/test_fluid_engine.py runs three plans and an experiment again,
and takes the others from the file. A change of the packet engine that alters a trace needs the file made anew.
"""

import hashlib
import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from hntes.simulator import load_experiment
from hntes.simulator.steadiness.agreement import Measures, measure, median_of
from hntes.simulator.testbed.files import PROFILES, TESTBED_PROFILE, load_parameters
from tests.support.random_plans import overloaded, random_plan
from tests.support.scenarios import document_of, run

FILE = Path(__file__).resolve().parents[1] / "data" / "packet_medians.json"
RATE_BPS, DURATION_S = 1e9, 60.0
PLANS, SEEDS = 24, 3
# Later plans that were called steady and missed: packets have a further recovery that the fluid has not.
MISSED_ONCE = {"linux-6": (29, 80, 212, 219, 258, 357, 371)}
# Experiments with flows that join a busy queue: number, configuration, variant.
JOINED = ((2, "1-queue", ""), (2, "2-queues", ""), (5, "2-queues", "similar-rtt"), (5, "2-queues", "different-rtt"))
Case = tuple[int, str, str]


@dataclass(frozen=True)
class PacketMedian:
    """One scenario: its hash without the seed, the traces' hashes by seed, the median of their measures."""

    scenario_hash: str
    trace_hashes: list[str]
    median: Measures


def compared_plans(hosts: str = TESTBED_PROFILE) -> list[int]:
    """The numbers of those plans that the fluid engine takes."""
    plans = {number: plan(number) for number in (*range(PLANS), *MISSED_ONCE.get(hosts, ()))}
    return [number for number, one in plans.items() if one["ports"][0]["reopen_bytes"] or not overloaded(one)]


def plan(number: int, hosts: str = TESTBED_PROFILE) -> dict[str, Any]:
    """A random plan of the rate and length that is compared."""
    return random_plan(number, RATE_BPS, DURATION_S, hosts)


def experiment(case: Case) -> dict[str, Any]:
    """The scenario of an experiment; what an emulator delays by is half a link's each way, which a fluid knows, too."""
    number, configuration, variant = case
    case_scenario = load_experiment(number).case(configuration, variant).scenario(1, load_parameters())
    return with_longer_links(document_of(case_scenario))


def with_longer_links(scenario: dict[str, Any]) -> dict[str, Any]:
    """The same round trips without delay emulators: the links of their hosts are longer."""
    hosts = [dict(host) for host in scenario["hosts"]]
    emulators = {host["name"]: host.pop("delay_emulator") for host in hosts if "delay_emulator" in host}
    extra_us = {name: emulator["delay_us"] // 2 for name, emulator in emulators.items()}
    links = [{**link, "delay_us": link["delay_us"] + extra_us.get(link["from"], 0)} for link in scenario["links"]]
    return {**scenario, "hosts": hosts, "links": links}


def scenario_hash(scenario: dict[str, Any]) -> str:
    """Of a scenario as data, its seed left out."""
    content = {key: value for key, value in scenario.items() if key != "seed"}
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def packet_median(number: int, hosts: str = TESTBED_PROFILE) -> PacketMedian:
    """Runs the plan packet by packet, once per seed."""
    return _median(plan(number, hosts), [number + 1000 * other for other in range(SEEDS)])


def packet_run(case: Case) -> PacketMedian:
    """Runs the experiment packet by packet."""
    return _median(experiment(case), [1])


def stored_medians(hosts: str = TESTBED_PROFILE) -> dict[int, PacketMedian]:
    """What the file holds of plans with such hosts, by number."""
    return {int(number): _read(one) for number, one in _content()["plans"][hosts].items()}


def stored_runs() -> dict[Case, PacketMedian]:
    """What the file holds of experiments."""
    runs = _content()["experiments"]
    return {case: _read(runs["/".join(map(str, case))]) for case in JOINED}


def _median(scenario: dict[str, Any], seeds: list[int]) -> PacketMedian:
    results = [run({**scenario, "seed": seed}) for seed in seeds]
    hashes = [result.trace_hash for result in results]
    return PacketMedian(scenario_hash(scenario), hashes, median_of([measure(result) for result in results]))


def _content() -> dict[str, Any]:
    content: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))
    return content


def _read(one: dict[str, Any]) -> PacketMedian:
    return PacketMedian(one["scenario_hash"], one["trace_hashes"], Measures(**one["median"]))


def main() -> None:
    """Prints the file's content."""
    plans = {
        hosts: {number: asdict(packet_median(number, hosts)) for number in compared_plans(hosts)} for hosts in PROFILES
    }
    experiments = {"/".join(map(str, case)): asdict(packet_run(case)) for case in JOINED}
    print(json.dumps({"plans": plans, "experiments": experiments}, indent=1))


if __name__ == "__main__":
    main()
