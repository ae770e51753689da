"""A stage has one name: of its command, its function, its task, its lines of the log, and its heading in output."""

import importlib
import json
import logging
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from hntes.cli.command_list import SECTIONS, Family
from hntes.workflow.stage_names import STAGES
from tests.support.installation import demo_installation
from tests.support.stages import STAGE_NAMES, StageNames

DAY = "2026-11-20"
PROGRESS = re.compile(r"(?:simulating|reading) .*: \d+ of \d+")


@dataclass(frozen=True)
class Ran:
    """What each command printed, and the log of one night with its review and delivery."""

    output: dict[str, str]
    log: list[dict[str, Any]]


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ran]:
    site = demo_installation(tmp_path_factory.mktemp("stages") / "site")
    output: dict[str, str] = {}
    log: list[dict[str, Any]] = []

    def run(command: str, *options: str) -> None:
        done = site.run("--log", "debug", *command.split(), "--router", "r1", *options)
        output[command] = done.stdout
        # progress is told too where a stage takes long, as on a machine with other load
        log.extend(json.loads(line) for line in done.stderr.splitlines() if not PROGRESS.fullmatch(line))

    run("nightly", "--day", DAY)
    (entry,) = site.json("change", "list")
    run("change approve", "--hash", entry["candidate_hash"], "--who", "anna")
    run("router deliver")
    logged = list(log)
    for command in ("ingest", "detect", "measure", "propose", "judge"):
        run(f"stage {command}", "--day", DAY)
    yield Ran(output, logged)
    logging.getLogger("hntes").handlers.clear()


def test_the_table_has_the_stages_in_their_order() -> None:
    assert tuple(row.stage for row in STAGE_NAMES) == STAGES


@pytest.mark.parametrize("row", STAGE_NAMES, ids=lambda row: row.stage)
def test_all_names_are_the_stages_own(row: StageNames) -> None:
    module, _, function = row.function.rpartition(".")
    assert (module.rpartition(".")[2], function) == (row.stage, row.stage)
    assert row.log == row.stage
    assert row.heading == f"-- {row.stage}"
    assert {task.rpartition(".")[2] for _, task in row.tasks} <= {row.stage}
    assert row.commands in (
        (f"stage {row.stage}",),
        ("change approve", "change reject"),
        (f"router {row.stage}",),
    )


@pytest.mark.parametrize("row", STAGE_NAMES, ids=lambda row: row.stage)
def test_the_function_is_there_and_logged(row: StageNames) -> None:
    module, _, name = row.function.rpartition(".")
    function = getattr(importlib.import_module(module), name)
    assert function.__module__ == module
    assert function.__wrapped__.__name__ == row.log


@pytest.mark.parametrize("row", STAGE_NAMES, ids=lambda row: row.stage)
def test_its_commands_are_listed_under_its_name(row: StageNames) -> None:
    listed = {
        f"{name} {verb}": title
        for title, commands in SECTIONS.items()
        for name, family in commands.items()
        if isinstance(family, Family)
        for verb in family.commands
    }
    titles = {listed[command] for command in row.commands}
    assert titles == {{"decide": "Review", "deliver": "Routers"}.get(row.stage, "Every night")}


@pytest.mark.parametrize("row", STAGE_NAMES, ids=lambda row: row.stage)
def test_its_log_says_when_it_began_and_how_it_ended(row: StageNames, ran: Ran) -> None:
    begun, done = (line for line in ran.log if line["stage"] == row.log)
    assert (begun["event"], done["event"]) == ("begun", "done")
    assert (
        done["outcome"]
        == {
            "ingest": "all_read",
            "detect": "complete",
            "measure": "measured",
            "propose": "pending",
            "judge": "passed",
            "decide": "approved",
            "deliver": "delivered",
        }[row.stage]
    )
    assert done["duration_s"] >= 0
    assert done["day"] == DAY
    assert done["folder"].endswith("r1") if row.stage == "ingest" else done["router"] == "r1"


@pytest.mark.parametrize("row", STAGE_NAMES, ids=lambda row: row.stage)
def test_its_heading_is_above_its_results(row: StageNames, ran: Ran) -> None:
    (command, *_) = row.commands
    assert ran.output[command].splitlines()[0] == row.heading
    if row.stage not in ("decide", "deliver"):
        assert row.heading in ran.output["nightly"].splitlines()
