"""Airflow without its programs: one process that runs each task of a run after those before it, so in one place."""

import importlib.util
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import IN_CI, ROOT
from tests.support.airflow import dags_environment

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
    tries = {f"{ti.task_id} {ti.map_index}": ti.try_number for ti in done.get_task_instances()}
    return {"state": str(done.state), "tasks": states, "tries": tries, "events": events, "begun": begun}

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


class OneProcess:
    """The process that has Airflow loaded."""

    def __init__(self, process: "subprocess.Popen[str]", log: Path) -> None:
        self._process = process
        self._log = log
        self.printed: list[str] = []  # with the last answer: the logs of tasks

    def ask(self, *wish: object) -> Any:
        """What it answers."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(wish) + "\n")
        self._process.stdin.flush()
        self.printed = []
        for line in self._process.stdout:
            if line.startswith("TOLD"):
                return json.loads(line.removeprefix("TOLD"))
            self.printed.append(line)
        raise AssertionError("".join(self.printed[-60:]) + self._log.read_text(errors="replace")[-3000:])


@contextmanager
def one_process(folder: Path, settings: Path, limit_s: float = 240.0, **environment: str) -> Iterator[OneProcess]:
    """The process, with a home below `folder`; killed after `limit_s`, whatever it waits for."""
    if importlib.util.find_spec("airflow") is None and not IN_CI:
        pytest.skip("Airflow is not installed; `make everything` installs it")
    home, log = folder / "home", folder / "errors.txt"
    home.mkdir()
    given = os.environ | dags_environment(home) | {"HNTES_SETTINGS": str(settings), "HNTES_SCHEDULE": ""} | environment
    command = [sys.executable, "-c", RUN, str(ROOT / "dags")]
    with (
        log.open("w") as errors,
        subprocess.Popen(
            command, env=given, cwd=home, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors
        ) as process,
    ):
        limit = threading.Timer(limit_s, process.kill)
        limit.start()
        try:
            yield OneProcess(process, log)
        finally:
            process.stdin.close()  # type: ignore[union-attr]
            process.wait()
            limit.cancel()
    assert process.returncode == 0, log.read_text()[-3000:]
