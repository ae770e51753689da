"""The stages with a lake in a bucket: the bytes and the results of a folder; what check, verify and prune see there."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from pyarrow import fs

from hntes import clock
from hntes.workflow.errors import FAILED
from tests.support import minio
from tests.support.fake_s3 import fake_s3
from tests.support.installation import Installation, installation_in
from tests.support.lake_on_s3 import hashes_in_folder, hashes_on, in_ledger, installation_on
from tests.support.prepared_nights import NIGHT

STAGES = ("ingest", "detect", "measure")


@pytest.fixture(scope="module", params=["fake", pytest.param("minio", marks=pytest.mark.slow)])
def endpoint(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with pytest.MonkeyPatch.context() as patch:
        for name, value in minio.KEYS.items():
            patch.setenv(name, value)
        if request.param == "fake":
            with fake_s3() as bucket:
                yield bucket.endpoint
            return
        if reason := minio.missing():
            pytest.skip(reason)
        with minio.minio(tmp_path_factory.mktemp("minio")) as server:
            yield server.endpoint


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Installation:
    made = installation_in(tmp_path_factory.mktemp("plain") / "site", routers=1)
    run_stages(made)
    return made


@pytest.fixture(scope="module")
def site(endpoint: str, tmp_path_factory: pytest.TempPathFactory) -> Installation:
    made = installation_on(endpoint, minio.BUCKET, tmp_path_factory.mktemp("objects") / "site")
    run_stages(made)
    return made


def run_stages(site: Installation) -> None:
    for stage in STAGES:
        site.run("stage", stage, "--day", NIGHT, "--router", "r1")


def test_the_lake_and_the_results_are_those_of_a_folder(endpoint: str, site: Installation, plain: Installation) -> None:
    written = hashes_on(endpoint, minio.BUCKET)
    assert written == hashes_in_folder(plain.lake)
    assert set(written) == in_ledger(site)
    for command in (["flows", "--day", NIGHT], ["data", "days", "--router", "r1"]):
        assert site.json(*command) == plain.json(*command)
    assert not list(site.output.parent.rglob("*.parquet"))


def test_check_and_verify_see_what_is_there(site: Installation, plain: Installation) -> None:
    def said(of: Installation) -> list[str]:
        return [line for line in of.run("check").stdout.splitlines() if line.startswith("lake:")]

    assert said(site) == said(plain)
    assert re.match(r"lake: +1 day, [\d.]+ (MB|kB)", said(site)[0])
    assert site.json("data", "verify") == plain.json("data", "verify")


def test_check_names_keys_that_may_not_write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in minio.KEYS.items():
        monkeypatch.setenv(name, value)
    with fake_s3() as bucket:
        site = installation_on(bucket.endpoint, minio.BUCKET, tmp_path / "site")
        bucket.answer = lambda method, _key, _query: (403, "AccessDenied") if method == "PUT" else None
        said = site.run("check", expect=FAILED).stderr
    assert f"hntes: s3://{minio.BUCKET}/lake: its keys may not do this" in said
    assert "this was to write" in said


def test_check_names_a_store_that_refuses_after_all_else(site: Installation) -> None:
    text = site.settings.read_text()
    site.settings.write_text(text.replace(f"s3://{minio.BUCKET}/", "s3://no-such-bucket/"))
    try:
        done = site.run("check", expect=FAILED)
    finally:
        site.settings.write_text(text)
    assert "hntes: s3://no-such-bucket/lake: there is no such bucket" in done.stderr
    assert "no-such-bucket" not in done.stdout
    assert "router r1: lists no exporters" in done.stdout


def test_a_second_run_reads_nothing_again(site: Installation, endpoint: str) -> None:
    before = hashes_on(endpoint, minio.BUCKET)
    said = site.json("stage", "ingest", "--day", NIGHT, "--router", "r1")
    assert "again" not in str(said)
    assert hashes_on(endpoint, minio.BUCKET) == before


def test_an_edited_object_is_refused_until_its_file_is_read_again(site: Installation, endpoint: str) -> None:
    client = fs.S3FileSystem(endpoint_override=endpoint, scheme="http", region="us-east-1")
    before = hashes_on(endpoint, minio.BUCKET)
    name = min(before)
    path = f"{minio.BUCKET}/lake/{name}"
    content = bytearray(client.open_input_stream(path).readall())
    content[1000] ^= 1
    with client.open_output_stream(path) as stream:
        stream.write(bytes(content))
    for command in (["stage", "detect"], ["stage", "measure"], ["data", "verify"]):
        refused = site.run(*command, "--day", NIGHT, "--router", "r1", expect=FAILED)
        assert f"s3://{minio.BUCKET}/lake/{name} has the SHA-256" in refused.stderr
    client.delete_file(path)
    gone = site.run("stage", "detect", "--day", NIGHT, "--router", "r1", expect=FAILED)
    assert "1 of the day's" in gone.stderr
    run_stages(site)
    assert hashes_on(endpoint, minio.BUCKET) == before


def test_prune_removes_old_days_and_what_no_file_has(
    site: Installation, endpoint: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = fs.S3FileSystem(endpoint_override=endpoint, scheme="http", region="us-east-1")
    orphan = f"lake/flows/router=r1/day={NIGHT}/12345678-left-over.parquet"
    with client.open_output_stream(f"{minio.BUCKET}/{orphan}") as stream:
        stream.write(b"half")
    later_ms = int(datetime(2027, 11, 20, tzinfo=UTC).timestamp() * 1000)
    monkeypatch.setattr(clock, "now_ms", lambda: later_ms)
    before = hashes_on(endpoint, minio.BUCKET)
    found = {one["what"]: one for one in site.json("data", "prune", "--dry-run")}
    assert found["parts that no flow file has"]["files"] == [f"s3://{minio.BUCKET}/{orphan}"]
    assert found["lake days"]["files"] == []
    site.run("data", "prune")
    kept = hashes_on(endpoint, minio.BUCKET)
    assert before.keys() - kept.keys() == {orphan.removeprefix("lake/")}
    site.settings.write_text(site.settings.read_text().replace("[review]", "[retention]\nlake_days = 1\n\n[review]"))
    size = sum(info.size for info in client.get_file_info([f"{minio.BUCKET}/lake/{name}" for name in kept]))
    (days,) = (one for one in site.json("data", "prune") if one["what"] == "lake days")
    assert (len(days["files"]), days["size_bytes"]) == (len(kept), size)
    assert hashes_on(endpoint, minio.BUCKET) == {}
    assert "no days yet" in site.run("check").stdout
