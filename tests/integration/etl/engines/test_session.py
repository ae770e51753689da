"""A Spark master that does not answer, and the functions that work without Spark."""

import socket
import subprocess
import sys

import pytest

from hntes.etl.engines.duck import DuckEngine
from hntes.etl.engines.session import SparkAwayError, SparkHandle, SparkOptions, _address_towards
from hntes.etl.engines.spark import SparkMachines
from tests.support import spark


def test_all_else_works_where_spark_is_not_installed() -> None:
    code = "import sys; sys.modules['pyspark'] = None; import hntes.cli.cli"
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.skipif(bool(spark.missing()), reason=spark.missing() or "all is there")
def test_a_master_that_does_not_answer_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    # another file's tests may have left their session open in this process; none is started here
    monkeypatch.setattr(SparkHandle, "_owner", None)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    with pytest.raises(SparkAwayError, match=rf"no Spark master answers \(127\.0\.0\.1:{port}: Connection refused\)"):
        SparkMachines(SparkOptions(f"spark://127.0.0.1:{port}"), DuckEngine()).check()


def test_executors_are_told_the_address_on_the_way_to_the_master() -> None:
    # 127.0.0.2 is this machine's as well: not the first address of its name, but the one that leads to that master
    with socket.create_server(("127.0.0.2", 0)) as master:
        port = master.getsockname()[1]
        connection = socket.create_connection(("127.0.0.2", port))
        own = connection.getsockname()[0]
        connection.close()
        assert _address_towards(f"spark://127.0.0.1:{port},127.0.0.2:{port}") == own
