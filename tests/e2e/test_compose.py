"""docker-compose.yml, without a container engine: it loads, and each of its services runs with the settings it names.

None of this builds or starts an image; tests/long/test_containers.py does, where there is a container engine.
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
from ipaddress import IPv4Address, IPv4Network
from pathlib import Path
from typing import Any

import pytest

from hntes.settings import read_settings
from hntes.settings.model import Ageing, Gate, Paths
from tests.support import postgres
from tests.support.compose import ROOT, ComposeError, Machine, build_loader, free_port, load
from tests.support.containers.needs import NEEDS
from tests.support.installation import installation_in
from tests.support.replay import replay, wait_until_read

FILE = ROOT / "docker-compose.yml"
DEMONSTRATION = ROOT / "docker-compose.demo.yml"
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
def secrets(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What docker/make-secrets writes."""
    folder = tmp_path_factory.mktemp("compose") / "secrets"
    subprocess.run([ROOT / "docker" / "make-secrets", folder], check=True, capture_output=True)
    return folder


@pytest.fixture(scope="module")
def loader(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_loader(tmp_path_factory.mktemp("loader"))


@pytest.fixture(scope="module")
def project(loader: Path) -> dict[str, Any]:
    return load(loader, FILE)


@pytest.fixture(scope="module")
def demonstration(loader: Path) -> dict[str, Any]:
    return load(loader, FILE, DEMONSTRATION)


def test_the_loader_refuses_what_is_undefined(loader: Path, tmp_path: Path) -> None:
    text = FILE.read_text(encoding="utf-8")
    broken = tmp_path / "docker-compose.yml"
    for old, new in (("spark-master: {condition", "spark-mistress: {condition"), ("- output:/srv", "- outputs:/srv")):
        assert old in text
        broken.write_text(text.replace(old, new), encoding="utf-8")
        with pytest.raises(ComposeError, match="undefined"):
            load(loader, broken)


def test_every_secret_is_a_file_that_is_made_for_this_installation_and_used(
    project: dict[str, Any], secrets: Path
) -> None:
    assert secrets.stat().st_mode & 0o077 == 0
    made = {file.name for file in secrets.iterdir()}
    assert {name: Path(secret["file"]).name for name, secret in project["secrets"].items()} == {n: n for n in made}
    assert {Path(secret["file"]).parent for secret in project["secrets"].values()} == {ROOT / "docker" / "secrets"}
    assert len({(secrets / name).read_text() for name in made}) == len(made)
    used = {use["source"] for service in project["services"].values() for use in service.get("secrets", [])}
    assert used == made


def test_no_secret_stands_in_an_environment(project: dict[str, Any]) -> None:
    for name, service in project["services"].items():
        mounted = {f"/run/secrets/{use['source']}" for use in service.get("secrets", [])}
        named: set[str] = set()
        for variable, value in service.get("environment", {}).items():
            if any(word in variable for word in ("PASSWORD", "SECRET", "FERNET", "SQL_ALCHEMY_CONN", "CREDENTIALS")):
                assert variable.endswith(("_FILE", "_CMD")), f"{name}: {variable}"
                if not value.startswith("/tmp/"):  # noqa: S108  # a container's own
                    named.add(value.removeprefix("cat "))
        assert named == mounted, f"{name} is given what it does not read, or the other way round"


def test_each_service_has_only_the_secrets_and_networks_it_needs(project: dict[str, Any]) -> None:
    given = {
        name: ({use["source"] for use in service.get("secrets", [])}, set(service["networks"]))
        for name, service in project["services"].items()
    }
    assert given == NEEDS


def test_only_networks_with_a_published_port_have_a_way_out(project: dict[str, Any]) -> None:
    outward = {name for name, network in project["networks"].items() if not network.get("internal")}
    assert outward == {"exporters", "operators"}
    for name in outward:
        members = {service for service, (_, networks) in NEEDS.items() if name in networks}
        assert all("ports" in project["services"][service] for service in members)
        assert project["networks"][name]["driver_opts"] == {"com.docker.network.bridge.enable_ip_masquerade": "false"}
    assert {name for name, service in project["services"].items() if "ports" in service} == {
        "nfcapd",
        "airflow-api",
        "web",
    }
    for name in ("airflow-api", "web"):
        assert [port["host_ip"] for port in project["services"][name]["ports"]] == ["127.0.0.1"]


def test_the_review_page_writes_its_accounts_alone(project: dict[str, Any]) -> None:
    volumes = project["services"]["web"]["volumes"]
    written = {volume["source"] for volume in volumes if not volume.get("read_only")}
    assert written == {"web"}
    assert [name for name, one in project["services"].items() if _mounts(one, "web")] == ["web"]
    shipped = read_settings(ROOT / "docker" / "hntes.toml").web
    assert str(shipped.accounts.parent) == "/srv/hntes/web"
    (port,) = project["services"]["web"]["ports"]
    assert (port["target"], shipped.origin) == (shipped.port, f"http://127.0.0.1:{port['published']}")


def _mounts(service: dict[str, Any], volume: str) -> bool:
    return any(each["source"] == volume for each in service.get("volumes", []))


def test_every_container_is_confined(demonstration: dict[str, Any]) -> None:
    for name, service in demonstration["services"].items():
        tag = service["image"].partition(":")[2]
        assert any(character.isdigit() for character in tag), f"{name}: {service['image']}"
        assert service["restart"] == "no" or service["healthcheck"]["test"], name
        assert service["security_opt"] == ["no-new-privileges:true"], name
        assert service["cap_drop"] == ["ALL"], name
        assert "cap_add" not in service, name
        assert "privileged" not in service, name
        assert service["read_only"] is True, name
        assert all(":size=" in entry for entry in service["tmpfs"]), name
        assert 0 < service["pids_limit"] <= 1024, name
        assert 0 < int(service["mem_limit"]) <= 4 << 30, name
        assert 0 < service["cpus"] <= 2, name
        if service["restart"] != "no":
            assert service["logging"]["options"].keys() == {"max-size", "max-file"}, name


def test_services_start_whatever_a_night_would_lack(project: dict[str, Any], tmp_path: Path) -> None:
    """What they wait for looks at the database alone; `hntes check` has status 1 for a router without flows."""
    program, *words = project["services"]["hntes-migrate"]["command"]
    assert program == "hntes"
    site = installation_in(tmp_path / "site", **{'flows/r3"': 'flows/nowhere"'})
    assert "nowhere: no such flow folder" in site.run("check", expect=1).stderr
    assert site.run(*words).stderr == ""


def test_services_wait_for_the_schema_and_the_command_line_for_the_database_alone(project: dict[str, Any]) -> None:
    """A `hntes check` that waited for the migration could not say why it fails, as on a newer database."""
    services = project["services"]
    waiting = {name for name, one in services.items() if "hntes-migrate" in one.get("depends_on", {})}
    assert waiting == {"web", "airflow-api", "airflow-scheduler", "airflow-dag-processor", "airflow-triggerer"}
    assert set(services["hntes"]["depends_on"]) - {"object-store-bucket"} == {"postgres"}
    assert services["hntes"]["depends_on"]["postgres"]["condition"] == "service_healthy"


def test_the_collector_writes_the_inbox_and_sees_nothing_else(project: dict[str, Any]) -> None:
    collector = project["services"]["nfcapd"]
    assert [volume["source"] for volume in collector["volumes"]] == ["inbox"]
    assert collector["image"] not in {s["image"] for name, s in project["services"].items() if name != "nfcapd"}
    for name, service in project["services"].items():
        inbox = [volume for volume in service.get("volumes", []) if volume["source"] == "inbox"]
        assert name == "nfcapd" or all(volume["read_only"] for volume in inbox), name


def test_every_folder_that_hntes_writes_is_a_volume(demonstration: dict[str, Any]) -> None:
    settings = tomllib.loads((ROOT / "docker" / "hntes.toml").read_text(encoding="utf-8"))
    known = Paths(**settings["paths"])
    for name in ("demo", "hntes", "airflow-scheduler"):
        volumes = demonstration["services"][name]["volumes"]
        written = {v["target"] for v in volumes if v["type"] == "volume" and not v.get("read_only")}
        folders = {path.parent if path.suffix else path for path in vars(known).values()}
        assert set(map(str, folders)) <= written, name


def test_what_is_loosened_for_the_demonstration_is_in_no_installation(
    project: dict[str, Any], demonstration: dict[str, Any]
) -> None:
    def settings_of(of: dict[str, Any]) -> set[Path]:
        volumes = (volume for service in of["services"].values() for volume in service.get("volumes", []))
        return {Path(v["source"]) for v in volumes if v["target"] == "/etc/hntes/hntes.toml"}

    assert settings_of(project) == {ROOT / "docker" / "hntes.toml"}
    assert settings_of(demonstration) == {ROOT / "docker" / "demo.toml"}
    assert project["name"] != demonstration["name"], "they would share volumes and the database"
    shipped = read_settings(ROOT / "docker" / "hntes.toml")
    assert shipped.ageing == Ageing()
    assert shipped.gate == Gate()
    # Nothing that ships is somebody's router: records of a real exporter wait until it is named.
    for router in shipped.routers:
        assert router.exporters
        assert all(IPv4Address(str(address)) in IPv4Network("192.0.2.0/24") for address in router.exporters)


def test_a_rebuild_of_secrets_changes_none_that_is_there(tmp_path: Path) -> None:
    command = [ROOT / "docker" / "make-secrets", tmp_path / "secrets"]
    subprocess.run(command, check=True, capture_output=True)
    before = {file.name: file.read_bytes() for file in (tmp_path / "secrets").iterdir()}
    again = subprocess.run(command, check=False, capture_output=True, text=True)
    assert (again.returncode, "nothing was changed" in again.stderr) == (1, True)
    (tmp_path / "secrets" / "spark_secret").unlink()
    subprocess.run(command, check=True, capture_output=True)
    after = {file.name: file.read_bytes() for file in (tmp_path / "secrets").iterdir()}
    assert {name for name in before if before[name] != after[name]} == {"spark_secret"}


def test_passwords_of_an_older_installation_are_kept(tmp_path: Path) -> None:
    (tmp_path / "docker").mkdir()
    program = tmp_path / "docker" / "make-secrets"
    shutil.copy(ROOT / "docker" / "make-secrets", program)
    (tmp_path / ".env").write_text("AIRFLOW_DATABASE_PASSWORD=p/w=1\nAIRFLOW_FERNET_KEY=abc=\n", encoding="utf-8")
    told = subprocess.run([program], check=True, capture_output=True, text=True).stdout
    folder = tmp_path / "docker" / "secrets"
    assert (folder / "airflow_database_password").read_text() == "p/w=1"
    assert (folder / "airflow_fernet_key").read_text() == "abc="
    assert (folder / "airflow_database_url").read_text() == "postgresql+psycopg://airflow:p%2Fw%3D1@postgres/airflow"
    assert "AIRFLOW_DATABASE_PASSWORD, AIRFLOW_FERNET_KEY" in told
    assert "p/w" not in told


def test_the_file_and_the_images_recipe_pass_their_checkers() -> None:
    schema = [TOOLS / "check-jsonschema", "--builtin-schema", "vendor.compose-spec", FILE, DEMONSTRATION]
    recipes = [ROOT / "docker" / name for name in ("Dockerfile", "object-store.Dockerfile")]
    for command in (schema, [TOOLS / "hadolint", *recipes]):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="module")
def machine(
    demonstration: dict[str, Any], secrets: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Machine]:
    folder = tmp_path_factory.mktemp("compose")
    ports = {number: str(free_port()) for number in ("8080", "8440", "7077", "8081", "8082", "8974")}
    ports["2055"] = str(free_port(socket.SOCK_DGRAM))
    exchanges = {
        **ports,
        **dict.fromkeys(("spark-master", "airflow-api", "0.0.0.0", "localhost"), "127.0.0.1"),  # noqa: S104
        "postgres": f"127.0.0.1:{free_port()}",
        "/etc/hntes/hntes.toml": str(folder / "hntes.toml"),
        "/opt/hntes/.venv/bin/python": sys.executable,
        "/opt/hntes": str(ROOT),
        "/run/secrets": str(folder / "secrets"),
        **{name: str(folder / name.strip("/")) for name in ("/srv/hntes", "/srv/airflow", "/srv/spark", "/tmp")},  # noqa: S108
    }
    for name in ("inbox", "lake", "output", "simulations", "web"):
        (folder / "srv" / "hntes" / name).mkdir(parents=True)
    for name in ("srv/airflow/logs", "srv/spark/work", "srv/spark/local", "tmp", "secrets"):
        (folder / name).mkdir(parents=True)
    machine = Machine(demonstration, folder, exchanges)
    settings = (ROOT / "docker" / "demo.toml").read_text(encoding="utf-8")
    (folder / "hntes.toml").write_text(machine.exchanged(settings), encoding="utf-8")
    for secret in secrets.iterdir():
        (folder / "secrets" / secret.name).write_text(machine.exchanged(secret.read_text()), encoding="utf-8")
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
            named = {name: machine.exchanged(value) for name, value in service["environment"].items()}
            environment = os.environ | named | {"PGHOST": str(folder), "PGPORT": port}
            script = next(v["source"] for v in service["volumes"] if "docker-entrypoint-initdb.d" in v["target"])
            subprocess.run([script], env=environment, check=True, capture_output=True)
            machine.worked.add("postgres")
            yield server
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@pytest.mark.long
@pytest.mark.usefixtures("database")
def test_the_demonstration_ends_with_changes_that_wait(machine: Machine) -> None:
    assert "schema up to date" in machine.run("hntes-migrate")
    machine.run("demo-flows")
    told = machine.run("demo")
    assert told.count("pending") >= 3
    assert "r1" in machine.run("hntes", "change", "list")


def test_the_collector_writes_every_flow_of_a_recorded_export(machine: Machine) -> None:
    machine.start("nfcapd")
    machine.wait_until_healthy("nfcapd", 30)
    port = int(machine.exchanges["2055"])
    assert replay(CAPTURE, RECORDED_PORT, port) > 0
    wait_until_read(port)
    machine.stop("nfcapd")
    inbox = machine.folder / "srv" / "hntes" / "inbox"
    written = [path for path in inbox.rglob("nfcapd.2*") if "demo" not in str(path)]
    flows: list[str] = []
    for path in written:
        listing = ["nfdump", "-r", path, "-q", "-N", "-o", "fmt:%pr %sa"]
        flows += subprocess.run(listing, capture_output=True, text=True, check=True).stdout.splitlines()
    # Where a file of five minutes ends meanwhile, one is empty, which nfdump says in a line.
    assert len([flow for flow in flows if flow != "No matching flows"]) == RECORDED_FLOWS


@pytest.mark.long
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


@pytest.mark.long
@pytest.mark.usefixtures("database")
def test_the_review_page_becomes_healthy_and_asks_for_a_login(machine: Machine) -> None:
    machine.run("hntes-migrate")
    machine.start("web")
    machine.wait_until_healthy("web", STARTS_S)
    with urllib.request.urlopen(f"http://127.0.0.1:{machine.exchanges['8440']}/", timeout=30) as answer:
        assert answer.url.endswith("/login?next=/")
    machine.stop("web")


@pytest.mark.long
@pytest.mark.usefixtures("database")
def test_airflow_s_services_become_healthy_and_the_operator_can_log_in(machine: Machine) -> None:
    machine.run("airflow-migrate")
    services = ("airflow-api", "airflow-scheduler", "airflow-dag-processor", "airflow-triggerer")
    for service in services:
        machine.start(service)
    for service in services:
        machine.wait_until_healthy(service, STARTS_S)
    login = {"username": "operator", "password": (machine.folder / "secrets" / "airflow_operator_password").read_text()}
    request = urllib.request.Request(  # an address of this machine
        f"http://127.0.0.1:{machine.exchanges['8080']}/auth/token",
        data=json.dumps(login).encode(),
        headers={"Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request, timeout=30) as answer:  # noqa: S310
        assert json.load(answer)["access_token"]
    for service in reversed(services):
        machine.stop(service)


@pytest.mark.long
def test_every_service_has_worked_in_a_test_above(machine: Machine) -> None:
    if not machine.worked:
        pytest.skip("run with the other tests of this file")
    # The collector in every run, so its test is not among those of a long run; the store in a file of its own.
    elsewhere = {"nfcapd", "object-store", "object-store-bucket"}
    assert machine.worked | elsewhere == set(machine.project["services"])
