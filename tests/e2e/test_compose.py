"""docker-compose.yml, without a container engine: it loads, and each of its services runs with the settings it names.

None of this builds or starts an image; docs/how-to/compose.md says so.
"""

import json
import os
import shutil
import socket
import subprocess
import sys
import time
import tomllib
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from settings.model import Paths
from tests.support import postgres
from tests.support.compose import ROOT, ComposeError, Machine, build_loader, free_port, load
from tests.support.replay import replay

FILE = ROOT / "docker-compose.yml"
CAPTURE = ROOT / "tests" / "data" / "run_tso_r1.pcap"
RECORDED_PORT = 9995
RECORDED_FLOWS = 392  # nfdump's count of what the original collector wrote of these datagrams
IN_CI = os.environ.get("CI", "").lower() in {"1", "true", "yes"}
TOOLS = Path(sys.executable).parent
STARTS_S = 180.0

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(600),
    pytest.mark.skipif(not (TOOLS / "hadolint").exists() and not IN_CI, reason="needs `make everything`"),
]


@pytest.fixture(scope="module")
def variables(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What docker/make-env writes, as docker compose would read it."""
    file = tmp_path_factory.mktemp("env") / ".env"
    subprocess.run([ROOT / "docker" / "make-env", file], check=True, capture_output=True)
    assert file.stat().st_mode & 0o077 == 0
    return dict(line.split("=", 1) for line in file.read_text().splitlines())


@pytest.fixture(scope="module")
def loader(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_loader(tmp_path_factory.mktemp("loader"))


@pytest.fixture(scope="module")
def project(loader: Path, variables: dict[str, str]) -> dict[str, Any]:
    return load(loader, FILE, variables)


def test_every_variable_is_asked_for_by_name_and_has_no_default(loader: Path, variables: dict[str, str]) -> None:
    for name in variables:
        rest = {other: value for other, value in variables.items() if other != name}
        with pytest.raises(ComposeError, match=f"{name}.*make-env"):
            load(loader, FILE, rest)


def test_no_password_stands_in_the_file(project: dict[str, Any], variables: dict[str, str]) -> None:
    text = FILE.read_text(encoding="utf-8")
    assert not any(value in text for value in variables.values())
    for name, service in project["services"].items():
        for variable, value in service.get("environment", {}).items():
            if any(word in variable for word in ("PASSWORD", "SECRET", "FERNET")) and not value.startswith("/"):
                assert value in variables.values() or variable.endswith("_FILE"), f"{name}: {variable}"


def test_the_loader_refuses_what_is_undefined(loader: Path, variables: dict[str, str], tmp_path: Path) -> None:
    text = FILE.read_text(encoding="utf-8")
    broken = tmp_path / "docker-compose.yml"
    for old, new in (("spark-master: {condition", "spark-mistress: {condition"), ("- output:/srv", "- outputs:/srv")):
        assert old in text
        broken.write_text(text.replace(old, new), encoding="utf-8")
        with pytest.raises(ComposeError, match="undefined"):
            load(loader, broken, variables)


def test_images_are_pinned_and_all_that_stays_has_a_health_check(project: dict[str, Any]) -> None:
    for name, service in project["services"].items():
        tag = service["image"].partition(":")[2]
        assert any(character.isdigit() for character in tag), f"{name}: {service['image']}"
        if service["restart"] != "no":
            assert service["healthcheck"]["test"], name
        assert "no-new-privileges:true" in service["security_opt"], name


def test_every_folder_that_hntes_writes_is_a_volume(project: dict[str, Any]) -> None:
    settings = tomllib.loads((ROOT / "docker" / "hntes.toml").read_text(encoding="utf-8"))
    known = Paths(**settings["paths"])
    for name in ("demo", "hntes", "airflow-scheduler"):
        volumes = project["services"][name]["volumes"]
        written = {v["target"] for v in volumes if v["type"] == "volume" and not v.get("read_only")}
        assert {str(getattr(known, field)) for field in Paths.model_fields} <= written, name


def test_the_file_and_the_images_recipe_pass_their_checkers() -> None:
    schema = [TOOLS / "check-jsonschema", "--builtin-schema", "vendor.compose-spec", FILE]
    for command in (schema, [TOOLS / "hadolint", ROOT / "docker" / "Dockerfile"]):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="module")
def machine(project: dict[str, Any], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machine]:
    folder = tmp_path_factory.mktemp("compose")
    ports = {number: str(free_port()) for number in ("8080", "7077", "8081", "8082", "8974")}
    ports["2055"] = str(free_port(socket.SOCK_DGRAM))
    exchanges = {
        **ports,
        **dict.fromkeys(("spark-master", "airflow-api", "0.0.0.0", "localhost"), "127.0.0.1"),  # noqa: S104
        "postgres": f"127.0.0.1:{free_port()}",
        "/etc/hntes/hntes.toml": str(folder / "hntes.toml"),
        "/opt/hntes/.venv/bin/python": sys.executable,
        "/opt/hntes": str(ROOT),
        **{f"/srv/{name}": str(folder / name) for name in ("hntes", "airflow", "spark")},
    }
    for name in (
        "hntes/inbox",
        "hntes/lake",
        "hntes/output",
        "hntes/simulations",
        "airflow",
        "spark/work",
        "spark/local",
    ):
        (folder / name).mkdir(parents=True)
    machine = Machine(project, folder, exchanges)
    settings = (ROOT / "docker" / "hntes.toml").read_text(encoding="utf-8")
    (folder / "hntes.toml").write_text(machine.exchanged(settings), encoding="utf-8")
    yield machine
    machine.stop_all()


@pytest.fixture(scope="module")
def database(machine: Machine) -> Iterator[postgres.Server]:
    """The service `postgres`: the options of its initdb, its settings, and its script that makes the databases."""
    binaries = postgres.find_binaries()
    assert binaries is not None
    service = machine.project["services"]["postgres"]
    program, *options = service["command"]
    assert program == "postgres"
    settings = dict(option.split("=", 1) for option in options if option != "-c")
    port = machine.exchanges["postgres"].partition(":")[2]
    own = {"listen_addresses": "127.0.0.1", "port": port, **settings}
    initdb = (
        service["environment"]["POSTGRES_INITDB_ARGS"]
        .replace("--auth-host=", "--auth-local=trust --auth-host=")
        .split()
    )
    folder = Path("/tmp") / f"hntes-compose-{port}"  # noqa: S108  # a socket's path must be short
    folder.mkdir()
    try:
        with postgres.Server(binaries, folder, user="postgres", initdb_options=initdb, settings=own) as server:
            environment = os.environ | service["environment"] | {"PGHOST": str(folder), "PGPORT": port}
            script = next(v["source"] for v in service["volumes"] if "docker-entrypoint-initdb.d" in v["target"])
            subprocess.run([script], env=environment, check=True, capture_output=True)
            machine.worked.add("postgres")
            yield server
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@pytest.mark.usefixtures("database")
def test_the_demonstration_ends_with_changes_that_wait(machine: Machine) -> None:
    machine.run("hntes-migrate")
    told = machine.run("demo")
    assert told.count("pending") >= 3
    assert "r1" in machine.run("hntes", "changes")


def test_the_collector_writes_every_flow_of_a_recorded_export(machine: Machine) -> None:
    machine.start("nfcapd")
    machine.wait_until_healthy("nfcapd", 30)
    assert replay(CAPTURE, RECORDED_PORT, int(machine.exchanges["2055"])) > 0
    machine.stop("nfcapd")
    inbox = machine.folder / "hntes" / "inbox"
    written = [path for path in inbox.rglob("nfcapd.2*") if "demo" not in str(path)]
    flows: list[str] = []
    for path in written:
        listing = ["nfdump", "-r", path, "-q", "-N", "-o", "fmt:%pr %sa"]
        flows += subprocess.run(listing, capture_output=True, text=True, check=True).stdout.splitlines()
    # Where a file of five minutes ends meanwhile, one is empty, which nfdump says in a line.
    assert len([flow for flow in flows if flow != "No matching flows"]) == RECORDED_FLOWS


def test_spark_s_worker_joins_its_master(machine: Machine) -> None:
    machine.start("spark-master")
    machine.wait_until_healthy("spark-master", STARTS_S)
    machine.start("spark-worker")
    machine.wait_until_healthy("spark-worker", STARTS_S)
    deadline = time.monotonic() + STARTS_S
    while not (workers := _workers(machine)) and time.monotonic() < deadline:
        time.sleep(1)
    assert [worker["cores"] for worker in workers] == [2]
    machine.stop("spark-worker")
    machine.stop("spark-master")


def _workers(machine: Machine) -> list[dict[str, Any]]:
    with urllib.request.urlopen(f"http://127.0.0.1:{machine.exchanges['8082']}/json/", timeout=10) as answer:
        workers: list[dict[str, Any]] = json.load(answer)["workers"]
        return workers


@pytest.mark.usefixtures("database")
def test_airflow_s_services_become_healthy_and_the_operator_can_log_in(machine: Machine) -> None:
    machine.run("airflow-migrate")
    services = ("airflow-api", "airflow-scheduler", "airflow-dag-processor", "airflow-triggerer")
    for service in services:
        machine.start(service)
    for service in services:
        machine.wait_until_healthy(service, STARTS_S)
    login = {"username": "operator", "password": machine.environment("airflow-migrate")["AIRFLOW_OPERATOR_PASSWORD"]}
    request = urllib.request.Request(  # an address of this machine
        f"http://127.0.0.1:{machine.exchanges['8080']}/auth/token",
        data=json.dumps(login).encode(),
        headers={"Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request, timeout=30) as answer:  # noqa: S310
        assert json.load(answer)["access_token"]
    for service in reversed(services):
        machine.stop(service)


def test_every_service_has_worked_in_a_test_above(machine: Machine) -> None:
    if not machine.worked:
        pytest.skip("run with the other tests of this file")
    assert machine.worked == set(machine.project["services"])
