"""Spark for tests: whether it is installed, a small session in this process, and one worker for all."""

import importlib.util
import shutil

import pytest

from hntes.etl.engines.session import SparkOptions

# They run for seconds: Java's optimising compiler and its parallel collectors cost more than they save.
JAVA_OPTIONS = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"

LOCAL = SparkOptions(
    master="local[2]",
    driver_memory_mb=1024,
    conf={"spark.driver.extraJavaOptions": JAVA_OPTIONS},
)

# Where others keep the machine busy, Java takes minutes to start.
SPARK_TEST = [pytest.mark.slow, pytest.mark.timeout(1200)]


def missing() -> str:
    """What Spark needs and is not here; empty when all is."""
    if importlib.util.find_spec("pyspark") is None:
        return "pyspark is not installed: make everything"
    return "" if shutil.which("java") else "no Java: scripts/install_system_packages spark"


def connect_missing() -> str:
    """What Spark Connect needs beyond that and is not here; empty when all is."""
    absent = [name for name in ("pandas", "grpc_status", "zstandard") if importlib.util.find_spec(name) is None]
    if absent:
        return f"{', '.join(absent)} not installed (extra spark-connect): make everything"
    return missing()
