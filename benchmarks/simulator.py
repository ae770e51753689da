"""Speed of the packet engine: `python -m benchmarks.simulator [SIMULATED_SECONDS]`.

Experiment 3's 2-queues run with 3 Gb/s of UDP: two queues at 10 Gb/s for 200 simulated seconds, about 165 million
packets at the bottleneck. Counted per CPU second of one thread; memory is the process's greatest.
"""

import platform
import resource
import sys
import time

from simulator import load_experiment, run


def main(duration_s: float = 200.0) -> None:
    """Run once and print what was measured."""
    scenario = load_experiment(3).case("2-queues", "udp-3").scenario(seed=1)
    scenario["duration_s"] = duration_s
    start = time.process_time()
    result = run(scenario)
    cpu_s = time.process_time() - start
    packets = sum(queue.enqueued_pkts for name, queue in result.queues.items() if name.startswith("WR->W1/"))
    memory_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"machine:                    {platform.processor() or platform.machine()}, Python {platform.python_version()}"
    )
    print(f"simulated:                  {duration_s:g} s, {packets / 1e6:.1f} M packets at the bottleneck")
    print(f"CPU time:                   {cpu_s:.2f} s")
    print(f"packets per CPU second:     {packets / cpu_s / 1e6:.2f} M")
    print(f"events per CPU second:      {result.events / cpu_s / 1e6:.2f} M ({result.events / packets:.2f} a packet)")
    print(f"greatest memory:            {memory_mb:.0f} MB")
    print(f"books balance:              {'no' if result.imbalances else 'yes'}")


if __name__ == "__main__":
    main(*map(float, sys.argv[1:2]))
