"""The settings of the analytics engine: what is taken, and what could change results or give a secret away."""

import re
from pathlib import Path

import pytest

from hntes.settings.analytics import FIXED_CONF, Spark
from tests.support.settings_file import EXAMPLE, MINIMAL, load, refusal

SPARK = '[analytics]\nkind = "spark"\n[analytics.spark]\n'


def test_duckdb_is_the_default(tmp_path: Path) -> None:
    assert load(tmp_path, MINIMAL).analytics.kind == "duckdb"


def test_the_examples_remarks_are_the_defaults(tmp_path: Path) -> None:
    """The section stands there as remarks; taken as settings, it gives the defaults (but for `conf`)."""
    section = EXAMPLE[EXAMPLE.index("# [analytics.spark]") : EXAMPLE.index("[detection]")]
    shown = re.sub(r"^# ", "", section, flags=re.MULTILINE)
    spark = load(tmp_path, MINIMAL + '[analytics]\nkind = "spark"\n' + shown).analytics.spark
    assert spark.model_copy(update={"conf": {}}) == Spark()
    assert spark.conf == {"spark.executor.cores": "4"}


@pytest.mark.parametrize(
    "master",
    [
        "local", "local[4]", "local[*]", "spark://h1:7077", "spark://h1:7077,h2.example.net:7077",
        "sc://h:15002", "sc://h", "yarn", "k8s://https://10.0.0.1:6443",
    ],
)  # fmt: skip
def test_masters_that_are_taken(tmp_path: Path, master: str) -> None:
    assert load(tmp_path, MINIMAL + SPARK + f'master = "{master}"').analytics.spark.master == master


@pytest.mark.parametrize(
    "master", ["", "local[]", "local[2] --conf a=b", "spark://h", "mesos://h:5050", "sc://h/;token=x"]
)
def test_other_masters_are_refused(tmp_path: Path, master: str) -> None:
    assert "analytics.spark.master" in refusal(tmp_path, MINIMAL + SPARK + f'master = "{master}"')


@pytest.mark.parametrize(
    "line",
    [
        "driver_memory_mb = 100",
        "executor_memory_mb = 0",
        "max_cores = 0",
        "executor_wait_s = 9",
        "job_wait_s = 9",
        "cores = 2",
    ],
)
def test_a_value_out_of_range_is_refused_by_its_key(tmp_path: Path, line: str) -> None:
    assert f"analytics.spark.{line.partition(' ')[0]}" in refusal(tmp_path, MINIMAL + SPARK + line)


@pytest.mark.parametrize("key", sorted(FIXED_CONF))
def test_what_has_a_key_of_its_own_is_refused(tmp_path: Path, key: str) -> None:
    text = MINIMAL + SPARK + f'[analytics.spark.conf]\n"{key}" = "1"'
    assert f"{key} is set by HNTES itself" in refusal(tmp_path, text)


@pytest.mark.parametrize(
    "key",
    [
        "spark.hadoop.fs.s3a.secret.key",
        "spark.hadoop.fs.s3a.access.key",
        "spark.authenticate.secret",
        "spark.x.password",
    ],
)
def test_a_secret_is_refused_and_not_repeated(tmp_path: Path, key: str) -> None:
    message = refusal(tmp_path, MINIMAL + SPARK + f'[analytics.spark.conf]\n"{key}" = "hunter2"')
    assert key in message
    assert "hunter2" not in message


def test_what_is_no_property_of_spark_is_refused(tmp_path: Path) -> None:
    text = MINIMAL + SPARK + '[analytics.spark.conf]\n"hadoop.x" = "1"'
    assert "is not a Spark property" in refusal(tmp_path, text)


def test_spark_settings_without_spark_are_refused(tmp_path: Path) -> None:
    assert 'set kind = "spark"' in refusal(tmp_path, MINIMAL + "[analytics.spark]\nmax_cores = 8")
