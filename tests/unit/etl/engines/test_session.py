"""Options of a Spark session, and the errors when there can be none."""

from pathlib import Path

import pytest

from hntes.etl.engines.duck import DuckEngine
from hntes.etl.engines.session import SparkError, SparkHandle, SparkOptions, message, spark_conf
from hntes.etl.engines.spark import SparkMachines
from tests.support import spark


@pytest.fixture(autouse=True)
def no_session(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another file's tests may have left theirs open in this process; none is started here."""
    monkeypatch.setattr(SparkHandle, "_owner", None)


def run(options: SparkOptions) -> None:
    SparkMachines(options, DuckEngine()).check()


def test_an_application_leaves_cores_to_others() -> None:
    options = SparkOptions("spark://h:7077", max_cores=3)
    assert spark_conf(options)["spark.cores.max"] == "3"
    assert options.cores == 3


@pytest.mark.parametrize(
    ("master", "cores"),
    [("local", 1), ("local[3]", 3), ("spark://h:7077", 4), ("sc://h", None), ("yarn", None), ("k8s://https://h", None)],
)
def test_tasks_that_run_side_by_side(master: str, cores: int | None) -> None:
    assert SparkOptions(master, max_cores=4).cores == cores


def test_a_local_spark_is_closed_to_the_network() -> None:
    conf = spark_conf(SparkOptions("local[4]"))
    assert conf["spark.driver.bindAddress"] == conf["spark.driver.host"] == "127.0.0.1"
    assert conf["spark.ui.enabled"] == "false"


def test_what_the_operator_sets_is_passed_on() -> None:
    options = SparkOptions("spark://h:7077", executor_memory_mb=4096, conf={"spark.executor.cores": "4"})
    conf = spark_conf(options)
    assert (conf["spark.executor.cores"], conf["spark.executor.memory"]) == ("4", "4096m")
    assert "spark.driver.host" not in conf


def test_a_session_of_another_machine_is_not_told_its_master_or_memory() -> None:
    conf = spark_conf(SparkOptions("sc://h:15002"))
    assert not {"spark.master", "spark.driver.memory", "spark.executor.memory"} & set(conf)


@pytest.mark.skipif(bool(spark.missing()), reason=spark.missing() or "all is there")
class TestInstalled:
    def test_no_java_is_told(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        monkeypatch.setenv("PATH", str(tmp_path))
        monkeypatch.delenv("JAVA_HOME", raising=False)
        with pytest.raises(SparkError, match="there is no java on PATH; install the package default-jre-headless"):
            run(SparkOptions())

    def test_a_wrong_java_home_is_told(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        monkeypatch.setenv("JAVA_HOME", str(tmp_path))
        with pytest.raises(SparkError, match=r"JAVA_HOME names .*, which has no bin/java"):
            run(SparkOptions())

    def test_connect_names_what_is_missing(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("hntes.etl.engines.session._is_there", lambda module: module != "zstandard")
        with pytest.raises(SparkError, match=r"needs the Python modules zstandard; .*hntes\[spark-connect\]"):
            run(SparkOptions("sc://127.0.0.1:1"))


def test_no_pyspark_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _name: None)
    with pytest.raises(SparkError, match=r"pyspark is missing; .*hntes\[spark\]"):
        run(SparkOptions())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[UNRESOLVED_COLUMN] no column x\nJVM stacktrace:\n at a", "[UNRESOLVED_COLUMN] no column x"),
        (
            "An error occurred while calling o80.collect.\n: org.apache.spark.SparkException: Job aborted\n\tat a.b",
            "org.apache.spark.SparkException: Job aborted",
        ),
        ("Traceback (most recent call last):\n  File 'a'\nOSError: no space left\n", "OSError: no space left"),
        ("", "ValueError"),
    ],
)
def test_an_error_is_told_in_one_line(text: str, expected: str) -> None:
    assert message(ValueError(text)) == expected
