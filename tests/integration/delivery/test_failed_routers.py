"""Routers that fail are in the JSON of the commands that ask or serve them, with the reason, beside the others."""

from pathlib import Path

import pytest

from tests.support.delivery import Site, iosxr_site, junos_site
from tests.support.devices.farm import Farm
from tests.support.installation import Installation
from tests.support.prepared_nights import PreparedNights


@pytest.fixture
def installation(tmp_path: Path, prepared_nights: PreparedNights) -> Installation:
    return prepared_nights.site(tmp_path / "site")


@pytest.fixture
def two(farm: Farm, installation: Installation) -> tuple[Site, Site]:
    """r1, which answers, and r2, which does not."""
    well, gone = junos_site(farm, installation), iosxr_site(farm, installation)
    text = installation.settings.read_text(encoding="utf-8")
    twice = "[delivery]\nconfirm_minutes = 5\ntimeout_s = 60\n\n"
    assert text.startswith(2 * twice)
    installation.settings.write_text(text.removeprefix(twice), encoding="utf-8")
    for each in (well, gone):
        each.approve()
        installation.run("router", "deliver", "--router", each.name, "--commit")
    gone.served.stop()
    return well, gone


def test_a_router_that_does_not_answer_is_named_with_the_reason(two: tuple[Site, Site]) -> None:
    site = two[0].installation
    equal, failed = site.json("router", "drift", expect=3)
    assert (equal["router"], equal["state"], equal["problem"]) == ("r1", "equal", "")
    assert (failed["router"], failed["state"], failed["delivered"], failed["statements"]) == ("r2", "failed", None, [])
    assert "127.0.0.1 port" in failed["problem"]
    assert equal.keys() == failed.keys()

    said = site.run("router", "counters", expect=3).stderr
    assert "router r2 failed: 127.0.0.1 port" in said
    assert site.run("router", "counters", "--router", "r3", expect=3).stderr.startswith(
        "hntes: router r3 failed: no delivery of HNTES was reported"
    )

    read, failed = site.json("router", "counters", expect=3)
    assert (read["router"], read["problem"]) == ("r1", "")
    assert len(read["counters"]) > 1
    assert (failed["router"], failed["read_ms"], failed["counters"]) == ("r2", None, [])
    assert "127.0.0.1 port" in failed["problem"]
    assert read.keys() == failed.keys()

    delivered = site.json("router", "deliver", expect=3)
    assert (delivered["r1"]["outcome"], delivered["r2"]["outcome"]) == ("held", "failed")


def test_a_router_whose_text_cannot_be_handed_over_is_named_with_the_reason(installation: Installation) -> None:
    for change in installation.json("change", "list"):
        installation.run(
            "change", "approve", "--router", change["router"], "--hash", change["candidate_hash"], "--who", "anna"
        )
    (installation.output / "r2" / "approved").write_text("in the way", encoding="utf-8")
    delivered = installation.json("router", "deliver", expect=3)
    assert delivered.keys() == {"r1", "r2", "r3"}
    assert delivered["r2"]["outcome"] == "failed"
    assert "r2/approved" in delivered["r2"]["problem"]
    assert "configuration" in delivered["r1"]
