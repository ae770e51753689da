"""A client of a Spark Connect server, in a process of its own: pyspark keeps one that was a client for one ever after.

Run: python -m tests.support.spark_connect_client ADDRESS FLOWS FOLDER THRESHOLD_BYTES
Ingests the flow files into FOLDER and prints, as JSON, what is found there day by day.
"""

import json
import sys
from dataclasses import asdict
from pathlib import Path

from hntes.etl.detect.alpha import DetectionRule, detect_day
from hntes.etl.engines.session import SparkOptions
from hntes.etl.engines.spark import SparkEngine
from hntes.etl.errors import LakeError
from tests.support.recorded import ingested


def main() -> None:
    """Prints the observations of every day, and what a missing part is told to be."""
    address, flows, folder, threshold_bytes = sys.argv[1:]
    engine = SparkEngine(SparkOptions(address, shuffle_partitions=2))
    try:
        read = ingested(Path(flows), Path(folder), None)
        rule = DetectionRule(threshold_bytes=int(threshold_bytes))
        found = {
            day.isoformat(): [asdict(one) for one in detect_day(engine, read.lake, read.parts, "r1", day, rule)]
            for day in read.days
        }
        try:
            engine.run("select bytes from flows", read.lake, [*read.parts, "gone.parquet"])
        except LakeError as problem:
            told = str(problem)
        print(json.dumps({"found": found, "told": told}, default=str))
    finally:
        engine.close()


if __name__ == "__main__":
    main()
