"""`hntes router deliver --commit` killed (SIGKILL) at 60 random moments on each platform: the next call mends what
it left."""

from collections import Counter
from pathlib import Path
from random import Random

import pytest

from tests.support.benches import DELIVERED_TO
from tests.support.delivery import ROUTER_OF
from tests.support.devices.farm import Farm
from tests.support.forked_commands import forked_commands
from tests.support.installation import ALL_ROUTERS
from tests.support.killed_deliveries import KilledDeliveries
from tests.support.prepared_nights import PreparedNights

pytestmark = [pytest.mark.long, pytest.mark.timeout(7200)]
KILLS = 60


@pytest.mark.parametrize("platform", DELIVERED_TO)
def test_no_killed_delivery_leaves_half_a_state(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, prepared_nights: PreparedNights, platform: str
) -> None:
    monkeypatch.setenv("HNTES_ROUTER_PASSWORD", "secret")
    left: Counter[str] = Counter()
    with Farm() as farm, forked_commands() as commands:
        installation = prepared_nights.site(tmp_path / "site", router=ROUTER_OF[platform], routers=ALL_ROUTERS)
        deliveries = KilledDeliveries(platform, farm, installation, commands)
        for seed in range(KILLS):
            killed = deliveries.kill(Random(seed))
            assert killed.broken is None, (seed, killed)
            left[killed.step if killed.status == -9 else "ended before"] += 1
    print(sorted(left.items()))
    assert left["trial"], "no kill came while a change was on trial"
