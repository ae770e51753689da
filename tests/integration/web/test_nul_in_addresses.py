"""A text with NUL, which PostgreSQL cannot hold, is the mistake of whoever sends it and no fault of the database."""

import re
from pathlib import Path

from hntes.web.app import made
from tests.support.api_program import operations, program
from tests.support.installation import Installation
from tests.support.page_addresses import VIEWS
from tests.support.prepared_nights import NIGHT, PreparedNights
from tests.support.random_requests import Call, ask
from tests.support.review_page import browser, close_sites, site

INSTANT = "2026-11-24T12:00:00Z"
KNOWN = {
    "router": "r1", "name": "r1", "day": NIGHT, "number": "1", "base": "0" * 16, "instant": INSTANT, "moment": INSTANT,
}  # fmt: skip


def test_no_program_that_asks_with_nul_is_told_of_a_database_that_is_away(
    tmp_path: Path, prepared_nights: PreparedNights, database_url: str
) -> None:
    asking = program(site(prepared_nights.site(tmp_path / "site", database_url).settings))
    for operation in operations():
        if operation.method != "GET":
            continue
        for odd in (each["name"] for each in operation.described.get("parameters", ())):
            answer = asking.ask("GET", operation.example(**{**KNOWN, odd: "r1%00"}))
            assert answer.status_code < 500, (str(operation), odd, answer.text)
    close_sites()


def test_nor_is_a_browser(tmp_path: Path, prepared_nights: PreparedNights, database_url: str) -> None:
    installed: Installation = prepared_nights.site(tmp_path / "site", database_url)
    vera = browser(installed.settings)
    vera.log_in("vera")
    app, cookie = made(vera.server), (b"cookie", f"hntes={vera.client.cookies['hntes']}".encode())
    for path in VIEWS:
        for odd in re.findall(r"{(\w+)}", path):
            filled = path.format(**{**KNOWN, odd: "r1\x00"})
            answer = ask(app, Call("GET", filled.encode(), b"", ((b"host", b"127.0.0.1:8440"), cookie), b""))
            assert answer.status < 500, (filled, answer.body[:300])
    close_sites()
