"""Many worlds of many nights, and how soon four defects are found from seeds alone.

HNTES_WORLDS and HNTES_WORLD_NIGHTS are how many; a thousand of sixty nights are some four hours of a processor.
"""

import os
from collections.abc import Callable
from typing import Any

import pytest

from hntes import files
from hntes.sql import audit
from hntes.workflow.delivery import authority, push
from tests.e2e.test_worlds import dropping, in_place
from tests.support.world.campaign import shortest, told, worlds

pytestmark = [pytest.mark.long, pytest.mark.timeout(14_400)]
FIRST_SEED = int(os.environ.get("HNTES_SEED", "1"))
WORLDS = int(os.environ.get("HNTES_WORLDS", "40"))
NIGHTS = int(os.environ.get("HNTES_WORLD_NIGHTS", "60"))
# Within so many worlds a defect has to be found.
SOON = 50


def test_worlds_hold() -> None:
    seeds = range(FIRST_SEED, FIRST_SEED + WORLDS)
    found = worlds(seeds, NIGHTS)
    print(f"seeds {seeds[0]} to {seeds[-1]}, {NIGHTS} nights: {found}")
    assert found.broken is None, told(shortest(found.broken))


@pytest.mark.parametrize(
    ("defect", "nights", "names"),
    [
        ("exclusion", 12, {"nothing excluded or protected arrives"}),
        ("believed", 60, {"nothing excluded or protected arrives"}),
        # of a text; or of the log of removals, which no call can read then
        ("half_written", 12, {"no text is half written", "the next call mends"}),
        ("dropped", 12, {"the log tells what happened"}),
    ],
)
def test_a_defect_is_found_within_fifty_worlds(
    monkeypatch: pytest.MonkeyPatch, defect: str, nights: int, names: set[str]
) -> None:
    _DEFECTS[defect](monkeypatch)
    found = worlds(range(FIRST_SEED, FIRST_SEED + SOON), nights)
    print(f"{defect}: found in world {found.worlds}")
    assert found.broken is not None
    assert found.broken.broken is not None
    assert found.broken.broken.name in names, told(found.broken)


def _ignored_exclusion(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(authority, "_excluded", lambda *_: iter(()))


def _believed_reports(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a person undid is delivered again as if it still ran."""
    monkeypatch.setattr(push, "require_arrival", lambda *_: None)


def _half_written(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "replacing", in_place)


def _dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(audit, "append", dropping(audit.append, "exclude"))


_DEFECTS: dict[str, Callable[[pytest.MonkeyPatch], Any]] = {
    "exclusion": _ignored_exclusion,
    "believed": _believed_reports,
    "half_written": _half_written,
    "dropped": _dropped,
}
