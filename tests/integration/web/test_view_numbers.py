"""Numbers of views against the command line, after two nights: what waits, routers, the gate, pairs, reservations.

Traffic, log, explored groups, the first screen of a change and back-tests have tests of their own.
"""

import html
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hntes.format import counted, gbps, gigabytes, minute
from tests.support.installation import Installation
from tests.support.prepared_nights import NIGHT, PreparedNights
from tests.support.reserving import OTHER_PAIR, P1, P2, PAIR, reserving_installation, set_clock
from tests.support.review_page import Browser, browser, words_in

NEXT = "2026-11-21"
CELL = re.compile(r"<t[hd][^>]*>(.*?)</t[hd]>", re.DOTALL)
Page = Callable[[str], str]


@pytest.fixture(scope="module")
def two_nights(tmp_path_factory: pytest.TempPathFactory, prepared_nights: PreparedNights) -> Installation:
    """r1's and r3's first rules are in force, r3 runs them; r1 has a pin and an exclusion; the second night has run."""
    site = prepared_nights.site(tmp_path_factory.mktemp("views") / "site")
    for change in site.json("change", "list"):
        if change["router"] != "r2":
            of = ("--router", change["router"], "--day", NIGHT)
            site.run("change", "approve", *of, "--hash", change["candidate_hash"], "--who", "anna")
            if change["router"] == "r3":
                for step in ("loaded", "verified"):
                    site.run("router", step, "--router", "r3", "--hash", change["candidate_hash"][:12], "--who", "bert")
    site.pin("198.18.99.0/24>203.0.113.0/24", NIGHT, owner="bert", reason="weekly")
    site.run("override", "exclude", "add", "198.51.100.0/24", "--router", "r1", "--owner", "noc", "--reason", "works",
             "--from-day", NIGHT, "--until", "2199-12-31")  # fmt: skip
    site.run("nightly", "--day", NEXT)
    return site


@pytest.fixture(scope="module")
def page(two_nights: Installation) -> Page:
    made: Browser = browser(two_nights.settings)
    assert made.log_in("vera").status_code == 303
    return lambda address: made.get(address).text


def rows(text: str) -> list[list[str]]:
    """The words of each cell of the first table's body."""
    body = text.partition("<tbody>")[2].partition("</tbody>")[0]
    return [[words_in(cell) for cell in CELL.findall(row)] for row in re.findall(r"<tr>(.*?)</tr>", body, re.DOTALL)]


def chain(text: str) -> dict[str, str]:
    return {name: words_in(said) for name, said in re.findall(r"<dt>(.*?)</dt><dd>(.*?)</dd>", text)}


def test_the_overview_lists_what_waits(two_nights: Installation, page: Page) -> None:
    waiting = {(each["router"], each["day"]): each for each in two_nights.json("change", "list")}
    text = page("/")
    assert f"<h1>{counted(len(waiting), 'change')} wait" in text
    listed = {(row[0], row[1]): row for row in rows(text.partition('id="waiting"')[2])}
    assert {*listed} == {*waiting}
    for of, change in waiting.items():
        assert listed[of][2] == f"+{change['pairs_added']} -{change['pairs_removed']} ={change['pairs_kept']}"
        assert listed[of][4] == ("passed" if change["gate"] == "passed" else "not passed")
    quiet = len({"r1", "r2", "r3"} - {router for router, _ in waiting})
    assert f"{counted(quiet, 'router')} without pending changes" in words_in(text)


def test_the_strip_of_the_overview_has_the_counts_of_the_command_line(two_nights: Installation, page: Page) -> None:
    shown = chain(page("/"))
    newest = [each for each in two_nights.json("data", "days") if each["day"] == NEXT]
    assert shown["Exporters"] == f"{sum(each['complete'] for each in newest)} of 3 routers complete"
    aside = sum(each["quarantined_files"] for each in newest)
    assert shown["Flow files"] == (f"{counted(aside, 'file')} set aside" if aside else "none set aside")
    assert aside == len(two_nights.json("data", "files", "--set-aside", "--day", NEXT))
    proposed = max(each["time_ms"] for each in two_nights.json("audit", "--kind", "propose"))
    assert shown["Last night"].replace(" ,", ",") == f"of {NEXT}, proposed {minute(proposed)} UTC"
    changes = two_nights.json("change", "list", "--all")
    standing = {each["router"]: each["standing"] for each in changes if each["day"] == NIGHT}
    assert (standing["r1"], standing["r3"]) == ("approved", "confirmed")
    assert shown["Deliveries"] == "1 of 2 verified"
    assert "r1 : approved, not delivered" in words_in(page("/"))


@pytest.mark.parametrize("router", ["r1", "r2", "r3"])
def test_a_router_has_the_state_of_the_command_line(two_nights: Installation, page: Page, router: str) -> None:
    text = page(f"/router/{router}")
    facts = {words_in(name): words_in(said) for name, said in re.findall(r"<dt>(.*?)</dt><dd>(.*?)</dd>", text)}
    (newest,) = [each for each in two_nights.json("data", "days", "--router", router) if each["day"] == NEXT]
    assert newest["complete"]
    assert facts["Newest flow data"] == f"{NEXT}, complete, {newest['files']} files, {newest['records']} records"
    changes = two_nights.json("change", "list", "--all", "--router", router)
    approved = [each for each in changes if each["state"] == "approved"]
    if approved:
        last = approved[-1]
        assert facts["Approved"].startswith(f"{last['candidate_hash']} , change of {last['day']} , by anna")
    else:
        assert facts["Approved"] == "nothing yet"
    reports = {each["kind"]: each for each in two_nights.json("audit", "--router", router)}
    for kind, name in (("loaded", "Delivered"), ("verified", "Verified on the router")):
        expected = reports[kind]["candidate_hash"] if kind in reports else "nothing yet"
        assert facts[name].startswith(expected)
    drawn = re.findall(r"<title>(\d{4}-\d\d-\d\d): (\d+) pairs?</title>", text.partition("Pairs of the proposed")[2])
    assert drawn == [(each["day"], str(each["pairs_added"] + each["pairs_kept"])) for each in _by_day(changes)]
    told = two_nights.run("router", "queue-advice", "--router", router, "--no-simulation").stdout
    (split,) = re.findall(r"<h2>Queue split</h2>\s*<ul>(.*?)</ul>", text)
    sentences = [html.unescape(each) for each in re.findall(r"<li>(.*?)</li>", split)]
    assert sentences
    for sentence in sentences:
        assert sentence in told
    history = rows(text.partition('id="history"')[2])
    assert [(row[0], row[1]) for row in history] == [
        (each["day"], each["standing"].replace("_", " ")) for each in reversed(_by_day(changes))
    ]


def _by_day(changes: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return sorted(changes, key=lambda each: str(each["day"]))


@pytest.mark.parametrize("router", ["r1", "r3"])
def test_the_rules_that_age_out_have_the_numbers_of_the_command_line(
    two_nights: Installation, page: Page, router: str
) -> None:
    found = two_nights.json("router", "traffic", "--router", router)
    table = rows(page(f"/router/{router}").partition("The next rules to age out")[2])
    assert table == [
        [f"{each['source']} > {each['destination']}", str(each["days_left"]), each["last_seen"], str(each["days_seen"]),
         gigabytes(each["alpha_bytes"])]
        for each in found["ageing_rules"]
    ]  # fmt: skip
    assert table


def test_pins_and_exclusions_of_a_router_are_those_of_the_command_line(two_nights: Installation, page: Page) -> None:
    words = words_in(page("/router/r1"))
    for each in two_nights.json("override", "pin", "list"):
        assert f"pinned {each['source']} > {each['destination']} from {each['from_day']}" in words
    for each in two_nights.json("override", "exclude", "list"):
        told = f"excluded {each['prefix']} ({each['side']}) from {each['from_day']} to {each['expires_day']}"
        assert told in words
    assert "Active pins and exclusions None." in words_in(page("/router/r2"))


@pytest.mark.parametrize("router", ["r1", "r2", "r3"])
def test_the_measures_of_the_gate_are_those_of_the_command_line(
    two_nights: Installation, page: Page, router: str
) -> None:
    text = page(f"/change/{router}/{NEXT}")
    shown = rows(text.partition('aria-label="Measures of the gate"')[2])
    told = two_nights.run("change", "show", "--router", router, "--day", NEXT, "--no-diff").stdout
    document = two_nights.json("change", "show", "--router", router, "--day", NEXT, "--no-diff")
    assert f"All {len(shown)} measures" in text
    lines = [" ".join(line.split()) for line in told.splitlines()]
    for criterion, outcome, value, limit, _, sentence in shown:
        name, _, measure = criterion.partition(": ")
        of = f" ({' '.join(filter(None, (measure.partition(', ')[0], value)))}, limit {limit})" if limit else ""
        assert f"{name} {outcome}{of}: {sentence}" in lines
    queues = document["queues"]
    drawn = re.findall(r'aria-label="([^"]*% of the rate[^"]*)"', text)
    for each in queues["after"]:
        of_rate, of_buffer = f"{each['rate_pct']}% of the rate", f"{each['buffer_pct']}% of the buffer"
        part = f"queue {each['queue']} {each['forwarding_class']}: {of_rate}, {of_buffer}"
        assert any(part in one for one in drawn), drawn


def test_a_pair_is_explained_as_by_the_command_line(two_nights: Installation, page: Page) -> None:
    for pair in ("198.18.10.0/24>203.0.113.0/24", "198.18.99.0/24>203.0.113.0/24"):
        text = page(f"/pair?router=r1&q={pair}")
        (day,) = re.findall(r"as of (\d{4}-\d\d-\d\d)", text)[:1]
        of = ("why", pair, "--router", "r1", "--day", day, "--evidence-days", "90")
        (why,) = re.findall(r'aria-labelledby="why">(.*?)</pre>', text, re.DOTALL)
        told = two_nights.run(*of).stdout
        for line in html.unescape(why).splitlines():
            assert " ".join(line.split()) in " ".join(told.split()), line
        document = two_nights.json(*of)
        by_day: dict[str, int] = {}
        for flow in document["evidence"]:
            by_day[flow["day"]] = by_day.get(flow["day"], 0) + flow["flow_bytes"]
        bars = re.findall(r"<title>(\d{4}-\d\d-\d\d): ([0-9.]+ [KMGT]B)</title>", text)
        assert bool(by_day) is (pair.startswith("198.18.10.")), "one has flows, the other a pin alone"
        assert bars == [(day, gigabytes(by_day[day])) for day in sorted(by_day)]


def test_several_pairs_are_listed_as_by_the_command_line(two_nights: Installation, page: Page) -> None:
    text = page("/pair?router=r1&q=203.0.113.0/24")
    (day,) = re.findall(r"as of (\d{4}-\d\d-\d\d)", text)[:1] or [None]
    listed = rows(text)
    found = two_nights.json("why", "203.0.113.0/24", "--router", "r1", *(("--day", day) if day else ()))
    assert f"{len(listed)} matching pairs" in words_in(text)
    assert len(listed) == len(found) > 1


def test_reservations_are_those_of_the_command_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    set_clock(monkeypatch)
    site = reserving_installation(tmp_path)
    for pair, rate, more in (
        (PAIR, "1G", ("--port", P1, "--owner", "anna", "--ticket", "4711")),
        (OTHER_PAIR, "2G", ("--port", P1, "--port", P2, "--owner", "bert", "--background-floor", "500M")),
    ):
        site.run("reserve", "add", pair, "--rate", rate, "--start", "2026-11-24T12:00Z", "--for", "6h", *more)
    vera = browser(site.settings)
    vera.log_in("vera")
    text = vera.get("/reservations").text
    printed = site.json("reserve", "list")
    assert rows(text) == [
        [
            str(each["number"]), each["state"], f"{each['source']} > {each['destination']}", each["kind"],
            f"{gbps(each['floor_bps'])} to " * (each["kind"] == "background") + gbps(each["rate_bps"]),
            *(each[moment][:16].replace("T", " ") for moment in ("start", "end")),
            ", ".join(each["ports"]), each["owner"], each["ticket"] or "-",
        ]
        for each in printed
    ]  # fmt: skip
    # what each port promises is the sum of what its reservations are promised at least
    for port, cap_bps in ((P1, 4 * 10**9), (P2, 40 * 10**9)):
        promised = sum(
            each["floor_bps"] if each["kind"] == "background" else each["rate_bps"]
            for each in printed
            if port in each["ports"]
        )
        (period,) = rows(text.partition(f"<h2>{port}</h2>")[2])
        assert period[2:] == [gbps(promised), f"{100 * promised // cap_bps}%"]
