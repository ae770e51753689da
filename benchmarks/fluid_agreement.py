"""Agreement of the fluid engine with the packet engine.

`python -m benchmarks.fluid_agreement [plans] [--plans N] [--rate-gbps R] [--seeds N] [--only PLAN ...]
[--hosts KERNEL]`
`python -m benchmarks.fluid_agreement experiments [--seeds N] [--only NUMBER ...] [--hosts KERNEL]`

One seed of the packet engine is one draw: the fluid engine is compared with the median over several seeds, measure by
measure. With a miss goes how far the packet engine's own farthest seed lies from that median: beyond the limit as well,
and chance alone may make the miss; within it, and the miss is systematic. With `plans` the measures are those of random
plans (60 simulated seconds each, 1 Gb/s unless told); the packet engine's first seed, compared with the median of the
others, shows what chance makes of the same table. A plan whose fluid result is unsteady
(`simulator.sensitive_measures`) is the packet engine's to answer: it is named, and counted apart. With `experiments`
they are those of all configurations of the seven experiments that the fluid engine takes, each flow's own throughput
as well, and its seconds. The exit code is 1 when a steady plan or a configuration misses a limit in throughput, delay
or loss, or a configuration takes a second or more of the fluid engine's CPU time. Times between recoveries are printed
and not judged.
docs/reference/simulator-fluid.md holds what was measured.
"""

import argparse
import statistics
import sys
import time
from collections.abc import Sequence
from dataclasses import replace

from hntes.simulator import NotApplicableError, check, load_experiment, run, sensitive_measures
from hntes.simulator.scenario import Scenario
from hntes.simulator.steadiness.agreement import (
    LIMITS,
    Distance,
    Measures,
    compare,
    distance,
    measure,
    median_of,
    spread,
)
from hntes.simulator.testbed.files import PROFILES, TESTBED_PROFILE, load_parameters
from tests.support.random_plans import random_plan

DURATION_S = 60.0
SEED_STEP = 1000
EXPERIMENTS = range(1, 8)
MOST_CPU_S = 1.0


def main(arguments: Sequence[str]) -> int:
    """Run and print; the exit code."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.fluid_agreement")
    parser.add_argument("what", nargs="?", choices=("plans", "experiments"), default="plans")
    parser.add_argument("--plans", type=int, default=200)
    parser.add_argument("--rate-gbps", type=float, default=1.0)
    parser.add_argument("--seeds", type=int)
    parser.add_argument("--only", type=int, nargs="+")
    parser.add_argument("--hosts", choices=PROFILES, default=TESTBED_PROFILE)
    options = parser.parse_args(arguments)
    if options.what == "experiments":
        return compare_experiments(options.only or EXPERIMENTS, options.seeds or 3, options.hosts)
    numbers = options.only or range(options.plans)
    return compare_plans(numbers, options.rate_gbps * 1e9, options.seeds or 5, options.hosts)


def compare_plans(numbers: Sequence[int], rate_bps: float, seeds: int, hosts: str) -> int:
    """Random plans: every plan outside a limit, then the misses of each measure."""
    distances: list[Distance] = []
    steady: list[Distance] = []
    chances: list[Distance] = []
    cpu_s = [0.0, 0.0, 0.0]
    for number in numbers:
        plan = random_plan(number, rate_bps, DURATION_S, hosts)
        if not applies(plan):
            continue
        start = time.process_time()
        result = run(plan, engine="fluid")
        ran = time.process_time()
        moved = sensitive_measures(plan, result)
        checked = time.process_time()
        packets = packet_runs(plan, [number + SEED_STEP * other for other in range(seeds)])
        spent_s = (time.process_time() - checked, ran - start, checked - ran)
        cpu_s = [total + one for total, one in zip(cpu_s, spent_s, strict=True)]
        distances.append(distance(measure(result), median_of(packets)))
        if not moved:
            steady.append(distances[-1])
        if seeds > 1:
            chances.append(distance(packets[0], median_of(packets[1:])))
        if moved or distances[-1].misses():
            told = [f"unsteady in {', '.join(moved)}"] if moved else []
            told += [describe(distances[-1], spread(packets))] if distances[-1].misses() else []
            print(f"{plan['name']}: {'; '.join(told)}", flush=True)
    unsteady_count = len(distances) - len(steady)
    print(f"refused: {len(numbers) - len(distances)} of {len(numbers)}; unsteady: {unsteady_count} of {len(distances)}")
    report(f"steady: fluid against the median of {seeds} packet seeds", steady)
    report(f"all: fluid against the median of {seeds} packet seeds", distances)
    if chances:
        report("packet engine's first seed against the median of the others", chances)
    print(f"CPU time: packet {cpu_s[0]:.1f} s, fluid {cpu_s[1]:.1f} s, its neighbours {cpu_s[2]:.1f} s")
    return int(any(one.decisive_misses() for one in steady))


def compare_experiments(numbers: Sequence[int], seeds: int, hosts: str) -> int:
    """All configurations of experiments: a row each, with what misses its limit and what is unsteady."""
    missed = rows = 0
    print("case | CPU s | all TCP | UDP | ping ms | loss points | recoveries | flows, worst | outside | unsteady")
    for case in (case for number in numbers for case in load_experiment(number).cases()):
        scenario = case.scenario(1, load_parameters(hosts))
        if not applies(scenario):
            continue
        start = time.process_time()
        result = run(scenario, engine="fluid")
        cpu_s = time.process_time() - start
        fluid = measure(result)
        packets = packet_runs(scenario, range(1, seeds + 1))
        verdict = compare(fluid, packets)
        far, (name, flow) = verdict.distance, verdict.worst_flow
        outside = [*verdict.misses, *(["CPU time"] if cpu_s >= MOST_CPU_S else [])]
        moved = sensitive_measures(scenario, result)
        rows, missed = rows + 1, missed + bool(outside)
        print(
            f"{case.name} | {cpu_s:.2f} | {far.tcp:+.2%} | {far.udp:+.2%} | {far.delay_ms:+.2f}"
            f" | {far.loss_points:+.3f} | {fluid.recoveries:.0f} / {median_of(packets).recoveries:g}"
            f" | {name} {flow:+.2%} | {', '.join(outside) or 'none'} | {', '.join(moved) or 'no'}",
            flush=True,
        )
    print(f"{rows - missed} of {rows} configurations within all limits ({seeds} packet seeds)")
    return int(missed > 0)


def applies(scenario: Scenario) -> bool:
    """Whether the fluid engine takes the scenario."""
    try:
        check(scenario, engine="fluid")
    except NotApplicableError:
        return False
    return True


def packet_runs(scenario: Scenario, seeds: Sequence[int]) -> list[Measures]:
    """The packet engine's measures, seed by seed."""
    return [measure(run(replace(scenario, seed=seed))) for seed in seeds]


def describe(far: Distance, own: dict[str, float]) -> str:
    """What misses, by how much, and whether the packet engine's own seeds lie as far apart."""
    return "; ".join(
        f"{name} {getattr(far, name):+.4f}, packet seeds spread {own[name]:.4f}:"
        f" {'chance' if own[name] > LIMITS[name] else 'systematic'}"
        for name in far.misses()
    )


def report(title: str, distances: list[Distance]) -> None:
    """Misses, medians and the worst of each measure."""
    within = sum(not one.misses() for one in distances)
    print(f"{title}: {within} of {len(distances)} plans within all tolerances")
    for name, limit in LIMITS.items():
        values = [value for one in distances if (value := getattr(one, name)) is not None]
        sizes = [abs(value) for value in values] or [0.0]
        print(
            f"  {name:12} limit {limit:g}: {sum(size > limit for size in sizes)} of {len(values)} missed,"
            f" {sum(size > 2 * limit for size in sizes)} by more than twice,"
            f" median {statistics.median(sizes):.5f}, worst {max(sizes):.4f},"
            f" mean {statistics.mean(values or [0.0]):+.5f}"
        )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
