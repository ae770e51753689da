"""Airflow's API as the operator calls it, over the one port that the project publishes."""

import http
import json
import urllib.error
import urllib.request
from dataclasses import dataclass
from typing import Any

from tests.support.containers.project import wait_until

NIGHT_LIMIT_S = 1800.0


@dataclass
class AirflowApi:
    """The API at a port of 127.0.0.1; logs in again for each call, since its server may have been killed meanwhile."""

    port: int
    password: str

    def call(self, method: str, path: str, body: object = None) -> Any:
        """The API's answer to the operator."""
        login = {"username": "operator", "password": self.password}
        token = self._asked("POST", "/auth/token", login, None)["access_token"]
        return self._asked(method, f"/api/v2{path}", body, token)

    def refuses(self, password: str) -> bool:
        """Whether another password is refused."""
        try:
            self._asked("POST", "/auth/token", {"username": "operator", "password": password}, None)
        except urllib.error.HTTPError as problem:
            return problem.code == http.HTTPStatus.UNAUTHORIZED
        return False

    def finished(self, dag: str, run: str) -> str:
        """Waits for the end of a run; its state."""

        def state() -> str:
            found: str = self.call("GET", f"/dags/{dag}/dagRuns/{run}")["state"]
            return found

        wait_until(
            lambda: state() in ("success", "failed"), NIGHT_LIMIT_S, lambda: f"{dag} {run}: {self.tasks(dag, run)}"
        )
        return state()

    def tasks(self, dag: str, run: str) -> dict[str, str]:
        """The states of a run's tasks."""
        listed = self.call("GET", f"/dags/{dag}/dagRuns/{run}/taskInstances?limit=100")["task_instances"]
        return {f"{task['task_id']}.{task['map_index']}": task["state"] for task in listed}

    def night(self, day: str) -> str:
        """Runs the night of a day to its end; the run's id."""
        for dag in ("hntes_nightly", "hntes_review"):
            self.call("PATCH", f"/dags/{dag}", {"is_paused": False})
        started = self.call("POST", "/dags/hntes_nightly/dagRuns", {"logical_date": None, "conf": {"day": day}})
        run: str = started["dag_run_id"]
        assert self.finished("hntes_nightly", run) == "success", self.tasks("hntes_nightly", run)
        return run

    def review_of(self, night: str) -> str:
        """The run of the review that a night has begun."""
        runs = [run["dag_run_id"] for run in self.call("GET", "/dags/hntes_review/dagRuns")["dag_runs"]]
        (begun,) = [run for run in runs if run.startswith(f"{night}.")]
        found: str = begun
        return found

    def requests(self, review: str) -> list[dict[str, Any]]:
        """The decisions that a review waits for."""
        path = f"/dags/hntes_review/dagRuns/{review}/hitlDetails?response_received=false"
        found: list[dict[str, Any]] = self.call("GET", path)["hitl_details"]
        return found

    def answer(self, request: dict[str, Any], verb: str) -> None:
        """Answers one of them as a person does."""
        (option,) = [option for option in request["options"] if option.startswith(verb)]
        task = request["task_instance"]
        path = f"/dags/hntes_review/dagRuns/{task['dag_run_id']}/taskInstances/{task['task_id']}/{task['map_index']}"
        self.call("PATCH", f"{path}/hitlDetails", {"chosen_options": [option], "params_input": {"note": "tried"}})

    def _asked(self, method: str, path: str, body: object, token: str | None) -> Any:
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if token:
            headers["Authorization"] = f"Bearer {token}"
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}{path}", data, headers, method=method)
        with urllib.request.urlopen(request, timeout=60) as answer:  # noqa: S310  # an address of this machine
            return json.loads(answer.read())
