"""Which engine the settings let the gate ask."""

from pathlib import Path

import pytest

from hntes.gate.runs import idle
from hntes.settings import read_settings
from hntes.workflow.context import Context
from hntes.workflow.stages.judge import lab_of
from tests.support.databases import opened

SETTINGS = """
[gate]
run_s = 20
{more}
[[routers]]
name = "r1"
platform = "junos"
flow_folder = "flows"
interfaces = [
  {{ name = "xe-0/0/0", role = "edge", rate_bps = 10_000_000_000 }},
  {{ name = "xe-0/0/1", role = "core", rate_bps = 10_000_000_000 }},
]
"""


@pytest.mark.parametrize(
    ("more", "engine", "duration_s"),
    [("", "fluid", 200.0), ('engine = "auto"', "fluid", 200.0), ('engine = "packet"', "packet", 20.0)],
)
def test_packets_run_where_the_settings_ask_for_them(
    more: str, engine: str, duration_s: float, database_url: str, tmp_path: Path
) -> None:
    path = tmp_path / "hntes.toml"
    path.write_text(SETTINGS.format(more=more), encoding="utf-8")
    database, settings = opened(database_url), read_settings(path)
    ran = lab_of(Context(settings, database)).perform({"idle": idle(settings.gate)})["idle"]
    database.dispose()
    assert (ran.engine, ran.result.duration_s) == (engine, duration_s)
