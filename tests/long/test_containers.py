"""The project in real containers: what an operator does with it, what it survives, and what one of them may reach."""

import contextlib
import hashlib
import json
import re
import socket
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.support.compose import ROOT, free_port
from tests.support.containers.airflow_api import AirflowApi
from tests.support.containers.needs import NEEDS
from tests.support.containers.project import Project, built, missing, told, wait_until
from tests.support.replay import datagrams, exported_s, replay

pytestmark = [
    pytest.mark.long,
    pytest.mark.timeout(7200),
    pytest.mark.skipif(missing() is not None, reason=missing() or "all is there"),
]

CAPTURE = ROOT / "tests" / "data" / "run_tso_r1.pcap"
RECORDED_PORT = 9995
RECORDED_FLOWS = 392  # nfdump's count of what the original collector wrote of these datagrams
IMAGES = {"nfcapd": "hntes-collector:1.0.0rc1", "hntes": "hntes:1.0.0rc1"}
SPARK_TOML = '\n[analytics]\nkind = "spark"\n[analytics.spark]\nmaster = "spark://spark-master:7077"\n'
BUCKET_TOML = '\n[lake_store]\nendpoint = "object-store:9000"\ntls = false\n'

# What builds, checks or fetches, by the name of its program; and folders that only a project's clone has.
NO_PROGRAM = {
    "cc",
    "gcc",
    "g++",
    "ld",
    "as",
    "make",
    "cmake",
    "cargo",
    "rustc",
    "go",
    "git",
    "pip",
    "pip3",
    "uv",
    "npm",
}
NO_PROGRAM |= {"hadolint", "pytest", "mypy", "ruff", "curl", "wget", "ssh", "docker", "nc", "gdb", "strace"}
NO_FOLDER = {".git", ".cargo", ".rustup", ".cache", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".hypothesis"}
OURS = {"dags", "docker"}


@dataclass
class Site:
    """The running project, and what was sent to it."""

    project: Project
    airflow: AirflowApi
    collector_port: int
    day: str = ""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp("containers")
    collector_port, operators_port = free_port(socket.SOCK_DGRAM), free_port()
    with built(folder, f"hntes-test-{operators_port}", collector_port, operators_port) as project:
        # The files that ship, for the one exporter of this test: the machine itself.
        shipped = (ROOT / "docker" / "hntes.toml").read_text(encoding="utf-8")
        known = shipped.replace('exporters = ["192.0.2.1"]', f'exporters = ["{project.gateway("exporters")}"]')
        known = known.replace("[plans.recommended]", '[detection]\nflow_key = "host_pair"\n\n[plans.recommended]')
        assert known.count("host_pair") == 1
        assert "192.0.2.1" not in known.replace("# 192.0.2.1", "")
        (folder / "hntes.toml").write_text(known, encoding="utf-8")
        (folder / "spark.toml").write_text(known + SPARK_TOML, encoding="utf-8")
        project.compose("up", "--detach")
        project.wait_until_healthy()
        password = (folder / "secrets" / "airflow_operator_password").read_text()
        yield Site(project, AirflowApi(operators_port, password), collector_port)


@pytest.fixture(scope="module")
def approved(site: Site) -> str:
    """A recorded export into the collector's port, a night, an approval by the operator; the manifest delivered."""
    sent = list(datagrams(CAPTURE, RECORDED_PORT))
    by_s = int(time.time()) - 2 - max(map(exported_s, sent))
    site.day = datetime.fromtimestamp(max(map(exported_s, sent)) + by_s, UTC).date().isoformat()
    assert replay(CAPTURE, RECORDED_PORT, site.collector_port, by_s) == len(sent)
    # Told to end, nfcapd writes what it has; a night would not wait for the five minutes of a file either.
    time.sleep(2)
    site.project.compose("restart", "nfcapd")
    site.project.wait_until_healthy()

    night = site.airflow.night(site.day)
    review = site.airflow.review_of(night)
    wait_until(lambda: bool(site.airflow.requests(review)), 300, lambda: "a request for a decision")
    (request,) = site.airflow.requests(review)
    site.airflow.answer(request, "Approve")
    assert site.airflow.finished("hntes_review", review) == "success"
    return site.project.inside("airflow-scheduler", "cat", "/srv/hntes/output/r1/approved/manifest.json").stdout


def test_every_flow_of_the_export_arrives(site: Site, approved: str) -> None:
    assert approved
    assert _records(site) == RECORDED_FLOWS


def test_what_was_approved_lies_in_the_output_volume(site: Site, approved: str) -> None:
    manifest = json.loads(approved)
    folder = "/srv/hntes/output/r1/approved"
    text = site.project.inside("airflow-scheduler", "cat", f"{folder}/{manifest['file']}").stdout
    assert hashlib.sha256(text.encode()).hexdigest() == manifest["sha256"]
    assert "operator" in json.dumps(manifest)
    # The hosts that the transfers of the export went to.
    assert "203.0.113.0/24" in text
    assert "approved" in site.project.run("hntes", "change", "list", "--all")


def test_nobody_logs_in_with_another_password(site: Site) -> None:
    assert site.airflow.refuses("operator")
    assert not site.airflow.refuses(site.airflow.password)


def test_a_night_on_spark_with_its_secret_ends_as_without(site: Site, approved: str) -> None:
    assert approved
    before = site.project.run("hntes", "change", "list", "--all", "--json")
    spark = ("--volume", f"{site.project.folder / 'spark.toml'}:/etc/hntes/spark.toml:ro")
    settings = ("--env", "HNTES_SETTINGS=/etc/hntes/spark.toml")
    told_by_spark = site.project.compose(
        "run", "--rm", "--no-deps", "-T", *spark, *settings, "hntes", "nightly", "--day", site.day
    )
    assert told_by_spark
    assert site.project.run("hntes", "change", "list", "--all", "--json") == before


def test_a_night_with_its_lake_in_the_object_store_ends_as_without(site: Site, approved: str) -> None:
    assert approved
    site.project.compose("--profile", "object-store", "up", "--detach", "--build", "object-store-bucket", limit_s=5400)
    flows = site.project.run("hntes", "flows", "--day", site.day, "--json")
    in_bucket = (site.project.folder / "hntes.toml").read_text().replace('"/srv/hntes/lake"', '"s3://hntes-lake/lake"')
    (site.project.folder / "bucket.toml").write_text(in_bucket + BUCKET_TOML, encoding="utf-8")
    mounted = ("--volume", f"{site.project.folder / 'bucket.toml'}:/etc/hntes/bucket.toml:ro")
    own = ("--no-deps", "-T", *mounted, "--env", "HNTES_SETTINGS=/etc/hntes/bucket.toml")
    site.project.compose("run", "--rm", *own, "hntes", "nightly", "--day", site.day)
    assert site.project.compose("run", "--rm", *own, "hntes", "flows", "--day", site.day, "--json") == flows
    objects = site.project.inside("object-store", "ls", f"/srv/objects/hntes-lake/lake/flows/router=r1/day={site.day}")
    assert ".parquet" in objects.stdout
    status = site.project.inside("object-store", "cat", "/proc/self/status").stdout
    assert re.search(r"^CapBnd:\t0+$", status, re.MULTILINE)


def test_an_installation_that_a_check_finds_fault_with_comes_up_and_says_why(site: Site, approved: str) -> None:
    assert approved
    settings = site.project.folder / "hntes.toml"
    known = settings.read_text(encoding="utf-8")
    # the file itself is mounted, so it keeps its inode
    settings.write_text(known.replace('flow_folder = "/srv/hntes/inbox"', 'flow_folder = "/srv/hntes/nowhere"'))
    try:
        site.project.compose("stop")
        site.project.compose("up", "--detach", "--wait")
        site.project.wait_until_healthy()
        with pytest.raises(AssertionError, match=r"status 1\n(?s:.*)/srv/hntes/nowhere: no such flow folder"):
            site.project.compose("run", "--rm", "-T", "hntes", "check")
    finally:
        settings.write_text(known, encoding="utf-8")


def test_spark_refuses_whoever_has_not_its_secret(site: Site) -> None:
    address = site.project.address("airflow-scheduler", "spark")
    own = f"export SPARK_LOCAL_IP={address} SPARK_LOCAL_HOSTNAME={address};"
    wrong = ".config('spark.authenticate', 'true').config('spark.authenticate.secret', 'w' * 43)"
    for conf_dir, more in (("/nonexistent", ""), ("/nonexistent", wrong)):
        assert "ran 3" not in _driver(site, f"{own} export SPARK_CONF_DIR={conf_dir};", more), more
    assert "ran 3" in _driver(site, own, ""), "the same program with the secret runs"


def _driver(site: Site, before: str, more: str) -> str:
    """What a small Spark program says in the container that drives Spark; it ends after a minute and a half."""
    code = (
        "from pyspark.sql import SparkSession;"
        f"b = SparkSession.builder.master('spark://spark-master:7077').config('spark.cores.max', '1'){more};"
        "b = b.config('spark.executor.memory', '512m').config('spark.driver.memory', '512m');"
        "print('ran', b.getOrCreate().range(3).count())"
    )
    return site.project.inside("airflow-scheduler", "bash", "-c", f'{before} timeout 90 python -c "{code}" 2>&1').stdout


def test_each_container_reaches_its_own_networks_and_no_other(site: Site) -> None:
    listening = {"postgres": 5432, "spark-master": 7077, "spark-worker": 8081, "airflow-api": 8080, "web": 8440}
    doors = {
        (site.project.address(service, network), port): network
        for service, port in listening.items()
        for network in NEEDS[service][1]
    }
    for service in site.project.services():
        expected = {door for door, network in doors.items() if network in NEEDS[service][1]}
        assert site.project.opened(service, doors) == expected, service


def test_the_collector_reaches_nothing_at_all(site: Site) -> None:
    for name in ("postgres", "spark-master", "airflow-api", "airflow-scheduler"):
        assert site.project.inside("nfcapd", "getent", "hosts", name).returncode != 0, name
        assert site.project.inside("airflow-scheduler", "getent", "hosts", name).returncode == 0, name
    gateways = [site.project.gateway(network) for network in ("exporters", "operators", "database", "spark", "airflow")]
    ports = (5432, 7077, 8080, site.airflow.port)
    assert site.project.opened("nfcapd", [(address, port) for address in gateways for port in ports]) == set()


def test_no_container_reaches_beyond_this_machine(site: Site) -> None:
    servers = re.findall(r"^nameserver ([\d.]+)$", Path("/etc/resolv.conf").read_text(), re.MULTILINE)
    beyond = [(server, 53) for server in servers if not server.startswith("127.") and _answers(server, 53)]
    if not beyond:
        pytest.skip("this machine knows nobody beyond itself who answers, so nothing would be shown")
    for service in site.project.services():
        assert site.project.opened(service, beyond) == set(), service


def _answers(address: str, port: int) -> bool:
    with contextlib.suppress(OSError), socket.create_connection((address, port), 5):
        return True
    return False


def test_no_container_has_rights_or_writes_its_root_or_knows_others_secrets(site: Site) -> None:
    secrets = {file.name: file.read_text() for file in (site.project.folder / "secrets").iterdir()}
    for service in site.project.services():
        status = site.project.inside(service, "cat", "/proc/self/status").stdout
        assert re.search(r"^CapEff:\t0+$", status, re.MULTILINE), service
        assert re.search(r"^CapBnd:\t0+$", status, re.MULTILINE), service
        assert "NoNewPrivs:\t1" in status, service
        assert site.project.inside(service, "id", "-u").stdout.strip() in ("10001", "10002", "999"), service
        for folder in ("/", "/opt", "/etc", "/usr/bin"):
            assert site.project.inside(service, "touch", f"{folder}/x").returncode != 0, f"{service}: {folder}"
        seen = site.project.inside(service, "ls", "/run/secrets").stdout.split()
        assert set(seen) == NEEDS[service][0], service
        inspected = site.project.inspected(service)
        environment = site.project.inside(service, "cat", "/proc/1/environ").stdout
        for name, secret in secrets.items():
            assert secret not in json.dumps(inspected), f"{service}: {name}"
            assert secret not in environment, f"{service}: {name}"
        host = inspected["HostConfig"]
        assert all(host[limit] > 0 for limit in ("Memory", "PidsLimit", "NanoCpus")), service
        assert host["LogConfig"]["Config"]["max-size"] == "10m", service


@pytest.mark.parametrize("service", IMAGES)
def test_nothing_is_in_an_image_that_does_not_belong_there(site: Site, service: str) -> None:
    image = IMAGES[service]
    look = ("docker", "run", "--rm", "--user", "0", "--network", "none", "--entrypoint", "find", image)
    files = told(*look, "/", "-xdev", "-not", "-path", "/proc/*", "-not", "-path", "/sys/*").splitlines()
    paths = [Path(file) for file in files]
    assert len(paths) > 1000
    programs = {path.name for path in paths if path.parent.name in ("bin", "sbin")}
    assert not programs & NO_PROGRAM
    assert not {part for path in paths for part in path.parts} & NO_FOLDER
    left = ("/var/lib/apt/lists/", "/var/cache/apt/archives/", "/tmp/", "/root/.", "/run/secrets/")  # noqa: S108
    shipped = {"/root/.bashrc", "/root/.profile", "/var/cache/apt/archives/partial", "/var/cache/apt/archives/lock"}
    assert [
        file for file in files if file.startswith(left) and file not in shipped | {"/var/lib/apt/lists/partial"}
    ] == []
    assert [f for f in files if f.endswith((".rs", ".crate", ".env", ".pem.key", "Cargo.toml", "Cargo.lock"))] == []
    ours = {path.parts[3] for path in paths if path.parts[1:3] == ("opt", "hntes") and len(path.parts) > 3}
    assert ours == (OURS | {"LICENSE", "README.md", ".venv"} if service == "hntes" else set())
    secrets = [file.read_text() for file in (site.project.folder / "secrets").iterdir()]
    history = told("docker", "history", "--no-trunc", image)
    assert not [secret for secret in secrets if secret in history]


def test_every_service_is_killed_once_and_comes_back(site: Site, approved: str) -> None:
    for service in site.project.services():
        site.project.kill(service)
    site.project.wait_until_healthy()
    # What was approved is what is in force, and another night changes nothing.
    site.airflow.night(site.day)
    manifest = site.project.inside("airflow-scheduler", "cat", "/srv/hntes/output/r1/approved/manifest.json").stdout
    assert manifest == approved
    # The collector takes records again.
    before = _records(site)
    replay(CAPTURE, RECORDED_PORT, site.collector_port, 0)
    time.sleep(2)
    site.project.compose("restart", "nfcapd")
    assert _records(site) == before + RECORDED_FLOWS


def _records(site: Site) -> int:
    # of a file without flows nfdump prints a sentence; the collector begins such files every five minutes
    command = "nfdump -r {} -q -N -o fmt:%pr"
    listing = f"find /srv/hntes/inbox -name 'nfcapd.2*' -exec {command} ';' | grep -cE '^ *[0-9]+ *$'"
    return int(site.project.inside("nfcapd", "bash", "-c", listing).stdout)
