"""Some of the deliveries that are killed (SIGKILL) at random moments; the campaign is in tests/long."""

from pathlib import Path
from random import Random

import pytest

from tests.support.devices.farm import Farm
from tests.support.forked_commands import forked_commands
from tests.support.killed_deliveries import KilledDeliveries
from tests.support.prepared_nights import PreparedNights


@pytest.mark.slow
def test_a_killed_delivery_leaves_one_text_or_the_other_and_the_next_call_mends_it(
    tmp_path: Path, farm: Farm, prepared_nights: PreparedNights
) -> None:
    """On Junos, where a trial can be finished by the next call, and on IOS-XE, where each line acts at once."""
    places: tuple[tuple[str, str | None], ...] = (("junos", "r1"), ("iosxe", None))
    with forked_commands() as commands:
        for platform, router in places:
            installation = prepared_nights.site(tmp_path / platform / "site", router=router)
            killed = KilledDeliveries(platform, farm, installation, commands).kill(Random(1), within=0.2)
            assert killed.broken is None, killed
            assert (killed.in_push, killed.status) == (True, -9)
