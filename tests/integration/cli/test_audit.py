"""`hntes audit` of one router: of the settings, of the log alone, and of neither."""

from pathlib import Path

import pytest

from tests.support.installation import Installation
from tests.support.reserving import reserving_installation


@pytest.fixture
def site(tmp_path: Path) -> Installation:
    """r1 and r2 have an event each; then r2 leaves the settings."""
    made = reserving_installation(tmp_path)
    for router in ("r1", "r2"):
        made.pin("198.18.1.0/24>203.0.113.0/24", "2026-11-20", router=router)
    text = made.settings.read_text(encoding="utf-8")
    kept, found, _ = text.partition('[[routers]]\nname = "r2"')
    assert found
    made.settings.write_text(kept, encoding="utf-8")
    return made


@pytest.mark.parametrize("names", [("r2",), ("r1",), ("r1", "r2")])
def test_a_router_is_shown_whether_the_settings_have_it_or_not(site: Installation, names: tuple[str, ...]) -> None:
    options = [word for name in names for word in ("--router", name)]
    assert [(each["router"], each["kind"]) for each in site.json("audit", *options)] == [
        (name, "pin") for name in names
    ]
    assert "weekly copy" in site.run("audit", *options).stdout


def test_a_router_that_neither_settings_nor_log_have_is_refused(site: Installation) -> None:
    refused = site.run("audit", "--router", "r2", "--router", "r3", expect=1)
    assert "router 'r3' is neither in the settings nor in the audit log; routers of the settings: r1" in refused.stderr


def test_a_router_of_the_settings_without_events_has_none(site: Installation) -> None:
    assert site.json("audit", "--router", "r1", "--kind", "decide") == []
