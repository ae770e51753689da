"""CPU seconds of detection and measurement of a router-day, in this process and as a task of Spark on this machine."""

import argparse
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from benchmarks._process import tree_cpu_s
from hntes.etl.detect.alpha import DetectionRule, detect_day
from hntes.etl.engines.base import Machines
from hntes.etl.engines.duck import DuckEngine
from hntes.etl.engines.here import ThisMachine
from hntes.etl.engines.session import SparkOptions
from hntes.etl.engines.spark import SparkMachines
from hntes.etl.measure.interface_load import measure_day
from hntes.sql.entries import LakePart
from tests.support.lake_parts import as_written
from tests.support.synthetic_flows import DAYS, write_lake

PART_RECORDS = 250_000
R = TypeVar("R")


def main() -> None:
    """Prints a line per stage and repetition; the lake has records of two days in equal parts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, default=4_000_000, help="of both days")
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--master", default="local[2]")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        parts = as_written(Path(folder), write_lake(Path(folder), chosen.records, PART_RECORDS))
        spark = SparkMachines(SparkOptions(chosen.master), DuckEngine(1))
        try:
            print(f"session                {used_s(spark.check)[1]:8.2f}")
            for _ in range(chosen.repetitions):
                found = [stages(where, name, Path(folder), parts) for name, where in machines(spark).items()]
                assert found[0] == found[1], "the results differ"
        finally:
            spark.close()


def machines(spark: SparkMachines) -> dict[str, Machines]:
    """Both, with one core for each task."""
    return {"here": ThisMachine(DuckEngine(1)), "spark": spark}


def stages(where: Machines, name: str, lake: Path, parts: list[LakePart]) -> object:
    """Prints the CPU seconds of each stage; the results."""
    alpha, detect_s = used_s(lambda: where.of_day(detect_day, lake, parts, "r1", DAYS[0], DetectionRule()))
    load, measure_s = used_s(lambda: where.of_day(measure_day, lake, parts, "r1", DAYS[0], []))
    print(f"{name:6} detect         {detect_s:8.2f}\n{name:6} measure        {measure_s:8.2f}", flush=True)
    return alpha, load


def used_s(work: Callable[[], R]) -> tuple[R, float]:
    """The result, and CPU seconds of this process and all below it meanwhile, Spark's workers included."""
    before_s = tree_cpu_s(os.getpid())
    return work(), tree_cpu_s(os.getpid()) - before_s


if __name__ == "__main__":
    main()
