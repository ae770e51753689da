"""Settings of a router's flow data reach detection."""

from pathlib import Path

from hntes.etl.detect.alpha import DetectionRule
from hntes.settings import read_settings
from hntes.sql.engine import open_database
from hntes.workflow.context import Context

SETTINGS = """
[detection]
threshold_bytes = 2_000_000_000
window_s = 30
flow_key = "host_pair"
[[routers]]
name = "r1"
platform = "junos"
flow_folder = "flows"
sum_exporters = true
sampling_error_pct = 20
interfaces = [
  { name = "xe-0/0/0", role = "edge", rate_bps = 10_000_000_000 },
  { name = "xe-0/0/1", role = "core", rate_bps = 10_000_000_000 },
]
"""


def test_each_key_has_its_place_in_the_rule(tmp_path: Path) -> None:
    path = tmp_path / "hntes.toml"
    path.write_text(SETTINGS, encoding="utf-8")
    settings = read_settings(path)
    database = open_database(f"sqlite:///{tmp_path / 'hntes.db'}")
    rule = Context(settings, database).detection_rule(settings.routers[0])
    database.dispose()
    assert rule == DetectionRule(2_000_000_000, 30_000, "window", "host_pair", True, 20)
