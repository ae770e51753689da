"""Some of the deliveries that are killed (SIGKILL) at random moments; the campaign is in tests/long."""

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


@pytest.mark.slow
def test_a_killed_delivery_leaves_one_text_or_the_other_and_the_next_call_mends_it(
    tmp_path: Path, farm: Farm, prepared_nights: PreparedNights
) -> None:
    with forked_commands() as commands:
        for platform in DELIVERED_TO:
            folder = tmp_path / platform / "site"
            installation = prepared_nights.site(folder, router=ROUTER_OF[platform], routers=ALL_ROUTERS)
            killed = KilledDeliveries(platform, farm, installation, commands).kill(Random(1), within=0.2)
            assert killed.broken is None, killed
            assert (killed.in_push, killed.status) == (True, -9)
