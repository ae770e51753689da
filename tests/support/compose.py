"""docker-compose.yml without an engine: loaded as docker compose does, its services started as plain processes.

A service's command, environment and health check are taken from the file as they stand; only what belongs to a
container is exchanged: host names become 127.0.0.1, ports free ones, and the image's folders folders of this machine.
"""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent.parent
LOADER = Path(__file__).resolve().parent / "compose_loader"
POLL_S = 0.5
STOP_S = 20.0


class ComposeError(Exception):
    """The loader refused the file."""


def build_loader(folder: Path) -> Path:
    """Compiles the loader (compose-go, the loader of docker compose); needs the `go` of the extra `containers`."""
    program = folder / "compose-loader"
    go = Path(sys.executable).with_name("go")
    environment = os.environ | {"CGO_ENABLED": "0", "GOFLAGS": "-mod=readonly", "GOTOOLCHAIN": "local"}
    environment.setdefault("HOME", str(folder))
    subprocess.run([go, "build", "-o", program, "."], cwd=LOADER, env=environment, check=True, capture_output=True)
    return program


def load(loader: Path, *files: Path, variables: Mapping[str, str] | None = None) -> dict[str, Any]:
    """The project of these files, the later over the earlier, all profiles on.

    Raises:
        ComposeError: what the loader says against the files.
    """
    done = subprocess.run([loader, *files], env=dict(variables or {}), capture_output=True, text=True, check=False)
    if done.returncode:
        raise ComposeError(done.stderr.strip())
    project: dict[str, Any] = json.loads(done.stdout)
    return project


def free_port(kind: socket.SocketKind = socket.SOCK_STREAM) -> int:
    """A port of 127.0.0.1 that nobody listens at just now."""
    with socket.socket(socket.AF_INET, kind) as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@dataclass
class Machine:
    """Services of a project as processes of this machine.

    `exchanges` are texts of the file, and what stands for them; `worked` names the services that have ended well or
    become healthy.
    """

    project: Mapping[str, Any]
    folder: Path
    exchanges: Mapping[str, str]
    running: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)
    worked: set[str] = field(default_factory=set)

    def exchanged(self, text: str) -> str:
        """A text of the file as it holds here: whole words only, in one pass."""
        words = "|".join(re.escape(word) for word in sorted(self.exchanges, key=len, reverse=True))
        return re.sub(rf"(?<![\w.-])(?:{words})(?![\w-])", lambda found: self.exchanges[found.group()], text)

    def environment(self, service: str) -> dict[str, str]:
        """What the service's process finds; the path is this machine's, with the virtual environment first."""
        own = {
            name: self.exchanged(value)
            for name, value in self.project["services"][service].get("environment", {}).items()
        }
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        # Nothing listens beyond this machine, and log servers of other instances keep their ports.
        here = {"SPARK_LOCAL_IP": "127.0.0.1"} | {
            f"AIRFLOW__LOGGING__{server}_LOG_SERVER_PORT": str(free_port()) for server in ("WORKER", "TRIGGER")
        }
        return {"PATH": path, "HOME": str(self.folder), "LC_ALL": "C.UTF-8"} | here | own

    def command(self, service: str) -> list[str]:
        """The service's command line, entry point included."""
        described = self.project["services"][service]
        return [self.exchanged(word) for word in (described.get("entrypoint") or []) + (described.get("command") or [])]

    def start(self, service: str) -> None:
        """Starts a service that stays; its output goes to a file of its name."""
        with self._log(service).open("ab") as log:
            self.running[service] = subprocess.Popen(
                self.command(service),
                cwd=ROOT,
                env=self.environment(service),
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def run(self, service: str, *more: str) -> str:
        """Runs a service that ends, and gives its standard output; a failure fails with what it wrote."""
        command = [*self.command(service), *more]
        done = subprocess.run(
            command, cwd=ROOT, env=self.environment(service), capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, f"{service}: status {done.returncode}\n{done.stdout}\n{done.stderr}"
        self.worked.add(service)
        return done.stdout

    def wait_until_healthy(self, service: str, limit_s: float) -> None:
        """Runs the service's own health check until it holds."""
        kind, *words = self.project["services"][service]["healthcheck"]["test"]
        command = (
            ["/bin/sh", "-c", self.exchanged(words[0])] if kind == "CMD-SHELL" else list(map(self.exchanged, words))
        )
        deadline = time.monotonic() + limit_s
        while subprocess.run(command, env=self.environment(service), capture_output=True, check=False).returncode:
            ended = service in self.running and self.running[service].poll() is not None
            if ended or time.monotonic() > deadline:
                state = "ended" if ended else f"not healthy after {limit_s} s"
                raise AssertionError(f"{service} {state}:\n{self._log(service).read_text(errors='replace')[-4000:]}")
            time.sleep(POLL_S)
        self.worked.add(service)

    def stop(self, service: str) -> None:
        """Ends a service as docker does: SIGTERM, then SIGKILL; with everything it started."""
        process = self.running.pop(service)
        for sent in (signal.SIGTERM, signal.SIGKILL):
            try:
                os.killpg(process.pid, sent)
                process.wait(STOP_S)
            except (ProcessLookupError, subprocess.TimeoutExpired):
                continue

    def stop_all(self) -> None:
        """Ends all services, the last started first."""
        for service in reversed(list(self.running)):
            self.stop(service)

    def _log(self, service: str) -> Path:
        return self.folder / f"{service}.log"


if __name__ == "__main__":
    # Go keeps what it has compiled, so that the tests' own build takes a second.
    with tempfile.TemporaryDirectory(prefix="hntes-loader-") as folder:
        build_loader(Path(folder))
