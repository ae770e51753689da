"""Speed of the packet engine: `python -m benchmarks.simulator [SIMULATED_SECONDS] [--sweep | --flows] [--json]`.

Experiment 3's 2-queues run with 3 Gb/s of UDP: two queues at 10 Gb/s for 200 simulated seconds, about 165 million
packets at the bottleneck. With `--sweep` instead H-TCP over one bottleneck, from 1 to 100 Gb/s and from 1 to 64 flows,
five million packets each: the cost of a packet should not depend on either. With `--flows` instead a simulated minute
of 240 flows over a link of 10 Mb/s, as Christin and Liebeherr ran it, by each of their queue disciplines. Counted per
CPU second of one thread; memory is the process's greatest so far.
"""

import argparse
import json
import platform
import resource
import time
from dataclasses import asdict, dataclass, replace

from hntes.papers.christin.paper import CHRISTIN
from hntes.simulator import RunResult, load_experiment, run
from hntes.simulator.scenario import Flow, Host, Link, Scenario, Tcp, TcpTraffic

SWEEP = [(1e9, 1), (1e10, 1), (1e11, 1), (1e10, 4), (1e10, 16), (1e10, 64), (1e11, 64)]
SWEEP_PACKETS = 5_000_000
PACKET_BYTES = 1538


@dataclass(frozen=True)
class Measured:
    """One run: its load, and what it took. Packets are counted at the bottleneck."""

    name: str
    simulated_s: float
    packets: int
    events: int
    cpu_s: float
    greatest_memory_mb: float
    books_balance: bool

    @property
    def packets_per_cpu_s(self) -> float:
        """Bottleneck packets per CPU second."""
        return self.packets / self.cpu_s


def _measure(name: str, scenario: Scenario, bottleneck: str) -> Measured:
    """Run once; `bottleneck` begins the names of its queues."""
    start = time.process_time()
    result = run(scenario)
    cpu_s = time.process_time() - start
    memory_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    packets = _packets(result, bottleneck)
    simulated_s = scenario.duration_s
    return Measured(name, simulated_s, packets, result.events, cpu_s, memory_mb, not result.imbalances)


def _packets(result: RunResult, bottleneck: str) -> int:
    return sum(queue.enqueued_pkts for name, queue in result.queues.items() if name.startswith(bottleneck))


def _experiment(duration_s: float) -> Measured:
    scenario = replace(load_experiment(3).case("2-queues", "udp-3").scenario(seed=1), duration_s=duration_s)
    return _measure("experiment 3, 2-queues, UDP 3 Gb/s", scenario, "WR->W1/")


def _dumbbell(rate_bps: float, flows: int) -> Scenario:
    """Greedy flows over one bottleneck of 1 ms, with a queue of as much."""
    duration_s = SWEEP_PACKETS * PACKET_BYTES * 8 / rate_bps
    numbers = range(flows)
    return Scenario(
        name="sweep",
        duration_s=duration_s,
        interval_s=duration_s,
        seed=1,
        hosts=tuple(Host(name=name, nic_queue_bytes=10_000_000) for name in ("sink", *(f"h{n}" for n in numbers))),
        routers=("r",),
        links=(
            Link("r", "sink", rate_bps, delay_us=450, buffer_bytes=int(rate_bps / 8 * 1e-3)),
            *(Link(f"h{n}", "r", rate_bps, delay_us=50) for n in numbers),
        ),
        tcp=Tcp(merge_segments=44, initial_ssthresh_pkts=int(rate_bps * 1e-3 / 8 / PACKET_BYTES / flows) + 2),
        flows=tuple(Flow(f"f{n}", f"h{n}", "sink", ((0, duration_s),), TcpTraffic("htcp")) for n in numbers),
    )


def _many_flows() -> list[Measured]:
    scenarios = {case.name: replace(case.scenario(seed=1), duration_s=60.0) for case in CHRISTIN.cases_of("1")}
    return [_measure(name, scenario, "router->sink") for name, scenario in scenarios.items()]


def _print(measured: list[Measured]) -> None:
    print(f"machine: {platform.processor() or platform.machine()}, Python {platform.python_version()}")
    print(
        f"{'run':<36}{'simulated s':>12}{'M packets':>11}{'CPU s':>8}{'M pkt/CPU s':>13}{'M events/CPU s':>16}", end=""
    )
    print(f"{'ns/pkt':>8}{'MB':>6}  books")
    for row in measured:
        print(f"{row.name:<36}{row.simulated_s:>12.3g}{row.packets / 1e6:>11.2f}{row.cpu_s:>8.2f}", end="")
        print(f"{row.packets_per_cpu_s / 1e6:>13.2f}{row.events / row.cpu_s / 1e6:>16.2f}", end="")
        books = "balance" if row.books_balance else "DO NOT BALANCE"
        print(f"{1e9 / row.packets_per_cpu_s:>8.0f}{row.greatest_memory_mb:>6.0f}  {books}")
    costs = [row.cpu_s / row.packets for row in measured]
    if len(costs) > 1:
        print(f"dearest packet / cheapest packet: {max(costs) / min(costs):.2f}")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("duration_s", nargs="?", type=float, default=200.0, help="simulated seconds of experiment 3")
    parser.add_argument("--sweep", action="store_true", help="rates and numbers of flows, in place of experiment 3")
    parser.add_argument("--flows", action="store_true", help="a minute of 240 flows, in place of experiment 3")
    parser.add_argument("--json", action="store_true", help="print the numbers as JSON")
    options = parser.parse_args()
    if options.sweep:
        names = [(f"{rate / 1e9:g} Gb/s, {flows} flows", _dumbbell(rate, flows)) for rate, flows in SWEEP]
        measured = [_measure(name, scenario, "r->sink") for name, scenario in names]
    elif options.flows:
        measured = _many_flows()
    else:
        measured = [_experiment(options.duration_s)]
    if options.json:
        print(json.dumps([asdict(row) for row in measured], indent=2))
    else:
        _print(measured)


if __name__ == "__main__":
    main()
