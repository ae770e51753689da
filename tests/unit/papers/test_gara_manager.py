"""What the runs of GARA's manager take for granted is what the manager of HNTES answers."""

from hntes.papers.gara import manager
from hntes.papers.gara.setup import setup
from tests.support.gara_manager import answered


def test_the_manager_grants_what_the_runs_take_for_granted() -> None:
    assert answered() == manager.granted()


def test_each_edge_gives_the_channel_to_foreground_and_background_together() -> None:
    asked = manager.requests(setup().assumed)
    for step in manager.granted().steps:
        foreground_bps = sum(
            each.rate_bps for name, each in asked.items()
            if name != manager.BACKGROUND and each.start_s <= step.start_s < each.end_s
        )  # fmt: skip
        assert foreground_bps + step.background_bps == setup().manager.channel_bps
