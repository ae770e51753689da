"""An approved change and an emulated router for it."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.support.delivery import Site, junos_site
from tests.support.devices.farm import Farm
from tests.support.prepared_nights import PreparedNights
from tests.support.running_schedule import Edge, running_schedule
from tests.support.scheduled_site import grant

if TYPE_CHECKING:
    from tests.support.pushes import Bench


@pytest.fixture(autouse=True)
def password(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HNTES_ROUTER_PASSWORD", "secret")


@pytest.fixture
def platform() -> str:
    """That of `routed`, where a test does not say so."""
    return "junos"


@pytest.fixture
def routed(tmp_path: Path, farm: Farm, platform: str) -> "Bench":
    """A router of that platform that holds a text, over its own protocol."""
    from tests.support.benches import bench_of

    return bench_of(platform, tmp_path, farm, over_ssh=True)


@pytest.fixture
def site(tmp_path: Path, prepared_nights: PreparedNights, farm: Farm) -> Site:
    return junos_site(farm, prepared_nights.site(tmp_path / "site", router="r1"))


@pytest.fixture
def edge(tmp_path: Path, farm: Farm, monkeypatch: pytest.MonkeyPatch) -> Iterator[Edge]:
    """r1 runs approved rules, and a quota allows what its port may promise."""
    with running_schedule(tmp_path, farm, monkeypatch) as made:
        grant(made.context, 3)
        yield made
