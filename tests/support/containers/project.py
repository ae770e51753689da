"""docker-compose.yml on a container engine, under a name, ports, settings and secrets of its own.

The files are the project's, unchanged; what a test needs otherwise stands in an override that is written beside it.
"""

import functools
import json
import os
import re
import shutil
import subprocess
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from tests.support.compose import free_port

ROOT = Path(__file__).resolve().parents[3]
STAND_IN = Path(__file__).resolve().parent / "postgres"
STAND_IN_IMAGE = "hntes-test-postgres:stand-in"
DEFAULT_IMAGES = {"HNTES_DEBIAN_IMAGE": "debian:12.12-slim", "HNTES_POSTGRES_IMAGE": "postgres:17.6-bookworm"}
HELPER_IMAGE = "hntes-collector:1.0.0rc1"
BUILD_LIMIT_S = 5400.0
START_LIMIT_S = 900.0
POLL_S = 2.0


@functools.cache
def missing() -> str | None:
    """What this machine lacks to run containers; None if it has all."""
    if shutil.which("docker") is None:
        return "needs docker"
    if _asked("docker", "info").returncode:
        return "needs a container engine that answers (docker info); set DOCKER_HOST"
    if _asked("docker", "compose", "version").returncode:
        return "needs docker's compose plugin"
    debian = os.environ.get("HNTES_DEBIAN_IMAGE", DEFAULT_IMAGES["HNTES_DEBIAN_IMAGE"])
    if not _is_there(debian):
        return f"needs the image {debian}, or another by HNTES_DEBIAN_IMAGE, and no registry gives it"
    return None


@dataclass(frozen=True)
class Project:
    """One project of the engine; `folder` holds its settings (hntes.toml), secrets and override."""

    name: str
    folder: Path
    environment: Mapping[str, str]

    def compose(self, *words: str, limit_s: float = START_LIMIT_S) -> str:
        """Standard output of a compose command; a failure fails with what it wrote."""
        files = ("--file", str(ROOT / "docker-compose.yml"), "--file", str(self.folder / "override.yml"))
        command = ("docker", "compose", "--project-name", self.name, *files, *words)
        return told(*command, env=self.environment, limit_s=limit_s)

    def run(self, service: str, *command: str) -> str:
        """One container of a service for one command; its standard output."""
        return self.compose("run", "--rm", "--no-deps", "-T", service, *command)

    def inside(self, service: str, *command: str) -> subprocess.CompletedProcess[str]:
        """A command in the running container of a service, whatever its status."""
        return _asked("docker", "exec", self.container(service), *command)

    def container(self, service: str) -> str:
        """The id of the service's container, running or not."""
        labels = (f"com.docker.compose.project={self.name}", f"com.docker.compose.service={service}")
        filters = [word for label in labels for word in ("--filter", f"label={label}")]
        return told("docker", "ps", "--all", "--quiet", *filters).strip()

    def inspected(self, service: str) -> dict[str, Any]:
        """What the engine says of the service's container."""
        found: list[dict[str, Any]] = json.loads(told("docker", "inspect", self.container(service)))
        return found[0]

    def services(self) -> list[str]:
        """The services that stay: those with a container that is started again when it ends."""
        document = json.loads(self.compose("config", "--format", "json"))
        return [name for name, service in document["services"].items() if service["restart"] != "no"]

    def address(self, service: str, network: str) -> str:
        """The service's address in one of the project's networks."""
        networks = self.inspected(service)["NetworkSettings"]["Networks"]
        found: str = networks[f"{self.name}_{network}"]["IPAddress"]
        return found

    def gateway(self, network: str) -> str:
        """The machine's own address in a network: what comes from the machine itself arrives from there."""
        (found,) = json.loads(told("docker", "network", "inspect", f"{self.name}_{network}"))
        address: str = found["IPAM"]["Config"][0]["Gateway"]
        return address

    def opened(self, service: str, doors: Iterable[tuple[str, int]]) -> set[tuple[str, int]]:
        """Which of these addresses and TCP ports are reached from the service's container.

        Tried from a helper in the container's network: a probe inside that is killed would be the death of a child to
        the container's first process, which PostgreSQL takes for a crash.
        """
        probe = "timeout 3 bash -c '</dev/tcp/{0}/{1}' 2>/dev/null && echo {0} {1}"
        tried = "; ".join(probe.format(address, port) for address, port in doors) + "; true"
        helper = ("docker", "run", "--rm", "--network", f"container:{self.container(service)}", HELPER_IMAGE)
        lines = told(*helper, "bash", "-c", tried).splitlines()
        return {(address, int(port)) for address, port in map(str.split, lines)}

    def is_healthy(self, service: str) -> bool:
        """Whether the service runs and its health check holds."""
        state = self.inspected(service)["State"]
        return bool(state["Running"]) and state.get("Health", {}).get("Status") == "healthy"

    def wait_until_healthy(self, limit_s: float = START_LIMIT_S) -> None:
        """Waits for all services; a service that is not healthy in time fails with its last words."""
        for service in self.services():
            wait_until(partial(self.is_healthy, service), limit_s, partial(self._last_words, service, "healthy"))

    def kill(self, service: str) -> None:
        """Kills the service's first process as the machine would, not as a person with docker does (who means it)."""
        wait_until(partial(self.is_healthy, service), START_LIMIT_S, partial(self._last_words, service, "healthy"))
        state = self.inspected(service)["State"]
        assert state["Pid"] > 1, state
        helper = ("docker", "run", "--rm", "--pid", "host", "--user", "0", "--network", "none", HELPER_IMAGE)
        told(*helper, "bash", "-c", f"kill -9 {state['Pid']}")

        def is_back() -> bool:
            return self.inspected(service)["State"]["StartedAt"] != state["StartedAt"] and self.is_healthy(service)

        wait_until(is_back, START_LIMIT_S, partial(self._last_words, service, "back"))

    def _last_words(self, service: str, wanted: str) -> str:
        return f"{service} {wanted}:\n{self.compose('logs', '--tail', '40', service)}"


@contextmanager
def built(folder: Path, name: str, collector_port: int, operators_port: int) -> Iterator[Project]:
    """The project, images built, containers and networks made, nothing started; all but the images goes at the end."""
    chosen = {variable: os.environ.get(variable, default) for variable, default in DEFAULT_IMAGES.items()}
    if not _is_there(chosen["HNTES_POSTGRES_IMAGE"]):
        base = f"DEBIAN_IMAGE={chosen['HNTES_DEBIAN_IMAGE']}"
        told("docker", "build", "--tag", STAND_IN_IMAGE, "--build-arg", base, str(STAND_IN), limit_s=BUILD_LIMIT_S)
        chosen["HNTES_POSTGRES_IMAGE"] = STAND_IN_IMAGE
    secrets = folder / "secrets"
    told(str(ROOT / "docker" / "make-secrets"), str(secrets))
    (folder / "hntes.toml").touch()
    (folder / "override.yml").write_text(_override(folder, secrets, collector_port, operators_port), encoding="utf-8")
    project = Project(name, folder, os.environ | chosen)
    project.compose("--profile", "tools", "build", limit_s=BUILD_LIMIT_S)
    try:
        project.compose("create")
        yield project
    finally:
        project.compose("--profile", "*", "down", "--volumes", "--timeout", "30")


def _override(folder: Path, secrets: Path, collector_port: int, operators_port: int) -> str:
    settings = [f"{folder / 'hntes.toml'}:/etc/hntes/hntes.toml:ro"]
    mounting = ("hntes-migrate", "hntes", "airflow-scheduler", "airflow-triggerer", "web")
    services: dict[str, Any] = {name: {"volumes": settings} for name in mounting}
    # Nights begin when the test says so.
    for name in ("airflow-dag-processor", "airflow-scheduler"):
        services.setdefault(name, {})["environment"] = {"HNTES_SCHEDULE": ""}
    ports = {
        "nfcapd": f"{collector_port}:2055/udp",
        "airflow-api": f"{operators_port}:8080",
        "web": f"{free_port()}:8440",
    }
    for name, port in ports.items():
        services.setdefault(name, {})["ports"] = [f"!override 127.0.0.1:{port}"]
    text = json.dumps({"secrets": {file.name: {"file": str(file)} for file in secrets.iterdir()}, "services": services})
    # JSON is YAML; ports alone must replace, not add
    return re.sub(r'\["!override ([^"]+)"\]', r'!override ["\1"]', text)


def told(*command: str, env: Mapping[str, str] | None = None, limit_s: float = START_LIMIT_S) -> str:
    """Standard output of a program; a failure fails with what it wrote."""
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False, timeout=limit_s)
    assert done.returncode == 0, f"{' '.join(command)}: status {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def wait_until(reached: Callable[[], bool], limit_s: float, what: Callable[[], str]) -> None:
    """Polls until it is so; fails with `what` was waited for."""
    deadline = time.monotonic() + limit_s
    while not reached():
        if time.monotonic() > deadline:
            raise AssertionError(f"not within {limit_s:.0f} s: {what()}")
        time.sleep(POLL_S)


def _asked(*command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=START_LIMIT_S)


def _is_there(image: str) -> bool:
    inspected = _asked("docker", "image", "inspect", image)
    return inspected.returncode == 0 or _asked("docker", "pull", "--quiet", image).returncode == 0
