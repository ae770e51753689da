"""A throw-away Airflow: the four programs that `airflow standalone` starts, on loopback and free ports.

Not `airflow standalone` itself: its log servers listen on every address of the machine.
"""

import contextlib
import json
import os
import secrets
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent.parent
AIRFLOW = Path(sys.executable).parent / "airflow"
PROGRAMS = {
    "api-server": ("api-server",),
    "scheduler": ("scheduler", "--skip-serve-logs"),
    "dag-processor": ("dag-processor",),
    "triggerer": ("triggerer", "--skip-serve-logs"),
}
START_LIMIT_S = 240.0
STOP_LIMIT_S = 30.0
# Airflow misses a killed task after 300 s; on a machine with other work its scheduler takes a while more.
WAIT_LIMIT_S = 700.0
# Each look costs the API server some 50 ms of processor, and the tests wait for minutes.
POLL_S = 2.0
# On a busy machine a connection of the API server's can be idle for longer than its database allows: one answer 500.
RELOADS = 3


class RefusedError(Exception):
    """The API answered with an error; `status` is its HTTP status."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(f"{status}: {text}")
        self.status = status


class Airflow:
    """One Airflow in one folder; `users` may log in with the passwords that it made for them."""

    def __init__(self, folder: Path, database_url: str, users: tuple[str, ...], **environment: str) -> None:
        self.folder = folder
        self._port = _free_port()
        self._passwords = {user: secrets.token_urlsafe(16) for user in users}
        self._tokens: dict[str, str] = {}
        self._processes: dict[str, subprocess.Popen[bytes]] = {}
        self._sessions: set[int] = set()
        self.environment = os.environ | _environment(folder, database_url, self._port, users) | environment

    def start(self) -> None:
        """Makes the database and starts all programs; returns when all are healthy."""
        self.folder.mkdir(parents=True)
        (self.folder / "passwords.json").write_text(json.dumps(self._passwords))
        migrate = [str(AIRFLOW), "db", "migrate"]
        done = subprocess.run(migrate, env=self.environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr[-4000:]
        for name in PROGRAMS:
            self.start_program(name)
        self.wait_until("all programs healthy", self._healthy, START_LIMIT_S)

    def start_program(self, name: str) -> None:
        """Starts one of the programs, as the leader of a session of its own."""
        with (self.folder / f"{name}.log").open("ab") as log:
            self._processes[name] = subprocess.Popen(
                [str(AIRFLOW), *PROGRAMS[name]],
                env=self.environment,
                stdout=log,
                stderr=log,
                stdin=subprocess.DEVNULL,
                start_new_session=True,
            )
        self._sessions.add(self._processes[name].pid)

    def kill_program(self, name: str) -> None:
        """Kills a program and its process group at once; tasks have groups of their own and live on."""
        process = self._processes.pop(name)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait(timeout=30)

    def restart_ended(self) -> list[str]:
        """Starts anew the programs that ended by themselves, as a service manager does; their names."""
        ended = [name for name, process in self._processes.items() if process.poll() is not None]
        for name in ended:
            self.start_program(name)
        return ended

    def processes(self) -> dict[int, str]:
        """All processes of this Airflow, those that outlived the program that started them too: id -> command line.

        Airflow's programs write their title over their environment, so these are known by their session.
        """
        home = f"AIRFLOW_HOME={self.folder}".encode()
        found = {}
        for entry in Path("/proc").iterdir():
            if not entry.name.isdigit():
                continue
            with contextlib.suppress(OSError):
                pid, command = int(entry.name), (entry / "cmdline").read_bytes()
                is_titled = command.startswith(b"airflow ") and os.getsid(pid) in self._sessions
                if is_titled or home in (entry / "environ").read_bytes().split(b"\0"):
                    found[pid] = command.replace(b"\0", b" ").decode(errors="replace")
        return found

    def stop(self) -> None:
        """Kills all programs and whatever else is left of this Airflow, each by its id."""
        for name in list(self._processes):
            self.kill_program(name)
        deadline = time.monotonic() + STOP_LIMIT_S
        while (left := self.processes()) and time.monotonic() < deadline:
            for pid in left:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            time.sleep(0.1)

    def call(self, method: str, path: str, body: object = None, user: str | None = None) -> Any:
        """The API's answer as `user` (default: the first); what only reads is asked again after a failure of its own.

        Raises:
            RefusedError: it refuses.
        """
        token = self._token(user or next(iter(self._passwords)))
        for _ in range(RELOADS if method == "GET" else 0):
            try:
                return self._call(method, f"/api/v2{path}", body, token)
            except RefusedError as refused:
                if refused.status < 500:
                    raise
                time.sleep(1)
        return self._call(method, f"/api/v2{path}", body, token)

    def trigger(self, dag: str, conf: dict[str, Any]) -> str:
        """Starts a run; returns its id."""
        run: str = self.call("POST", f"/dags/{dag}/dagRuns", {"logical_date": None, "conf": conf})["dag_run_id"]
        return run

    def runs(self, dag: str) -> dict[str, str]:
        """The runs of a DAG: id -> state."""
        return {run["dag_run_id"]: run["state"] for run in self.call("GET", f"/dags/{dag}/dagRuns")["dag_runs"]}

    def tasks(self, dag: str, run: str) -> dict[tuple[str, int], dict[str, Any]]:
        """The task instances of a run by task and map index."""
        listed = self.call("GET", f"/dags/{dag}/dagRuns/{run}/taskInstances?limit=100")["task_instances"]
        return {(entry["task_id"], entry["map_index"]): entry for entry in listed}

    def finished(self, dag: str, run: str, limit_s: float = WAIT_LIMIT_S) -> str:
        """Waits for the run's end; its state."""
        self.wait_until(f"{dag} {run} ends", lambda: self.runs(dag).get(run) in ("success", "failed"), limit_s)
        return self.runs(dag)[run]

    def wait_until(self, what: str, reached: Callable[[], Any], limit_s: float = WAIT_LIMIT_S) -> Any:
        """Polls until `reached` gives something true, and returns that; fails with the programs' last words."""
        deadline = time.monotonic() + limit_s
        while time.monotonic() < deadline:
            found = reached()
            if found:
                return found
            time.sleep(POLL_S)
        raise AssertionError(f"not within {limit_s:.0f} s: {what}\n{self._last_words()}")

    def task_log(self, dag: str, run: str, task: str, map_index: int, attempt: int) -> str:
        """One attempt's log as text."""
        path = f"/dags/{dag}/dagRuns/{run}/taskInstances/{task}/logs/{attempt}?map_index={map_index}&full_content=true"
        return json.dumps(self.call("GET", path))

    def _healthy(self) -> bool:
        for name, process in self._processes.items():
            assert process.poll() is None, f"{name} ended\n{self._last_words()}"
        try:
            told = self._call("GET", "/api/v2/monitor/health", None, None)
        except (OSError, RefusedError, ValueError):
            return False
        parts = ("metadatabase", "scheduler", "triggerer", "dag_processor")
        return all((told.get(part) or {}).get("status") == "healthy" for part in parts)

    def _token(self, user: str) -> str:
        def log_in() -> str | None:
            try:
                answer = self._call("POST", "/auth/token", {"username": user, "password": self._passwords[user]}, None)
            except (OSError, ValueError):  # just after the start an answer was empty now and then
                return None
            token: str = answer["access_token"]
            return token

        if user not in self._tokens:
            self._tokens[user] = self.wait_until(f"a token for {user}", log_in, 60)
        return self._tokens[user]

    def _call(self, method: str, path: str, body: object, token: str | None) -> Any:
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if token:
            headers["Authorization"] = f"Bearer {token}"
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"http://127.0.0.1:{self._port}{path}", data, headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:  # noqa: S310 - as above
                return json.loads(answer.read())
        except urllib.error.HTTPError as problem:
            with problem:
                raise RefusedError(problem.code, problem.read().decode()) from problem

    def _last_words(self) -> str:
        logs = sorted(self.folder.glob("*.log"))
        return "\n".join(f"--- {log.name}\n{log.read_text(errors='replace')[-3000:]}" for log in logs)


@contextlib.contextmanager
def running(folder: Path, database_url: str, users: tuple[str, ...], **environment: str) -> Iterator[Airflow]:
    """A healthy Airflow that is killed at the end, whatever happens in between."""
    airflow = Airflow(folder, database_url, users, **environment)
    try:
        airflow.start()
        yield airflow
    finally:
        airflow.stop()


def dags_environment(home: Path) -> dict[str, str]:
    """What any Airflow program needs to see the project's DAGs, installed or not."""
    paths = [str(ROOT), str(ROOT / "dags"), *filter(None, [os.environ.get("PYTHONPATH")])]
    return {
        "AIRFLOW_HOME": str(home),
        "AIRFLOW__CORE__DAGS_FOLDER": str(ROOT / "dags"),
        "AIRFLOW__CORE__LOAD_EXAMPLES": "False",
        "PYTHONPATH": os.pathsep.join(paths),
    }


def _environment(folder: Path, database_url: str, port: int, users: tuple[str, ...]) -> dict[str, str]:
    return dags_environment(folder) | {
        "AIRFLOW__API__BASE_URL": f"http://127.0.0.1:{port}",
        "AIRFLOW__API__HOST": "127.0.0.1",
        "AIRFLOW__API__PORT": str(port),
        "AIRFLOW__API__SECRET_KEY": secrets.token_urlsafe(32),
        "AIRFLOW__API_AUTH__JWT_SECRET": secrets.token_urlsafe(48),
        "AIRFLOW__API__WORKERS": "1",
        "AIRFLOW__CORE__EXECUTION_API_SERVER_URL": f"http://127.0.0.1:{port}/execution/",
        "AIRFLOW__CORE__PARALLELISM": "3",
        # The files do not change meanwhile, and each reading is a process that imports all of Airflow.
        "AIRFLOW__DAG_PROCESSOR__MIN_FILE_PROCESS_INTERVAL": "3600",
        "AIRFLOW__CORE__SIMPLE_AUTH_MANAGER_USERS": ",".join(f"{user}:admin" for user in users),
        "AIRFLOW__CORE__SIMPLE_AUTH_MANAGER_PASSWORDS_FILE": str(folder / "passwords.json"),
        "AIRFLOW__DATABASE__SQL_ALCHEMY_CONN": database_url,
        "AIRFLOW__SCHEDULER__SCHEDULER_HEALTH_CHECK_THRESHOLD": "60",
        "AIRFLOW__SCHEDULER__TASK_INSTANCE_HEARTBEAT_TIMEOUT": "20",
        "AIRFLOW__SCHEDULER__TASK_INSTANCE_HEARTBEAT_TIMEOUT_DETECTION_INTERVAL": "3",
        "AIRFLOW__SCHEDULER__ORPHANED_TASKS_CHECK_INTERVAL": "15",
    }


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
