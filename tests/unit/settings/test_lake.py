"""Where the lake may be, and how an S3 service is named."""

from pathlib import Path

import pytest

from hntes.settings.lake import LakeStore
from tests.support.settings_file import EXAMPLE, MINIMAL, load, refusal

S3 = 'paths.lake = "s3://bucket-1/hntes/lake"\n'


@pytest.mark.parametrize("kind", ["duckdb", "spark"])
@pytest.mark.parametrize(
    "lake", ["s3://bucket-1/hntes/lake", "s3a://bucket-1/lake", "hdfs://name1:8020/hntes/lake", "hdfs://cluster/lake"]
)
def test_an_address_is_taken_with_and_without_spark(tmp_path: Path, lake: str, kind: str) -> None:
    assert load(tmp_path, f'paths.lake = "{lake}"\nanalytics.kind = "{kind}"\n' + MINIMAL).paths.lake == lake


def test_a_file_address_is_a_folder(tmp_path: Path) -> None:
    assert load(tmp_path, 'paths.lake = "file:///srv/lake"\n' + MINIMAL).paths.lake == Path("/srv/lake")


@pytest.mark.parametrize(
    "lake",
    ["file://host/lake", "http://host/lake", "s3://bucket", "s3://Bucket/lake", "s3a://key:secret@b/l", "hdfs://h/a/*"],
)
def test_another_address_is_refused(tmp_path: Path, lake: str) -> None:
    assert "paths.lake" in refusal(tmp_path, f'paths.lake = "{lake}"\n' + MINIMAL)


def test_the_examples_remarks_are_taken_and_their_numbers_are_the_defaults(tmp_path: Path) -> None:
    section = EXAMPLE[EXAMPLE.index("# [lake_store]") : EXAMPLE.index("[database]")]
    shown = "".join(line.removeprefix("# ") + "\n" for line in section.splitlines())
    store = load(tmp_path, S3 + shown + MINIMAL).lake_store
    assert store is not None
    assert store.ca_file == tmp_path / "ca.pem"
    named = {"endpoint": None, "region": None, "ca_file": None}
    assert store.model_copy(update=named) == LakeStore()


@pytest.mark.parametrize("line", ['endpoint = "http://h:9000"', 'region = "EU"', "attempts = 0", 'secret_key = "x"'])
def test_a_value_that_cannot_be_meant_is_refused_by_its_key(tmp_path: Path, line: str) -> None:
    assert f"lake_store.{line.partition(' ')[0]}" in refusal(tmp_path, S3 + f"[lake_store]\n{line}\n" + MINIMAL)


def test_a_service_without_a_lake_in_it_is_refused(tmp_path: Path) -> None:
    assert "[lake_store] is of an S3 service" in refusal(tmp_path, "[lake_store]\ntls = false\n" + MINIMAL)
