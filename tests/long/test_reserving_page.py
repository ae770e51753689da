"""Reservations in a real browser: what is promised from now on, and what was carried of what was promised before."""

import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from hntes.web.change import change_address
from tests.support.chromium import CHROMIUM, DRIVER, Page, chromium_at
from tests.support.installation import Installation
from tests.support.looks import WINDOWS, Looks
from tests.support.reserving import OTHER_PAIR, P1, P2, PAIR, reserving_installation, set_clock
from tests.support.scheduled_site import (
    JUDGED_PLAN,
    SECOND,
    approve_rules,
    at,
    reserve,
    scheduled_site,
    standing,
)
from tests.support.stored_flows import GB, flow, put

pytestmark = [
    pytest.mark.long,
    pytest.mark.timeout(1800),
    pytest.mark.skipif(None in (DRIVER, CHROMIUM), reason="no Chromium: scripts/install_system_packages browser"),
]
HOUR_S = 3600
# One sender over one round trip, so that the gate takes seconds.
_GATE = '[gate]\ntcp_profiles = ["linux-2.6.33"]\nround_trips_ms = [2.0]\nbeta_peak_pct = 15.0\n'


@pytest.fixture
def page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Page]:
    site = reserving_installation(tmp_path / "site")
    midnight_s = int(time.time()) // (24 * HOUR_S) * 24 * HOUR_S
    with monkeypatch.context() as past:
        set_clock(past, midnight_s - 24 * HOUR_S)
        _reserve(site, PAIR, "1G", midnight_s - 12 * HOUR_S, "6h", "--port", P1, "--owner", "anna")
    _carry(site, midnight_s - 11 * HOUR_S)
    tomorrow_s = midnight_s + 24 * HOUR_S
    _reserve(site, PAIR, "1G", tomorrow_s + 8 * HOUR_S, "12h", "--port", P1, "--owner", "anna", "--ticket", "4711")
    _reserve(site, OTHER_PAIR, "2G", tomorrow_s + 10 * HOUR_S, "4h", "--port", P1, "--port", P2, "--owner", "bert")
    floor = ("--background-floor", "500M")
    _reserve(site, OTHER_PAIR, "8G", tomorrow_s + 30 * HOUR_S, "20h", "--port", P2, "--owner", "copies", *floor)
    with chromium_at(site, {"anna": "operator"}) as opened:
        yield opened


@pytest.mark.parametrize(("width", "scheme"), WINDOWS)
def test_what_is_promised_and_what_was_carried(
    page: Page, width: int, scheme: str, request: pytest.FixtureRequest
) -> None:
    look = Looks(page, width, scheme, keeps=bool(request.config.getoption("--golden-update")))
    page.log_in()
    page.open("/reservations")
    assert "Promised and measured" in page.text
    # 450 GB in 6 h
    assert "167 Mb/s" in page.text
    assert "4 Gb/s of 10 Gb/s may be reserved." in page.text
    look("calendar")


@pytest.fixture
def waiting(tmp_path: Path) -> Iterator[tuple[Page, str]]:
    """A page, and the address of a scheduled change that waits: two reservations begin tomorrow at 8."""
    site = scheduled_site(tmp_path / "site", section="propose_hours = 48", sections=_GATE, plan=JUDGED_PLAN)
    midnight_s = int(time.time()) // (24 * HOUR_S) * 24 * HOUR_S
    start_s = midnight_s + 32 * HOUR_S
    with at(site) as context:
        approve_rules(context, day=datetime.now(UTC).date() - timedelta(days=1))
        reserve(context, start_s, start_s + 12 * HOUR_S, 6 * 10**8, ticket="4711")
        reserve(context, start_s, start_s + 12 * HOUR_S, 3 * 10**8, pair=SECOND)
        site.run("reserve", "propose")
        address = change_address(standing(context)[0])
    with chromium_at(site, {"anna": "operator"}) as opened:
        yield opened, address


@pytest.mark.parametrize(("width", "scheme"), WINDOWS)
def test_a_change_that_begins_tomorrow(
    waiting: tuple[Page, str], width: int, scheme: str, request: pytest.FixtureRequest
) -> None:
    page, address = waiting
    look = Looks(page, width, scheme, keeps=bool(request.config.getoption("--golden-update")))
    page.log_in()
    page.open(address)
    assert "reservation-1 600 Mb/s, reservation-2 300 Mb/s" in page.text
    assert "Passed, " in page.text
    look("scheduled", unfolded="Approve")
    page.unfold("Approve")
    page.enter("form[action$='/approve'] input[name=note]", "ticket 4711")
    assert "approved by anna (web:anna)" in page.text
    assert "It begins at 2026-" in page.find(".next").text
    look("scheduled-approved")


def _reserve(site: Installation, pair: str, rate: str, start_s: int, length: str, *more: str) -> None:
    start = f"{datetime.fromtimestamp(start_s, UTC):%Y-%m-%dT%H:%MZ}"
    site.run("reserve", "add", pair, "--rate", rate, "--start", start, "--for", length, *more)


def _carry(site: Installation, from_s: int) -> None:
    """An alpha flow of the pair that lasts an hour."""
    day = datetime.fromtimestamp(from_s, UTC).date()
    start_ms, end_ms = from_s * 1000, (from_s + HOUR_S) * 1000
    spans = {"first_ms": start_ms, "last_ms": end_ms, "peak_start_ms": start_ms, "peak_bytes": 15 * GB}
    put(site, [flow("r1", day, "198.18.10.7", "203.0.113.9", 450, **spans)])
