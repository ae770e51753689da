"""A client of a Spark Connect server, in a process of its own: pyspark keeps one that was a client for one ever after.

Run: python -m tests.support.spark_connect_client ADDRESS FLOWS FOLDER THRESHOLD_BYTES
Ingests the flow files into FOLDER and prints, as JSON, what is found there day by day.
"""

import json
import sys
from dataclasses import asdict
from pathlib import Path

from hntes.etl.detect.alpha import DetectionRule, detect_day
from hntes.etl.engines.duck import DuckEngine
from hntes.etl.engines.session import SparkOptions
from hntes.etl.engines.spark import SparkMachines
from hntes.etl.errors import LakeError
from hntes.etl.ingest.readers import ClusterReader, LocalReader
from tests.support.cluster_tasks import code_folder
from tests.support.lake_parts import named
from tests.support.recorded import ingested


def main() -> None:
    """Prints the observations of every day, what a missing part is told to be, and where the executors' code is."""
    address, flows, folder, threshold_bytes = sys.argv[1:]
    machines = SparkMachines(SparkOptions(address), DuckEngine(threads=1))
    try:
        read = ingested(Path(flows), Path(folder), ClusterReader(machines, LocalReader()), by_rows=False)
        rule = DetectionRule(threshold_bytes=int(threshold_bytes))
        found = {
            day.isoformat(): [
                asdict(one) for one in machines.of_day(detect_day, read.lake, read.parts, "r1", day, rule)
            ]
            for day in read.days
        }
        try:
            machines.of_day(detect_day, read.lake, [named("gone.parquet")], "r1", read.days[0], rule)
        except LakeError as problem:
            told = str(problem)
        (code,) = machines.each(code_folder, [None])
        print(json.dumps({"found": found, "told": told, "code": code}, default=str))
    finally:
        machines.close()


if __name__ == "__main__":
    main()
