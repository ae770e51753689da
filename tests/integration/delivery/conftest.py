"""An approved change and an emulated router for it."""

from pathlib import Path

import pytest

from tests.support.delivery import Site, junos_site
from tests.support.devices.farm import Farm
from tests.support.prepared_nights import PreparedNights


@pytest.fixture(autouse=True)
def password(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HNTES_ROUTER_PASSWORD", "secret")


@pytest.fixture
def site(tmp_path: Path, prepared_nights: PreparedNights, farm: Farm) -> Site:
    return junos_site(farm, prepared_nights.site(tmp_path / "site", router="r1"))
