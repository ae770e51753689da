"""Seconds to judge one router on each platform: nothing stored, then everything; and the runs that were made."""

import argparse
import time

from hntes.gate import Lab, Subject, judge
from hntes.settings.model import Gate
from hntes.settings.plans import TwoQueue
from hntes.simulator import MemoryRuns
from tests.support.gate_subjects import small_model, subject_of
from tests.support.qos_models import PLATFORMS, many_pairs


def main() -> None:
    """Prints one line per platform."""
    parser = argparse.ArgumentParser(description=__doc__)
    default_ms = Gate().round_trips_ms
    parser.add_argument(
        "--round-trips-ms", type=float, nargs="+", default=default_ms,
        help=f"of the transfers' paths (default: {' '.join(f'{each:g}' for each in default_ms)})",
    )  # fmt: skip
    gate = Gate(round_trips_ms=tuple(parser.parse_args().round_trips_ms))
    for platform in PLATFORMS:
        lab = Lab(MemoryRuns(), gate.workers)
        subject = subject_of(small_model(platform, TwoQueue(kind="two_queue")))
        first_s, cpu_s = _seconds(subject, gate, lab)
        again_s, _ = _seconds(subject, gate, lab)
        many = subject_of(small_model(platform, TwoQueue(kind="two_queue"), tuple(many_pairs())))
        many_s, _ = _seconds(many, gate, lab)
        print(
            f"{platform:6} {lab.engine_runs} runs, {gate.workers} side by side: {first_s:.1f} s ({cpu_s:.1f} s of "
            f"processor); stored {again_s:.2f} s; stored, 2,000 pairs {many_s:.2f} s",
            flush=True,
        )


def _seconds(subject: Subject, gate: Gate, lab: Lab) -> tuple[float, float]:
    wall, cpu = time.perf_counter(), time.process_time()
    assert judge(subject, gate, lab).is_passing
    return time.perf_counter() - wall, time.process_time() - cpu


if __name__ == "__main__":
    main()
