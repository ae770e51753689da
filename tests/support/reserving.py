"""An installation in which may be reserved: two routers, no flows, and a clock that a test sets."""

from pathlib import Path

import pytest

from hntes import clock
from tests.support.databases import migrated_sqlite
from tests.support.installation import Installation

# 2026-11-24T10:00:00Z
NOW_S = 1_795_514_400
PAIR, OTHER_PAIR = "198.18.10.0/24>203.0.113.0/24", "198.18.11.0/24>203.0.113.0/24"
P1, P2 = "r1:xe-0/0/0", "r2:et-0/0/1"
_SETTINGS = """[database]
url = "{url}"

[reservations]
cap_pct = 40
{section}
[[routers]]
name = "r1"
platform = "junos"
flow_folder = "flows/r1"
[[routers.interfaces]]
name = "xe-0/0/0"
role = "both"
rate_bps = 10_000_000_000
[[routers.interfaces]]
name = "xe-0/0/9"
role = "edge"
rate_bps = 10_000_000_000

[[routers]]
name = "r2"
platform = "junos"
flow_folder = "flows/r2"
[[routers.interfaces]]
name = "et-0/0/1"
role = "both"
rate_bps = 100_000_000_000
{more}
"""


def reserving_installation(
    folder: Path, database_url: str | None = None, *, section: str = "", more: str = ""
) -> Installation:
    """A settings file with reservations on, over a migrated database."""
    folder.mkdir(parents=True, exist_ok=True)
    url = database_url or migrated_sqlite(folder / "hntes.db")
    settings = folder / "hntes.toml"
    settings.write_text(_SETTINGS.format(url=url, section=section, more=more), encoding="utf-8")
    return Installation(settings, url, folder / "lake", folder / "output")


def set_clock(monkeypatch: pytest.MonkeyPatch, second: int = NOW_S) -> None:
    """Stops the clock at that second."""
    monkeypatch.setattr(clock, "now_ms", lambda: second * 1000)
