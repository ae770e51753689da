"""A night and its review in Airflow without its programs: one process runs each task after those before it."""

import importlib.util
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import IN_CI, ROOT
from tests.support.airflow import dags_environment
from tests.support.installation import demo_installation
from tests.support.prepared_nights import NIGHT, PreparedNights
from tests.support.state import differences, without_surroundings

# Airflow keeps global state: it gets a process of its own, and a SQLite database in its folder.
RUN = """
import json, os, sys
from unittest.mock import patch
from airflow.dag_processing.dagbag import DagBag
from airflow.exceptions import ParamValidationError
from airflow.models.asset import AssetEvent
from airflow.models.dagrun import DagRun
from airflow.serialization.serialized_objects import DagSerialization
from airflow.settings import Session
from airflow.utils.db import initdb

bag = DagBag(sys.argv[1])

def tell(told):
    print("TOLD" + json.dumps(told), flush=True)

def refused(dag, conf):
    try:
        DagSerialization.deserialize_dag(DagSerialization.serialize_dag(bag.dags[dag])).params.deep_merge(conf).validate()
    except ParamValidationError as problem:
        return str(problem)

def run(dag, conf):
    # A run of this kind cannot store the DAG's deadline, which is a thing of the scheduler's.
    with patch.object(bag.dags[dag], "deadline", None):
        done = bag.dags[dag].test(logical_date=None, run_conf=conf)
    states = {f"{ti.task_id} {ti.map_index}": str(ti.state) for ti in done.get_task_instances()}
    with Session() as session:
        events = [[event.source_run_id == done.run_id, event.extra] for event in session.query(AssetEvent)]
    begun = [found.conf for found in DagRun.find(dag_id="hntes_review") if found.run_id.startswith(done.run_id + ".")]
    return {"state": str(done.state), "tasks": states, "events": events, "begun": begun}

for line in sys.stdin:
    wish, *arguments = json.loads(line)
    if wish == "refused":
        tell([refused(*each) for each in arguments])
    elif wish == "set":
        tell(os.environ.update(arguments[0]))
    else:
        initdb()
        tell(run(*arguments))
"""
ROUTER = "r1"

pytestmark = pytest.mark.slow


class OneProcess:
    """The process that has Airflow loaded."""

    def __init__(self, process: "subprocess.Popen[str]", log: Path) -> None:
        self._process = process
        self._log = log

    def ask(self, *wish: object) -> Any:
        """What it answers; the other lines that it prints are logs of tasks."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(wish) + "\n")
        self._process.stdin.flush()
        printed = []
        for line in self._process.stdout:
            if line.startswith("TOLD"):
                return json.loads(line.removeprefix("TOLD"))
            printed.append(line)
        raise AssertionError("".join(printed[-60:]) + self._log.read_text(errors="replace")[-3000:])


@contextmanager
def received() -> Iterator[tuple[str, list[bytes]]]:
    """A receiver of notices: its address as Apprise takes it, and what it got."""
    messages: list[bytes] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            messages.append(self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"json://127.0.0.1:{server.server_port}/", messages
    finally:
        server.shutdown()
        server.server_close()


def test_a_night_in_one_process_leaves_what_the_command_leaves_and_its_review_follows_the_row(
    tmp_path: Path, prepared_nights: PreparedNights
) -> None:
    if importlib.util.find_spec("airflow") is None and not IN_CI:
        pytest.skip("Airflow is not installed; `make everything` installs it")
    site = demo_installation(tmp_path / "airflow" / "site")
    home, log = tmp_path / "home", tmp_path / "errors.txt"
    home.mkdir()
    environment = os.environ | dags_environment(home) | {"HNTES_SETTINGS": str(site.settings), "HNTES_SCHEDULE": ""}
    command = [sys.executable, "-c", RUN, str(ROOT / "dags")]
    with (
        log.open("w") as errors,
        subprocess.Popen(
            command, env=environment, cwd=home, text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors,
        ) as process,
    ):  # fmt: skip
        airflow = OneProcess(process, log)
        days = ("2026-13-01", "2026-02-30", "yesterday")
        meant = [["hntes_nightly", conf] for conf in ({}, {"day": NIGHT}, {"day": NIGHT, "routers": [ROUTER]})]
        wrong = [["hntes_nightly", {"day": day}] for day in days]
        wrong += [["hntes_nightly", {"routers": routers}] for routers in (["; rm -rf /"], ROUTER)]
        backfills: list[dict[str, str]] = [{}, {"first_day": NIGHT}, {"first_day": NIGHT, "last_day": "2026-02-30"}]
        wrong += [["hntes_backfill", conf] for conf in backfills]
        assert airflow.ask("refused", *meant) == [None] * len(meant)
        assert None not in airflow.ask("refused", *wrong)

        conf = {"day": NIGHT, "routers": [ROUTER]}
        night = airflow.ask("run", "hntes_nightly", conf)
        assert night["state"] == "success"
        assert night["tasks"].pop("notify -1") == "skipped", "nobody is to be told"
        assert set(night["tasks"].values()) == {"success"}
        assert night["events"] == [[True, {"day": NIGHT, "routers": [ROUTER]}]]
        assert night["begun"] == [conf]
        by_command = prepared_nights.site(tmp_path / "command" / "site", router=ROUTER)
        # The settings differ in their paths alone.
        assert differences(without_surroundings(site.state()), without_surroundings(by_command.state())) == []

        (waiting,) = site.json("change", "list")
        site.run(
            "change",
            "approve",
            "--router",
            ROUTER,
            "--day",
            NIGHT,
            "--hash",
            waiting["candidate_hash"],
            "--who",
            "carl",
        )
        review = airflow.ask("run", "hntes_review", conf)
        assert review["state"] == "success"
        assert set(review["tasks"].values()) == {"success"}
        manifest = json.loads((site.output / ROUTER / "approved" / "manifest.json").read_text())
        assert manifest["sha256"] == waiting["candidate_hash"]

        # The same day again, of which no record is the router's: the night says so, and operators are told of it all.
        flows = f'flow_folder = "{ROOT / "demo" / "flows" / ROUTER}"'
        text = site.settings.read_text()
        assert flows in text
        changed = text.replace(flows, f'{flows}\nexporters = ["198.19.251.9"]')
        # so that the night of yesterday is missing at any hour of the day
        site.settings.write_text(f"{changed}\n[notices]\nnight_due_hours = 0\n")
        with received() as (url, messages):
            airflow.ask("set", {"HNTES_NOTICE_URLS": url})
            silent = airflow.ask("run", "hntes_nightly", conf)
        assert silent["state"] == "failed"
        assert (silent["tasks"]["report -1"], silent["tasks"]["notify -1"]) == ("failed", "success")
        assert silent["begun"] == []
        assert len(messages) == 1
        process.stdin.close()  # type: ignore[union-attr]
    assert process.returncode == 0, log.read_text()[-3000:]
