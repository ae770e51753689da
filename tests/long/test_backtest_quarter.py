"""A quarter's nights run one after the other, each knowing its past alone; the back-test then says what they did.

What a night did is read from the text that it wrote. The quarter has hosts that return, take turns and vanish, flows of
weak evidence, flows that cannot be true, days without complete data, a pin that ends and an exclusion.
"""

import random
from dataclasses import dataclass
from datetime import date, timedelta
from ipaddress import ip_address
from pathlib import Path

import pytest
from sqlalchemy import delete, update

from hntes.rules.changeset.candidate import Candidate
from hntes.sql import approved_texts
from hntes.sql.change import InForceEntry
from hntes.sql.changes import CHANGE, IN_FORCE
from hntes.sql.day_status import replace_day_status
from hntes.sql.entries import DayEntry, ObservationEntry
from hntes.sql.observations import replace_day
from hntes.sql.rows import store
from hntes.sql.session import Session, transaction
from hntes.workflow.candidates import known_candidate, text_entry
from hntes.workflow.context import Context, opened
from hntes.workflow.reports.backtest import BacktestRequest, run_backtest
from hntes.workflow.review.overrides import add_exclusion, add_pin
from hntes.workflow.stages.propose import propose
from tests.support.config_text import Line, first_match, junos_filter
from tests.support.databases import migrated_sqlite
from tests.support.entries import observation

pytestmark = [pytest.mark.long, pytest.mark.timeout(3600)]
FIRST, DAYS, AGEING_DAYS = date(2026, 1, 1), 91, 5
LAST = FIRST + timedelta(days=DAYS - 1)
INCOMPLETE = {7, 8, 30, 31, 32, 59, 75}
GB = 10**9
SETTINGS = """
[paths]
lake = "lake"
output = "output"
[database]
url = "{url}"
[ageing]
days = {ageing_days}
[detection]
ipv4_prefix_length = {ipv4}
ipv6_prefix_length = {ipv6}
[[routers]]
name = "r1"
platform = "junos"
flow_folder = "flows"
term_budget = {budget}
  [[routers.interfaces]]
  name = "xe-0/0/0"
  role = "edge"
  rate_bps = 10_000_000_000
  [[routers.interfaces]]
  name = "xe-0/1/0"
  role = "core"
  rate_bps = 10_000_000_000
"""


@dataclass(frozen=True)
class Night:
    """The lines that a night's text has for alpha traffic, of both families."""

    lines: tuple[Line, ...]

    def holds(self, flow: ObservationEntry) -> bool:
        return first_match([*self.lines], ip_address(flow.source), ip_address(flow.destination)) is not None


def quarter(seed: int) -> dict[date, list[ObservationEntry]]:
    """The alpha flows of each day, of sites with habits: how often they send, by how many hosts in turn, how surely."""
    chance = random.Random(seed)
    sites = [
        (number, chance.choice((1, 1, 2, 3, 5, 6, 7, 9)), chance.choice((1, 1, 2, 3, 8)), chance.random() < 0.3)
        for number in range(40)
    ]
    found: dict[date, list[ObservationEntry]] = {}
    for number in range(DAYS):
        day = FIRST + timedelta(days=number)
        rows = [
            flow(day, site, 1 + number // every % hosts, chance, is_weak=is_weak and chance.random() < 0.7)
            for site, every, hosts, is_weak in sites
            if number % every == site % every and chance.random() < 0.9
        ]
        rows += [flow(day, 100 + number, 1, chance), flow(day, 90, 1, chance, is_implausible=True)]
        found[day] = rows
    return found


def flow(
    day: date, site: int, host: int, chance: random.Random, *, is_weak: bool = False, is_implausible: bool = False
) -> ObservationEntry:
    version = 6 if site % 5 == 4 else 4
    ends = (f"198.18.{site}.{host}", f"203.0.113.{site % 3 * 80 + 1}")
    if version == 6:
        ends = (f"2001:db8:{site:x}::{host:x}", f"2001:db8:ffff:{site % 3}::1")
    size = chance.randrange(1, 9) * GB + site
    return observation(
        day=day, flow_id=f"{ends[0]} {chance.randrange(10**9)} > {ends[1]}", source=ends[0], destination=ends[1],
        ip_version=version, flow_bytes=size, burst_bytes=size, peak_bytes=size, peak_sd_bytes=0,
        borderline=is_weak, implausible=is_implausible,
    )  # fmt: skip


def night_of(text: str) -> Night:
    return Night(tuple(line for version in (4, 6) if _has(text, version) for line in junos_filter(text, version)))


def _has(text: str, version: int) -> bool:
    return f"filter hntes-alpha-v{version} " in text


def approve(session: Session, day: date, candidate: Candidate) -> None:
    """As a decision leaves it; the gate and the person are not what this is about."""
    session.execute(delete(IN_FORCE).where(IN_FORCE.c.router == "r1"))
    store(session, IN_FORCE, [InForceEntry("r1", candidate.hash, day)])
    of_day = (CHANGE.c.router == "r1", CHANGE.c.day == day)
    session.execute(update(CHANGE).where(*of_day).values(state="approved", decided_by="anna"))
    approved_texts.keep(session, text_entry(candidate))


def run_nights(context: Context, seen: dict[date, list[ObservationEntry]], *, approves: bool) -> dict[date, Night]:
    """What each night wrote, by its day; nothing of a later day is stored while it runs."""
    router, found = context.settings.router("r1"), {}
    for number, (day, rows) in enumerate(seen.items()):
        if number == 20:
            add_pin(context, "r1", "198.18.7.0/24>203.0.113.0/24", owner="anna", reason="copy", from_day=day,
                    expires_day=FIRST + timedelta(days=31))  # fmt: skip
        if number == 45:
            add_exclusion(context, "r1", "source", "198.18.1.0/25", owner="ben", reason="lab", from_day=day,
                          expires_day=day + timedelta(days=20))  # fmt: skip
        is_complete = number not in INCOMPLETE
        with transaction(context.database) as session:
            replace_day(session, "r1", day, rows)
            why = "" if is_complete else "a file is missing"
            replace_day_status(session, DayEntry("r1", day, 86_400, 86_400, 288, 0, len(rows), is_complete, why))
        entry = propose(context, router, day).change
        candidate = known_candidate(context, router, entry.candidate_hash)
        found[day] = night_of(candidate.text)
        if approves:
            with transaction(context.database) as session:
                approve(session, day, candidate)
    return found


@pytest.mark.parametrize("budget", [2000, 12])
@pytest.mark.parametrize(("ipv4", "ipv6"), [(24, 64), (32, 128)])
@pytest.mark.parametrize("approves", [True, False], ids=["approved", "never approved"])
def test_a_back_test_of_a_quarter_says_what_its_nights_did(
    tmp_path: Path, budget: int, ipv4: int, ipv6: int, approves: bool
) -> None:
    settings = tmp_path / "hntes.toml"
    url = migrated_sqlite(tmp_path / "hntes.db")
    settings.write_text(SETTINGS.format(url=url, ageing_days=AGEING_DAYS, ipv4=ipv4, ipv6=ipv6, budget=budget))
    seen = quarter(seed=16)
    with opened(settings) as context:
        nights = run_nights(context, seen, approves=approves)
        _, found = run_backtest(context, context.settings.routers, FIRST, LAST, BacktestRequest(), lambda *_: None)
    reading = "approved" if approves else "never_approved"
    (one,) = [each for each in found if each.reading == reading]
    empty = Night(())
    before = {day: nights.get(day - timedelta(days=1), empty) for day in seen}
    believed = {day: [row for row in rows if not row.implausible] for day, rows in seen.items()}
    assert one.alpha_bytes.tolist() == [sum(row.flow_bytes for row in rows) for rows in believed.values()]
    queued = {day: [row for row in rows if before[day].holds(row)] for day, rows in believed.items()}
    assert one.queued_bytes.tolist() == [sum(row.flow_bytes for row in rows) for rows in queued.values()]
    assert one.queued_flows.tolist() == list(map(len, queued.values()))
    assert one.terms.tolist() == [len(night.lines) for night in before.values()]
    assert max(one.terms) == budget if budget == 12 else max(one.terms) > 12, "the budget overflows where it is small"
    assert 0.2 < (one.effectiveness or 0) < 0.95, "some is queued, and some is not"
