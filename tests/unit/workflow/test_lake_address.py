"""The lake of a context: a folder, or a store that is reached as the settings say, by Spark itself, too."""

from pathlib import Path

from sqlalchemy import create_engine

from hntes.etl.engines.spark import SparkMachines
from hntes.etl.lake.url import LakeUrl, S3Options
from hntes.workflow.context import Context
from tests.support.settings_file import MINIMAL, load

S3 = 'paths.lake = "s3://bucket-1/hntes/lake"\n'
SPARK = '[analytics]\nkind = "spark"\n[analytics.spark.conf]\n"spark.hadoop.fs.s3a.connection.timeout" = "9s"\n'


def context(folder: Path, text: str) -> Context:
    return Context(load(folder, text + MINIMAL), create_engine("sqlite://"))


def test_without_an_address_it_is_a_folder(tmp_path: Path) -> None:
    assert context(tmp_path, "").lake == tmp_path / "var" / "lake"


def test_an_address_alone_is_amazons_service(tmp_path: Path) -> None:
    made = context(tmp_path, S3)
    assert made.lake == LakeUrl("s3://bucket-1/hntes/lake", tmp_path / "var" / "output" / ".lake")
    assert isinstance(made.lake, LakeUrl)
    assert made.lake.place == ("bucket-1", "hntes/lake")


def test_a_service_is_reached_as_the_settings_say(tmp_path: Path) -> None:
    store = '[lake_store]\nendpoint = "h:9000"\nregion = "eu-1"\npath_style = false\ntls = false\nca_file = "ca.pem"\n'
    times = "connect_timeout_s = 2\nrequest_timeout_s = 7\nattempts = 1\n"
    lake = context(tmp_path, S3 + store + times).lake
    assert isinstance(lake, LakeUrl)
    assert lake.s3 == S3Options(
        "h:9000", "eu-1", path_style=False, tls=False, ca_file=str(tmp_path / "ca.pem"), connect_timeout_s=2,
        request_timeout_s=7, attempts=1,
    )  # fmt: skip


def test_spark_is_told_the_same_and_no_key_and_what_is_said_to_it_goes_before(tmp_path: Path) -> None:
    store = '[lake_store]\nendpoint = "h:9000"\nregion = "eu-1"\ntls = false\n'
    machines = context(tmp_path, S3 + store + SPARK).analytics
    assert isinstance(machines, SparkMachines)
    assert machines.handle.options.conf == {
        "spark.hadoop.fs.s3a.endpoint": "h:9000",
        "spark.hadoop.fs.s3a.endpoint.region": "eu-1",
        "spark.hadoop.fs.s3a.path.style.access": "true",
        "spark.hadoop.fs.s3a.connection.ssl.enabled": "false",
        "spark.hadoop.fs.s3a.connection.establish.timeout": "3s",
        "spark.hadoop.fs.s3a.connection.timeout": "9s",
        "spark.hadoop.fs.s3a.attempts.maximum": "3",
    }


def test_spark_with_a_folder_is_told_nothing(tmp_path: Path) -> None:
    machines = context(tmp_path, '[analytics]\nkind = "spark"\n').analytics
    assert isinstance(machines, SparkMachines)
    assert machines.handle.options.conf == {}
