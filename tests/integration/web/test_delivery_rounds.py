"""A round of more routers than a page of events holds: its canary and its start are shown."""

from datetime import date
from pathlib import Path

import pytest

from hntes import clock
from hntes.format import minute
from hntes.sql import audit
from hntes.sql.audit import NewEvent
from hntes.sql.session import transaction
from hntes.workflow.context import opened
from tests.support.api_program import program
from tests.support.reserving import NOW_S, reserving_installation
from tests.support.review_page import browser, site, words_in

ROUTERS = 80
STEPS = ("trial starts", "verified: to be confirmed", "kept", "recorded")
_ROUTER = """
[[routers]]
name = "x{number}"
platform = "junos"
flow_folder = "flows/x{number}"
[[routers.interfaces]]
name = "xe-0/0/0"
role = "both"
rate_bps = 10_000_000_000
"""


def test_a_round_of_eighty_routers_is_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    moment_ms = [NOW_S * 1000]
    monkeypatch.setattr(clock, "now_ms", lambda: moment_ms[0])
    more = "".join(_ROUTER.format(number=number) for number in range(ROUTERS))
    installation = reserving_installation(tmp_path, more=more)
    with opened(installation.settings) as context, transaction(context.database) as session:
        audit.append(session, NewEvent("push", "r1", date(2026, 11, 22), "b" * 64, outcome="kept"))
        moment_ms[0] += 86_400_000
        begins_ms = moment_ms[0]
        for number in range(ROUTERS):
            for step in STEPS:
                audit.append(session, NewEvent("push", f"x{number}", date(2026, 11, 23), "a" * 64, outcome=step))
                moment_ms[0] += 5_000
    server = site(installation.settings)
    found = program(server, "read").get("/api/deliveries")
    assert [len(each["events"]) for each in found["rounds"]] == [ROUTERS * len(STEPS), 1]
    first = found["rounds"][0]["events"][0]
    assert (first["router"], first["outcome"], first["time_ms"]) == ("x0", STEPS[0], begins_ms)
    assert found["older_before"] is None
    vera = browser(installation.settings, server=server)
    vera.log_in("vera")
    assert f"{minute(begins_ms)} UTC: x0, x1, x2," in words_in(vera.get("/deliveries").text)


def test_older_rounds_are_a_link_to_the_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    moment_ms = [NOW_S * 1000]
    monkeypatch.setattr(clock, "now_ms", lambda: moment_ms[0])
    installation = reserving_installation(tmp_path)
    with opened(installation.settings) as context, transaction(context.database) as session:
        for size in (300, 150, 150):
            for _ in range(size):
                audit.append(session, NewEvent("push", "r1", date(2026, 11, 23), "a" * 64, outcome="kept"))
            moment_ms[0] += 86_400_000
    server = site(installation.settings)
    found = program(server, "read").get("/api/deliveries")
    assert ([len(each["events"]) for each in found["rounds"]], found["older_before"]) == ([150, 150], 301)
    vera = browser(installation.settings, server=server)
    vera.log_in("vera")
    assert 'Older events: <a href="/log?before=301">log</a>' in vera.get("/deliveries").text
