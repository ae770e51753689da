"""Plans of the settings file: their names, shares and rates."""

from pathlib import Path

import pytest

from tests.support.settings_file import MINIMAL, USES_OTHER, load, refusal, with_router


def test_a_plan_that_is_not_defined_is_refused_with_those_that_are(tmp_path: Path) -> None:
    message = refusal(tmp_path, with_router('plan = "gold"'))
    assert "router r1" in message
    assert "'gold'" in message
    assert "recommended" in message


@pytest.mark.parametrize(
    ("plan", "total"),
    [
        ('kind = "two_queue"\nalpha_share_pct = 56', 101),
        ('kind = "single_queue"\nshared_share_pct = 96', 101),
        ('kind = "scavenger_policer"\nscavenger_share_pct = 2', 101),
        ('kind = "wred_policer"\nbeta_share_pct = 60', 120),
        ('kind = "three_color_marker"\nnetwork_control_share_pct = 7', 102),
    ],
)
def test_shares_above_the_link_are_refused_with_their_sum(tmp_path: Path, plan: str, total: int) -> None:
    message = refusal(tmp_path, f"{MINIMAL}[plans.other]\n{plan}\n")
    assert "plans.other" in message
    assert f"{total}%" in message


def test_shares_that_fill_the_link_exactly_are_taken(tmp_path: Path) -> None:
    plan = '[plans.other]\nkind = "two_queue"\nalpha_share_pct = 54\nbeta_share_pct = 41\n'
    assert sum(load(tmp_path, USES_OTHER + plan).plans["other"].shares_pct().values()) == 100


def test_a_peak_rate_below_the_committed_rate_is_refused(tmp_path: Path) -> None:
    plan = '[plans.other]\nkind = "three_color_marker"\ncommitted_rate_bps = 2_000_000_001\n'
    assert "RFC 2698" in refusal(tmp_path, USES_OTHER + plan)
    load(tmp_path, USES_OTHER + plan + 'marker = "single_rate"\n')
