"""Commands that ask routers say which of them HNTES does not reach, instead of ending in silence."""

from pathlib import Path

import pytest

from tests.support.installation import Installation
from tests.support.prepared_nights import PreparedNights


@pytest.fixture
def unreached(tmp_path: Path, prepared_nights: PreparedNights) -> Installation:
    """The demonstration: three routers, none of which HNTES reaches."""
    return prepared_nights.site(tmp_path / "site", None)


@pytest.mark.parametrize("asked", [("router", "drift"), ("router", "drift", "--known"), ("router", "counters")])
def test_that_nobody_was_asked_is_said(unreached: Installation, asked: tuple[str, ...]) -> None:
    assert "no router in the settings" in unreached.run(*asked).stderr


def test_a_removal_that_reaches_no_router_is_not_done(unreached: Installation) -> None:
    assert "nothing was removed" in unreached.run("router", "remove", "--all", "--commit", expect=3).stderr
    one = unreached.run("router", "remove", "--router", "r2", "--commit", expect=3).stderr
    assert "router r2 is not reached by HNTES" in one
    assert "hntes router remove --print --router r2" in one


def test_a_removal_of_all_names_those_that_have_a_text_by_other_ways(unreached: Installation) -> None:
    (waiting,) = unreached.json("change", "list", "--router", "r1")
    unreached.run("change", "approve", "--router", "r1", "--hash", str(waiting["candidate_hash"]), "--who", "anna")
    unreached.run("router", "deliver", "--router", "r1")
    said = unreached.run("router", "remove", "--all", "--commit", expect=3).stderr
    assert "router r1 is not reached by HNTES" in said
    assert "r2" not in said
    one = unreached.run("router", "remove", "--pair", "198.18.60.0/24>203.0.113.0/24", "--commit", expect=3).stderr
    assert "router r1 is not reached by HNTES" in one
    assert "hntes override exclude add" in one
    assert "removal" not in one
    assert unreached.run("router", "remove", "--print", "--router", "r1").stdout
