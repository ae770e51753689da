"""The page of reservations: rows, each port's calendar, and nothing that a text of a person could steer."""

import re
from datetime import date
from pathlib import Path

import pytest

from hntes.rules.reservations.calendar import Segment
from hntes.rules.reservations.reservation import Port, PortLimit
from hntes.web.reservations import MOST_ROWS, port_view
from hntes.workflow.reservations.calendar import PortCalendar
from tests.support.installation import Installation
from tests.support.reserving import NOW_S, OTHER_PAIR, P1, P2, PAIR, reserving_installation, set_clock
from tests.support.review_page import Browser, browser, words_in
from tests.support.scheduled_site import approve_rules, at, by_quota, propose, reserve, scheduled_site
from tests.support.stored_flows import GB, flow, put


@pytest.fixture
def installation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Installation:
    set_clock(monkeypatch)
    return reserving_installation(tmp_path)


@pytest.fixture
def vera(installation: Installation) -> Browser:
    made = browser(installation.settings)
    assert made.log_in("vera").status_code == 303
    return made


def _add(installation: Installation, pair: str, rate: str, *more: str) -> None:
    installation.run("reserve", "add", pair, "--rate", rate, "--start", "2026-11-24T12:00Z", "--for", "6h", *more)


def test_it_shows_what_is_reserved_and_where(installation: Installation, vera: Browser) -> None:
    _add(installation, PAIR, "1G", "--port", P1, "--owner", "anna", "--ticket", "<script>alert(1)</script>")
    _add(installation, OTHER_PAIR, "2G", "--port", P1, "--port", P2, "--owner", "bert", "--background-floor", "500M")
    page = vera.get("/reservations").text
    assert "<script" not in page
    assert 'style="' not in page
    words = words_in(page)
    assert "198.18.10.0/24 > 203.0.113.0/24 foreground 1 Gb/s" in words
    assert "background 500 Mb/s to 2 Gb/s" in words
    assert "<script>alert(1)</script>" in words
    assert "r1:xe-0/0/0 4 Gb/s of 10 Gb/s may be reserved." in words
    assert "2026-11-24 12:00 2026-11-24 18:00 1.5 Gb/s 37%" in words
    # of 24 h and 520 units beside the labels: from 2 h on, for 6 h; of 162 in height: 1.5 of 4 Gb/s
    assert re.search(r'<path class="reserved" d="[^"]*H123.3V115.2H253.3V176H600', page)
    assert ">4 Gb/s</text>" in page
    # from 10:00 on
    assert re.findall(r">([^<]+)</text>", page.partition("Reserved on r1:xe-0/0/0")[2])[5:9] == [
        "12:00", "18:00", "25 Nov", "06:00",
    ]  # fmt: skip


def test_it_compares_promised_with_measured_rates(
    installation: Installation, vera: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    """6 h reserved with 1 Gb/s, of which the pair's flow fills one hour; that day is processed, the present is not."""
    assert "Promised and measured" not in vera.get("/reservations").text
    set_clock(monkeypatch, NOW_S - 86_400)
    span = ("--start", "2026-11-23T12:00Z", "--for", "6h", "--port", P1, "--owner", "anna")
    installation.run("reserve", "add", PAIR, "--rate", "1G", *span)
    installation.run("reserve", "add", OTHER_PAIR, "--rate", "2G", *span)
    set_clock(monkeypatch, NOW_S - 86_400 + 4 * 3600)
    installation.run("reserve", "cancel", "2", "--reason", "moved")
    set_clock(monkeypatch)
    installation.run("reserve", "add", PAIR, "--rate", "3G", "--for", "2h", "--port", P1, "--owner", "bert")
    set_clock(monkeypatch, NOW_S + 3600)
    day, hour_ms = date(2026, 11, 23), 3_600_000
    one_pm_ms = (NOW_S - 86_400) * 1000 + 3 * hour_ms
    carried = {"first_ms": one_pm_ms, "last_ms": one_pm_ms + hour_ms, "peak_start_ms": one_pm_ms, "peak_bytes": 15 * GB}
    odd = flow("r1", day, "198.18.10.8", "203.0.113.9", 900, implausible=True, doubt="port_rate")
    put(installation, [flow("r1", day, "198.18.10.7", "203.0.113.9", 450, **carried), odd])
    lines = installation.run("reserve", "measured").stdout.splitlines()[1:]
    told = [re.split(r"\s{2,}", line.strip()) for line in lines]
    # 450 GB in an hour are 1 Gb/s; of 6 h that is 167 Mb/s; 15 GB in a minute are 2 Gb/s
    assert [(row[0], *row[3:]) for row in told] == [
        ("3", "2026-11-24 10:00", "2026-11-24 11:00", "3 Gb/s", "-", "-", "not yet known"),
        ("2", "2026-11-23 12:00", "2026-11-23 14:00", "2 Gb/s", "0 bit/s", "-", "100% of the time"),
        ("1", "2026-11-23 12:00", "2026-11-23 18:00", "1 Gb/s", "167 Mb/s", "2 Gb/s", "100% of the time"),
    ]
    page = vera.get("/reservations").text
    words = words_in(page)
    for row in told:
        assert " ".join(row) in words
    assert "promised at most 3 Gb/s, measured at most 1 Gb/s over 15 minutes" in words
    assert "2026-11-23 3 Gb/s 1 Gb/s 2026-11-24 3 Gb/s not processed" in words
    (port,) = installation.json("reserve", "measured")["ports"]
    assert sum(rate or 0 for rate in port["measured_bps"]) == pytest.approx(4 * 1e9)
    # 52 to 55 of the 96 quarters of the last but one day
    assert [number for number, rate in enumerate(port["measured_bps"]) if rate] == [5 * 96 + 52 + n for n in range(4)]


def test_many_reservations_are_cut(installation: Installation, vera: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
    for pair in (PAIR, OTHER_PAIR):
        _add(installation, pair, "1G", "--port", P1, "--owner", "anna")
    assert "hntes reserve list" not in vera.get("/reservations").text
    monkeypatch.setattr("hntes.web.reservations.MOST_ROWS", 1)
    page = vera.get("/reservations").text
    assert page.count('data-label="Number"') == 1
    assert "And 1 more: hntes reserve list" in words_in(page)


def test_it_shows_the_texts_at_edges_and_who_approved_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    set_clock(monkeypatch)
    there = scheduled_site(tmp_path)
    with at(there) as context:
        base = approve_rules(context)[:12]
        reserve(context, NOW_S + 3600, NOW_S + 7200)
        propose(context)
        by_quota(context)
    page = browser(there.settings)
    assert page.log_in("vera").status_code == 303
    words = words_in(page.get("/reservations").text)
    assert "2026-11-23 waits for approval reservation-1 1 Gb/s" in words
    assert (
        f"r1 2026-11-24 12:00 - {base} 2026-11-23 approved by the text approved for 2026-11-23 no reservation" in words
    )
    assert " more: hntes reserve changes" not in words
    monkeypatch.setattr("hntes.web.reservations.MOST_ROWS", 1)
    cut = page.get("/reservations").text
    assert cut.count('data-label="Configuration"') == 1
    assert "And 1 more: hntes reserve changes , or by the API /api/changes?kind=scheduled" in words_in(cut)


def test_it_says_when_nothing_is_reserved(vera: Browser) -> None:
    assert "No reservations." in words_in(vera.get("/reservations").text)


def test_it_says_when_reservations_are_off(installation: Installation, vera: Browser) -> None:
    text = installation.settings.read_text(encoding="utf-8")
    installation.settings.write_text(text.replace("[reservations]\ncap_pct = 40\n", ""), encoding="utf-8")
    answer = vera.get("/reservations")
    assert answer.status_code == 200
    assert "Reservations are disabled" in words_in(answer.text)


def test_a_port_over_its_cap_is_marked_and_many_stretches_are_cut() -> None:
    count = MOST_ROWS + 3
    segments = [Segment(10 * n, 10 * n + 10, 1 + n % 2) for n in range(count)] + [Segment(10 * count, None, 0)]
    view = port_view(PortCalendar(Port("r1", "a"), PortLimit(100, 1), tuple(segments)))
    assert view.is_over
    assert (len(view.plot.rows), view.more) == (MOST_ROWS, 3)
    assert view.plot.rows[1][3] == "200%"
    reserved, cap = view.plot.layers
    assert reserved.path.count("V95H") == reserved.path.count("V14H") + 1 == (count + 1) // 2  # 1 and 2 of 2
    assert cap.path == "M80 95H600"
