"""Rules that no packet has matched, as the recorded counters say: in the morning, on a router's page, on a pair's."""

import re
from collections.abc import Sequence
from html import escape
from pathlib import Path
from urllib.parse import quote

import pytest

from hntes.sql import counter_readings
from hntes.sql.counter_readings import CounterReadingEntry
from hntes.sql.session import transaction
from hntes.workflow.context import opened
from tests.support.installation import Installation
from tests.support.prepared_nights import PreparedNights
from tests.support.review_page import Browser, words_in

# 2026-11-21 02:10 UTC, and a day later
FIRST_MS = 1_795_227_000_000
LATER_MS = FIRST_MS + 86_400_000
BUSY, IDLE = ("198.18.10.0/24", "203.0.113.0/24"), ("198.18.20.0/24", "198.51.100.0/24")
Row = tuple[str, str, tuple[str, str] | None, int]


@pytest.fixture
def site(tmp_path: Path, prepared_nights: PreparedNights, database_url: str) -> Installation:
    """As the others', on both databases."""
    return prepared_nights.site(tmp_path / "site", database_url)


def record(site: Installation, router: str, read_ms: int, rows: Sequence[Row]) -> None:
    """Stores a reading: interface, counter, pair, packets."""
    entries = [
        CounterReadingEntry(router, read_ms, interface, name, pair and pair[0], pair and pair[1], packets, 64 * packets)
        for interface, name, pair, packets in rows
    ]
    with opened(site.settings) as context, transaction(context.database) as session:
        counter_readings.add(session, entries)


def pair_page(anna: Browser, router: str, pair: tuple[str, str]) -> str:
    return words_in(anna.get(f"/pair?router={router}&q={quote('>'.join(pair))}").text)


def test_the_pages_name_rules_that_never_matched(site: Installation, anna: Browser) -> None:
    assert "without a match" not in words_in(anna.get("/").text)
    assert "What the router counted" not in pair_page(anna, "r1", IDLE)

    record(
        site,
        "r1",
        FIRST_MS,
        [("", "a", BUSY, 0), ("", "b", IDLE, 0), ("", "gone", ("192.0.2.0/25", "198.51.100.0/24"), 0)],
    )
    record(site, "r1", LATER_MS, [("", "a", BUSY, 7), ("", "b", IDLE, 0)])
    record(site, "r1", LATER_MS + 1, [("", "a", BUSY, 0), ("", "b", IDLE, 0)])  # the router began to count anew
    record(
        site, "r2", LATER_MS, [("TenGigE0/0/0/0", "hntes-alpha", None, 0), ("TenGigE0/0/0/2", "hntes-alpha", None, 9)]
    )
    record(site, "r3", LATER_MS, [("TenGigabitEthernet0/0/0", "hntes-alpha", None, 9)])

    morning = anna.get("/").text
    said = words_in(morning)
    span = "2026-11-21 02:10 UTC; newest reading 2026-11-22 02:10 UTC"
    assert f"r1 : no packet matched 1 of 2 counters in any reading, the oldest from {span}" in said
    assert "r2 : no packet matched 1 of 2 counters" in said
    assert "r3 : no packet" not in said
    assert '<section aria-labelledby="unused">' in morning
    assert '<h2 id="unused">' in morning
    assert re.search(r'<a href="/router/r1#unused">r1</a>', morning)

    page = anna.get("/router/r1").text
    assert 'id="unused"' in page
    told = "no packet matched in any reading from 2026-11-21 02:10 to 2026-11-22 02:10 UTC"
    listed = re.findall(r'<li><a href="(/pair\?router=r1&amp;q=[^"]*)">(.*?)</a>: (no packet[^<]*)</li>', page)
    assert [(name, words) for _, name, words in listed] == [(escape(" > ".join(IDLE)), told)]
    assert anna.get(listed[0][0].replace("&amp;", "&")).status_code == 200
    only = "no packet matched in the reading of 2026-11-22 02:10 UTC, the only one so far"
    assert f"all pairs on TenGigE0/0/0/0: {only}" in words_in(anna.get("/router/r2").text)
    assert 'id="unused"' not in anna.get("/router/r3").text

    assert f"this pair: {told}" in pair_page(anna, "r1", IDLE)
    assert "this pair: packets matched in the reading of 2026-11-22 02:10 UTC" in pair_page(anna, "r1", BUSY)
    assert f"all pairs on TenGigE0/0/0/0: {only}" in pair_page(anna, "r2", IDLE)


def test_many_rules_are_cut_and_names_are_text(site: Installation, anna: Browser) -> None:
    rows: list[Row] = [("", f"n{n}", (f"10.0.{n}.0/24", "203.0.113.0/24"), 0) for n in range(130)]
    strange: Row = ('<b>"&', "x", None, 0)
    record(site, "r1", FIRST_MS, [strange])
    record(site, "r1", LATER_MS, [*rows, strange])
    page = anna.get("/router/r1").text
    assert "31 more: hntes router counters --router r1" in words_in(page)
    assert "<b>" not in page.partition('id="unused"')[2]
    assert "all pairs on &lt;b&gt;&#34;&amp;: no packet" in page
