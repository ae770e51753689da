"""Every router can be reached, and what is still to be done for it is said in the morning."""

import re
from pathlib import Path
from typing import Any

import pytest

from hntes import clock
from hntes.sql.entries import AuditEventEntry
from hntes.sql.rows import fetch
from hntes.version import program_version
from tests.support.api_program import program
from tests.support.installation import Installation
from tests.support.prepared_nights import NIGHT, PreparedNights
from tests.support.review_page import Browser, browser, words_in

CHANGE = f"/change/r1/{NIGHT}"
LINK = re.compile(r'<th scope="row" data-label="Router"><a href="(/router/[^"]+)">')


def test_every_router_is_listed_and_can_be_searched(reader: Browser) -> None:
    assert LINK.findall(reader.get("/routers").text) == ["/router/r1", "/router/r2", "/router/r3"]
    assert LINK.findall(reader.get("/routers?q=iosxr").text) == ["/router/r2"]
    assert LINK.findall(reader.get("/routers?q=R3 recommended").text) == ["/router/r3"]
    assert LINK.findall(reader.get("/routers?q=r3 junos").text) == []
    assert "0 of them match" in words_in(reader.get("/routers?q=%3Cb%3E").text)
    assert 'href="/routers"' in reader.get("/").text


def test_the_list_says_what_the_command_line_says(site: Installation, anna: Browser) -> None:
    first = words_in(anna.get("/routers").text)
    assert first.count("nothing approved") == 3
    assert anna.send(CHANGE, f"{CHANGE}/approve", confirm="r1").status_code == 303
    (approved,) = site.json("change", "list", "--all", "--router", "r1")
    page = words_in(anna.get("/routers").text)
    assert f"{NIGHT} {approved['pairs_added']} of 2000 - approved, not delivered" in page
    assert "r1 delivered: approved, not delivered" in site.run("change", "list").stdout
    # that a configuration waits for its delivery was on no page but that router's
    assert "r1 : approved, not delivered" in words_in(anna.get("/").text)
    site.run("router", "loaded", "--router", "r1", "--hash", approved["candidate_hash"])
    assert "r1 : delivered, not verified" in words_in(anna.get("/").text)
    site.run("router", "verified", "--router", "r1", "--sha256", approved["candidate_hash"])
    assert "not verified" not in words_in(anna.get("/").text)
    assert " verified" in words_in(anna.get("/routers").text)


def test_pins_and_exclusions_that_began_today_are_listed(site: Installation, anna: Browser) -> None:
    """They hold for deliveries already, though the last night was about the day before."""
    today = clock.today().isoformat()
    site.pin("198.18.99.0/24>203.0.113.0/24", today)
    site.run("override", "exclude", "add", "198.18.10.0/24", "--router", "r1", "--owner", "noc", "--reason", "works",
             "--from-day", today, "--until", "2199-12-31")  # fmt: skip
    words = words_in(anna.get("/router/r1").text)
    assert f"excluded 198.18.10.0/24 (either) from {today} to 2199-12-31, by noc: works" in words
    assert f"pinned 198.18.99.0/24 > 203.0.113.0/24 from {today}" in words
    found = program(anna.server, "read").get("/api/routers/r1")
    assert [each["prefix"] for each in found["exclusions"]] == ["198.18.10.0/24"]
    assert [each["source"] for each in found["pins"]] == ["198.18.99.0/24"]


def test_a_routers_page_reads_the_events_of_no_other_router(
    site: Installation, anna: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The log grows for years, and the page shows two events of it."""
    hashes = {each["router"]: each["candidate_hash"] for each in site.json("change", "list")}
    for router in ("r1", "r2"):
        site.run("change", "approve", "--router", router, "--day", NIGHT, "--hash", hashes[router], "--who", "bert")
    site.run("router", "deliver", "--router", "r2", "--router", "r1")
    read: list[AuditEventEntry] = []

    def noted(*arguments: Any) -> list[Any]:
        found = fetch(*arguments)
        read.extend(each for each in found if isinstance(each, AuditEventEntry))
        return found

    monkeypatch.setattr("hntes.sql.audit.fetch", noted)
    words = words_in(anna.get("/router/r1").text)
    assert "by bert" in words
    assert {each.router for each in read} == {"r1"}


def test_a_router_without_flow_data_is_one_without_pending_changes(
    tmp_path: Path, prepared_nights: PreparedNights
) -> None:
    made = browser(prepared_nights.site(tmp_path / "site", router="r1").settings)
    assert made.log_in("anna").status_code == 303
    words = words_in(made.get("/").text)
    assert "r2 : no night has run for it" in words
    assert "2 routers without pending changes" in words


def test_the_menu_says_where_one_is(reader: Browser) -> None:
    for address, name in (("/", "Dashboard"), ("/routers", "Routers"), ("/router/r1", "Routers"), ("/log", "Log")):
        assert re.findall(r'aria-current="page">(\w+)<', reader.get(address).text) == [name]
    assert f"HNTES {program_version()}" in words_in(reader.get("/").text)
    assert reader.get("/icon.svg").headers["content-type"] == "image/svg+xml"


def test_a_port_is_named_once_in_the_fit_of_its_queues(reader: Browser) -> None:
    split = re.search(r"<h2>Queue split</h2>\s*<ul>(.*?)</ul>", reader.get("/router/r1").text, re.DOTALL)
    assert split is not None
    assert "xe-0/1/0: xe-0/1/0" not in split[1]
    assert "xe-0/1/0" in split[1]
