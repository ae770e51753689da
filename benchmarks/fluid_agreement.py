"""How near the fluid engine comes to the packet engine.

`python -m benchmarks.fluid_agreement [PLANS] [RATE_GBPS] [seeds]`

Runs random plans (60 simulated seconds each, 1 Gb/s unless told) in both engines and prints every plan outside the
tolerances, then the misses and medians of each measure. With `seeds` the packet engine also runs each plan with another
seed: what chance alone makes of the same measures. docs/reference/simulator-fluid.md holds what was measured.
"""

import statistics
import sys
import time

from simulator import NotApplicableError, run
from tests.support.random_plans import LIMITS, Distance, distance, random_plan

DURATION_S = 60.0
OTHER_SEED = 1000


def main(plans: int = 200, rate_gbps: float = 1.0, seeds: bool = False) -> None:
    """Run and print."""
    distances: list[Distance] = []
    chances: list[Distance] = []
    cpu_s = [0.0, 0.0]
    for number in range(plans):
        plan = random_plan(number, rate_gbps * 1e9, DURATION_S)
        start = time.process_time()
        try:
            fluid = run(plan, engine="fluid")
        except NotApplicableError:
            continue
        middle = time.process_time()
        packet = run(plan)
        cpu_s = [cpu_s[0] + time.process_time() - middle, cpu_s[1] + middle - start]
        distances.append(distance(fluid, packet))
        if seeds:
            chances.append(distance(run({**plan, "seed": number + OTHER_SEED}), packet))
        if not distances[-1].within():
            print(f"{plan['name']}: {distances[-1]}", flush=True)
    print(f"refused: {plans - len(distances)} of {plans}")
    report("fluid", distances)
    if chances:
        report("packet engine with another seed", chances)
    print(f"CPU time: packet {cpu_s[0]:.1f} s, fluid {cpu_s[1]:.1f} s")


def report(title: str, distances: list[Distance]) -> None:
    """Misses, medians and the worst of each measure."""
    within = sum(one.within() for one in distances)
    print(f"{title}: {within} of {len(distances)} plans within all tolerances")
    for name, limit in LIMITS.items():
        values = [value for one in distances if (value := getattr(one, name)) is not None]
        sizes = [abs(value) for value in values]
        print(
            f"  {name:12} limit {limit:g}: {sum(size > limit for size in sizes)} of {len(sizes)} missed,"
            f" {sum(size > 2 * limit for size in sizes)} by more than twice,"
            f" median {statistics.median(sizes):.4f}, worst {max(sizes):.3f}, mean {statistics.mean(values):+.4f}"
        )


if __name__ == "__main__":
    numbers = [word for word in sys.argv[1:] if word != "seeds"]
    plan_count = int(numbers[0]) if numbers else 200
    main(plan_count, float(numbers[1]) if len(numbers) > 1 else 1.0, seeds="seeds" in sys.argv)
