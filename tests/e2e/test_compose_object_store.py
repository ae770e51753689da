"""The object store of docker-compose.yml: what it is given, and what its processes do, without a container engine."""

import configparser
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support import minio
from tests.support.compose import ROOT, Machine, build_loader, free_port, load
from tests.support.containers.needs import NEEDS

TOOLS = Path(sys.executable).parent
IN_CI = os.environ.get("CI", "").lower() in {"1", "true", "yes"}
STARTS_S = 180.0
STORE = ("object-store", "object-store-bucket")
# What HNTES' key may do and what it may not, with the file of its secret alone, as in the containers.
BY_ITS_KEY = """
from pyarrow import fs
store = fs.S3FileSystem(endpoint_override="{endpoint}", scheme="http", region="us-east-1", allow_bucket_creation=True)
with store.open_output_stream("hntes-lake/lake/part") as stream:
    stream.write(b"rows")
assert store.open_input_stream("hntes-lake/lake/part").readall() == b"rows"
store.delete_file("hntes-lake/lake/part")
print(store.get_file_info("hntes-lake/lake/part").type.name)
for work in (lambda: store.create_dir("another"), lambda: store.get_file_info(fs.FileSelector("private"))):
    try:
        work()
    except OSError as problem:
        print("refused" if "ACCESS_DENIED" in str(problem) or "AccessDenied" in str(problem) else problem)
"""

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(600),
    pytest.mark.skipif(not (TOOLS / "go").exists() and not IN_CI, reason="needs `make everything`"),
]


@pytest.fixture(scope="module")
def secrets(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What docker/make-secrets writes."""
    folder = tmp_path_factory.mktemp("store") / "secrets"
    subprocess.run([ROOT / "docker" / "make-secrets", folder], check=True, capture_output=True)
    return folder


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    return load(build_loader(tmp_path_factory.mktemp("loader")), ROOT / "docker-compose.yml")


@pytest.fixture
def machine(project: dict[str, Any], secrets: Path, tmp_path: Path) -> Iterator[Machine]:
    port = str(free_port())
    exchanges = {
        "9000": port,
        ":9000": f"127.0.0.1:{port}",
        **dict.fromkeys(("object-store", "localhost"), "127.0.0.1"),
        "/run/secrets": str(secrets),
        "/srv/objects": str(tmp_path / "objects"),
    }
    (tmp_path / "objects").mkdir()
    machine = Machine(project, tmp_path, exchanges)
    yield machine
    machine.stop_all()


def test_it_is_there_on_request_and_holds_its_objects_alone(project: dict[str, Any]) -> None:
    services = project["services"]
    assert {name for name, one in services.items() if one.get("profiles") == ["object-store"]} == set(STORE)
    mounting = {name for name, one in services.items() if any(v["source"] == "objects" for v in one.get("volumes", []))}
    assert mounting == {"object-store"}
    assert [volume["source"] for volume in services["object-store"]["volumes"]] == ["objects"]
    assert not any("ports" in services[name] for name in STORE)
    # a version that names a commit, so nobody can exchange what it stands for
    assert re.fullmatch(r"v0\.0\.0-\d{14}-[0-9a-f]{12}", services["object-store"]["build"]["args"]["MINIO_VERSION"])
    # Who looks into the lake first waits for its bucket, where there is one.
    for name in ("hntes", "airflow-scheduler"):
        before = services[name]["depends_on"]["object-store-bucket"]
        assert (before["condition"], before["required"]) == ("service_completed_successfully", False), name


def test_whoever_has_the_key_of_the_lake_reaches_it_and_does_not_know_the_root(project: dict[str, Any]) -> None:
    key = "object_store_credentials"
    assert {name for name, (secrets, _) in NEEDS.items() if key in secrets} == {
        name
        for name, one in project["services"].items()
        if one.get("environment", {}).get("AWS_SHARED_CREDENTIALS_FILE") == f"/run/secrets/{key}"
    }
    for name, (secrets, networks) in NEEDS.items():
        assert (key in secrets or name in STORE) == ("objects" in networks), name
        assert ("object_store_root_password" in secrets) == (name in STORE), name


def test_the_key_of_the_lake_is_in_the_form_that_the_aws_sdk_reads(secrets: Path) -> None:
    read = configparser.ConfigParser()
    read.read(secrets / "object_store_credentials", encoding="utf-8")
    key = {"aws_access_key_id": "hntes", "aws_secret_access_key": (secrets / "object_store_password").read_text()}
    assert {name: dict(section) for name, section in read.items()} == {"DEFAULT": {}, "default": key}


@pytest.mark.skipif(bool(minio.client_missing()), reason=minio.client_missing() or "there is one")
def test_its_bucket_is_made_once_and_the_key_may_use_nothing_else(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", f"{minio.folder()}{os.pathsep}{os.environ['PATH']}")
    machine.start("object-store")
    machine.wait_until_healthy("object-store", STARTS_S)
    (machine.folder / "objects" / "private").mkdir()  # a bucket of somebody else
    for _ in range(2):  # it runs at each start of the project
        machine.run("object-store-bucket")
    lake_key = {name: value for name, value in machine.environment("hntes").items() if name.startswith("AWS_")}
    code = BY_ITS_KEY.format(endpoint=f"127.0.0.1:{machine.exchanges['9000']}")
    done = subprocess.run([sys.executable, "-c", code], env=lake_key, capture_output=True, text=True, check=False)
    assert done.stdout.splitlines() == ["NotFound", "refused", "refused"], done.stderr
