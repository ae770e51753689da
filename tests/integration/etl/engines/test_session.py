"""What is said of a Spark master that does not answer, and what works without Spark."""

import socket
import subprocess
import sys
from pathlib import Path

import pytest

from etl.engines.session import SparkError, SparkHandle, SparkOptions
from etl.engines.spark import SparkEngine
from tests.support import spark


def test_all_else_works_where_spark_is_not_installed() -> None:
    code = "import sys; sys.modules['pyspark'] = sys.modules['sqlglot'] = None; import console.cli"
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.skipif(bool(spark.missing()), reason=spark.missing() or "all is there")
def test_a_master_that_does_not_answer_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    # another file's tests may have left their session open in this process; none is started here
    monkeypatch.setattr(SparkHandle, "_owner", None)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    with pytest.raises(SparkError, match=rf"no Spark master answers \(127\.0\.0\.1:{port}: Connection refused\)"):
        SparkEngine(SparkOptions(f"spark://127.0.0.1:{port}")).run("select 1 as one", Path(), [])
