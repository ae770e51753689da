"""A forged record that claims to have lasted for hours does not hide what the exporter lost in them."""

from pathlib import Path

import numpy as np
import pytest

from tests.support.counted_site import DAY, FRAMING, CountedSite, alpha, background

UNSAMPLED = '[[routers.sampling]]\nexporter = "127.0.0.11"\nfactor = 1\n'


def test_lost_exports_are_seen_beside_a_long_record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    site = CountedSite(tmp_path)
    site.set_up(more=UNSAMPLED)
    chance = np.random.default_rng(20261124)
    carried = background(DAY, 2e8, chance)
    is_exported = chance.random(len(carried)) < 0.5
    exported = [one for one, is_sent in zip(carried, is_exported, strict=True) if is_sent]
    # more than the exporter lost in any hour, and it may have been sent in any of them
    long = alpha(DAY, 9, 3600.0, 200_000_000_000, 22 * 3600.0)
    site.put(DAY, carried, [*exported, long])
    found = site.day(DAY)
    lost_octets = sum(one.byte_count + FRAMING * one.packets for one in carried) - sum(
        one.byte_count + FRAMING * one.packets for one in exported
    )
    (below,) = [loss for loss in found["losses"] if loss["cause"] == "below_counters"]
    # but for the two hours where the record is taken to have been sent
    assert 0.85 * lost_octets < below["bytes"] <= lost_octets
    assert not found["complete"]
