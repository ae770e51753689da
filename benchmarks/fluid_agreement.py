"""How near the fluid engine comes to the packet engine: `python -m benchmarks.fluid_agreement [PLANS] [RATE_GBPS]`.

Runs random plans (60 simulated seconds each, 1 Gb/s unless told) in both engines and prints every plan outside the
tolerances, then the misses and medians of each measure. docs/reference/simulator-fluid.md holds what was measured.
"""

import statistics
import sys
import time

from simulator import run
from tests.support.random_plans import Distance, distance, random_plan

DURATION_S = 60.0
LIMITS = {"tcp": 0.02, "udp": 0.02, "delay_ms": 5.0, "loss_points": 1.0, "epoch": 0.1}


def main(plans: int = 200, rate_gbps: float = 1.0) -> None:
    """Run and print."""
    distances: list[Distance] = []
    cpu_s = [0.0, 0.0]
    for number in range(plans):
        plan = random_plan(number, rate_gbps * 1e9, DURATION_S)
        start = time.process_time()
        packet = run(plan)
        middle = time.process_time()
        fluid = run(plan, engine="fluid")
        cpu_s = [cpu_s[0] + middle - start, cpu_s[1] + time.process_time() - middle]
        distances.append(distance(fluid, packet))
        if not distances[-1].within():
            print(f"{plan['name']}: {distances[-1]}", flush=True)
    report(distances)
    print(f"CPU time: packet {cpu_s[0]:.1f} s, fluid {cpu_s[1]:.1f} s")


def report(distances: list[Distance]) -> None:
    """Misses, medians and the worst of each measure."""
    within = sum(one.within() for one in distances)
    print(f"{within} of {len(distances)} plans within all tolerances")
    for name, limit in LIMITS.items():
        values = [abs(value) for one in distances if (value := getattr(one, name)) is not None]
        missed = sum(value > limit for value in values)
        print(
            f"{name:12} limit {limit:g}: {missed} of {len(values)} missed,"
            f" median {statistics.median(values):.4f}, worst {max(values):.3f}"
        )


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]), *map(float, sys.argv[2:3]))
