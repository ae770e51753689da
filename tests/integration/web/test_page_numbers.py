"""Numbers of pages against the command line, on known flows: overview, list of routers, a pair, the log."""

import csv
import html
import io
import re
from datetime import date

import pytest

from hntes import clock
from hntes.format import gigabytes
from hntes.sql.engine import open_database
from hntes.sql.queued_days import QueuedDay, replace_queued_day
from hntes.sql.session import transaction
from tests.support.api_program import program
from tests.support.installation import Installation
from tests.support.review_page import Browser, browser, words_in
from tests.support.stored_flows import DAYS, FIRST, GB, flow, steady, stored

LAST = DAYS[-1]
PAIR = "198.18.10.0/24 > 203.0.113.0/24"
FIGURE = re.compile(r'<figure class="plot-of">.*?</figure>', re.DOTALL)
ROW = re.compile(r"<tr[^>]*>(.*?)</tr>", re.DOTALL)
CELL = re.compile(r"<t[hd][^>]*>(.*?)</t[hd]>", re.DOTALL)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Installation:
    """r1 has 5 GB a day, of which 0, 2, 3, 4 and 5 GB were queued; r2 3 GB, on the last day 12 GB, none queued.

    r1 had another name once, under which the same days are stored as well.
    """
    flows = [*steady("r1", 5), *steady("r2", 3), flow("r2", LAST, "198.18.20.1", "203.0.113.9", 9)]
    made = stored(tmp_path_factory.mktemp("numbers") / "site", flows)
    engine = open_database(made.database_url)
    with transaction(engine) as session:
        for number, day in enumerate(DAYS):
            replace_queued_day(session, QueuedDay("r1", day, 1, 5 * GB, (number + 1) * GB if number else 0))
            replace_queued_day(session, QueuedDay("r1-before", day, 1, 5 * GB, 5 * GB))
            replace_queued_day(session, QueuedDay("r2", day, 0, (12 if day == LAST else 3) * GB, 0))
    engine.dispose()
    made.pin("198.18.99.0/24>203.0.113.0/24", str(FIRST), owner="bert", reason="=1+1")
    return made


@pytest.fixture(autouse=True)
def _on_the_day_after(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clock, "now_ms", lambda: 1_795_219_200_000)
    assert clock.today() == date(2026, 11, 21)


@pytest.fixture
def vera(site: Installation) -> Browser:
    made = browser(site.settings)
    assert made.log_in("vera").status_code == 303
    return made


def rows(text: str) -> list[list[str]]:
    """The cells of each row of the first table's body."""
    body = text.partition("<tbody>")[2].partition("</tbody>")[0]
    return [
        [" ".join(html.unescape(re.sub(r"<[^>]+>", " ", cell)).split()) for cell in CELL.findall(row)]
        for row in ROW.findall(body)
    ]


def figure(text: str, name: str) -> str:
    (found,) = (each for each in FIGURE.findall(text) if f"<figcaption>{name}" in each)
    return found


def test_the_overview_has_the_sums_and_flows_of_the_command_line(site: Installation, vera: Browser) -> None:
    page = vera.get("/").text
    told = site.run("router", "traffic", "--day", str(LAST)).stdout.splitlines()
    by_day = [re.split(r"\s{2,}", line.strip()) for line in told[2:7]]
    assert rows(figure(page, "Alpha traffic of 30 days")) == by_day
    # effectiveness by hand: 0 of 8, 2, 3, 4 of 8 and 5 of 17 GB
    shares = rows(figure(page, "Effectiveness by day"))
    assert [row[0] for row in shares] == [str(day) for day in DAYS]
    assert [row[3] for row in shares] == [row[3] for row in by_day] == ["0%", "25%", "37.5%", "50%", "29.4%"]
    status = program(vera.server, "read").get("/api/status")
    queued = [(each["day"], each["routers"], each["alpha_bytes"], each["queued_bytes"]) for each in status["queued"]]
    assert queued[-1] == (str(LAST), 2, 17 * GB, 5 * GB)
    drawn = figure(page, f"Alpha flows of {LAST}, all routers")
    assert told[7] == "3 alpha flows: 3 without a rule (17 GB)"
    assert told[7] in words_in(drawn)
    assert [row[1:] for row in rows(drawn)] == [
        ["r2", "12:00", "9 GB", "without a rule"], ["r1", "12:00", "5 GB", "without a rule"],
        ["r2", "12:00", "3 GB", "without a rule"],
    ]  # fmt: skip
    assert drawn.count('class="new"') == 2, "its layer and its place in the legend"


def test_the_list_of_routers_has_the_days_and_bytes_of_the_command_line(site: Installation, vera: Browser) -> None:
    listed = {row[0]: row for row in rows(vera.get("/routers").text)}
    newest = {each["router"]: each["day"] for each in site.json("data", "days")}
    for name in ("r1", "r2"):
        days = site.json("flows", "--by", "source", "--router", name, "--since", str(FIRST), "--day", str(LAST))
        assert listed[name][2] == newest[name] == str(LAST)
        seen = sum(1 for each in days["by_day"] if each)
        assert f"alpha traffic on {seen} days, at most {gigabytes(max(days['by_day']))}" in listed[name][6]
    assert listed["r3"][2] == "none yet"


def test_the_page_of_a_pair_has_the_evidence_of_the_command_line(site: Installation, vera: Browser) -> None:
    page = vera.get(f"/pair?router=r1&q={PAIR}").text
    document = site.json("why", PAIR.replace(" ", ""), "--router", "r1", "--evidence-days", "90")
    table = rows(page.partition('id="flows"')[2])
    assert table == [
        [each["day"], each["source"], each["destination"], gigabytes(each["flow_bytes"]),
         f"{gigabytes(each['peak_bytes'])} in {each['window_s']} s", "unknown"]
        for each in document["evidence"]
    ]  # fmt: skip
    assert len(table) == 5
    assert "5 alpha flows with 25 GB" in words_in(page)


def test_the_log_has_the_events_of_the_command_line(site: Installation, vera: Browser) -> None:
    events = {str(each["number"]): each for each in site.json("audit")}
    shown = rows(vera.get("/log").text)
    assert [row[0] for row in shown] == sorted(events, key=int, reverse=True)
    for row in shown:
        event = events[row[0]]
        assert row[3].split()[0] == event["kind"]
        assert row[4].endswith(event["identity"])
    written = list(csv.DictReader(io.StringIO(vera.get("/log.csv").text)))
    assert [each["event"] for each in written] == sorted(events, key=int)
    assert [each["kind"] for each in written] == [events[each["event"]]["kind"] for each in written]
    assert not any(value.startswith("=") for each in written for value in each.values())
