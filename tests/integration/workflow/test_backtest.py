"""Effects, previews and back-tests on the demonstration's nights."""

from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from hntes.etl.days import day_bounds_ms
from hntes.etl.detect.alpha import DetectionRule, detect_day
from hntes.etl.engines.duck import DuckEngine
from hntes.etl.measure.beta_between import beta_between
from hntes.etl.schema import LAKE_SCHEMA
from hntes.rules.backtest.effect import effect
from hntes.rules.backtest.effect_words import Seen, effect_sentence
from hntes.rules.backtest.observed import HostBeta, Observed
from hntes.rules.lifetime.evenings import Policy
from hntes.rules.lifetime.history import PrefixLengths
from hntes.rules.pairs import PrefixPair
from hntes.settings.model import Router
from hntes.sql import day_status, observations
from hntes.sql.observations import SeenFlow
from hntes.sql.session import reading
from hntes.workflow.context import opened
from tests.property.test_detection_properties import lake_of
from tests.support.backtest_oracle import Flow, World, filters, is_held
from tests.support.installation import Installation, installation_in

NIGHTS = ("2026-11-20", "2026-11-21", "2026-11-22")
SPAN = ("--from", NIGHTS[0], "--to", NIGHTS[-1])
EXCLUSION = ("override", "exclude", "add", "198.18.20.128/25", "--owner", "anna", "--reason", "lab",
             "--from-day", NIGHTS[-1], "--until", "2026-12-30", "--dry-run")  # fmt: skip


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Installation:
    """Three nights without the gate; one file of the third is set aside."""
    made = installation_in(tmp_path_factory.mktemp("replay") / "site")
    for night in NIGHTS:
        made.run("stage", "ingest", "--day", night, expect=3 if night == NIGHTS[-1] else 0)
        for stage in ("detect", "measure", "propose"):
            made.run("stage", stage, "--day", night)
    return made


def test_a_change_begins_with_its_effect_wherever_it_is_shown(site: Installation) -> None:
    """Ten flows of r1 on the first night make 22.07 GB; its load beside them is 24,145,325,675 bytes of the pairs."""
    effect = (
        "of 22.1 GB of alpha traffic in one day these rules would have queued 22.1 GB (100%), and none are "
        "approved yet; 2.07 GB of the beta traffic of 2026-11-20 is dragged along"
    )
    shown = site.run("stage", "propose", "--day", NIGHTS[0], "--router", "r1").stdout.splitlines()
    assert shown[1:3] == [
        f"r1, flows of {NIGHTS[0]}: {effect}",
        "  change: first configuration, 8 pairs added, 0 kept",
    ]
    (change,) = [c for c in site.json("change", "list", "--all") if (c["router"], c["day"]) == ("r1", NIGHTS[0])]
    assert change["summary"] == f"first configuration, 8 pairs added, 0 kept; {effect}"
    assert effect in site.run("change", "show", "--router", "r1", "--day", NIGHTS[0], "--no-diff").stdout


def test_the_measured_beta_of_a_change_is_that_of_the_lake(site: Installation) -> None:
    """Two ways of their own: the load of interfaces less alpha flows, and 5-tuples that are no alpha flows."""
    (found,) = _approved(site.json("backtest", *SPAN, "--router", "r1", "--beta"))
    assert [day["beta_bytes"] for day in found["days"]] == [24_145_325_675 - 22_072_818_705, 650_085, 650_085]
    assert [day["queued_beta_bytes"] for day in found["days"]] == [0, 650_085, 650_085]


@pytest.mark.parametrize("length", [24, 32])
def test_a_back_test_is_the_nights_own_decisions_evening_by_evening(site: Installation, length: int) -> None:
    asked = ("--prefix", f"{length},{64 if length == 24 else 128}", "--ageing", "1", "--budget", "3", "--budget", "50")
    with opened(site.settings) as context:
        routers = context.settings.routers
        worlds = {router.name: _world(context.database, router) for router in routers}
    for found in site.json("backtest", *SPAN, *asked)["variants"]:
        policy = Policy(
            PrefixLengths(*map(tuple, (found["lengths"]["ipv4"], found["lengths"]["ipv6"]))), 1, "second_sighting",
            found["term_budget"],
        )  # fmt: skip
        days = [date.fromisoformat(night) for night in NIGHTS]
        queued, terms = dict.fromkeys(days, 0), dict.fromkeys(days, 0)
        for world in worlds.values():
            every = found["reading"] == "approved"
            held = filters(world, policy, days, every_one_approved=every, begins=days[0] - timedelta(days=1))
            for flow in world.flows:
                queued[flow.day] += flow.bytes * is_held(flow.source, flow.destination, held[flow.day])
            for day in days:
                terms[day] += len(held[day])
        assert [day["queued_bytes"] for day in found["days"]] == list(queued.values())
        assert [day["terms"] for day in found["days"]] == list(terms.values())


def test_rows_and_figures_are_written_and_a_variant_is_recommended(site: Installation, tmp_path: Path) -> None:
    said = site.run("backtest", *SPAN, "--budget", "3", "--budget", "50", "--out", str(tmp_path / "out")).stdout
    assert "take /24, /64, ageing 2 days, budget 50" in said
    rows = pq.read_table(tmp_path / "out" / "backtest.parquet").to_pylist()
    assert len(rows) == 3 * 2 * 2 * len(NIGHTS)
    assert {row["beta_bytes"] for row in rows} == {None}
    document = site.json("backtest", *SPAN, "--budget", "50")
    of_parquet = sum(r["queued_bytes"] for r in rows if r["term_budget"] == 50 and r["reading"] == "approved")
    assert of_parquet == sum(day["queued_bytes"] for day in _approved(document)[0]["days"]) > 0
    assert (tmp_path / "out" / "backtest.svg").read_text(encoding="utf-8").count("Effectiveness") == 1
    assert (tmp_path / "out" / "backtest.png").stat().st_size > 10_000


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (("--threshold", "500"), "were found above 1000000000 bytes; flows above 500 are in the lake alone"),
        (("--rule", "report"), "were found by the rule window; the rule report needs the lake"),
        (("--flow-key", "five_tuple"), "were found as host_pair; five_tuple needs the lake"),
    ],
)
def test_what_needs_the_flows_themselves_is_refused(site: Installation, asked: tuple[str, str], said: str) -> None:
    assert said in site.run("backtest", *SPAN, *asked, expect=1).stderr


def test_days_in_the_wrong_order_and_senseless_lengths_are_refused(site: Installation) -> None:
    assert "swap them" in site.run("backtest", "--from", NIGHTS[1], "--to", NIGHTS[0], expect=1).stderr
    assert "write 24, 32:24" in site.run("backtest", *SPAN, "--prefix", "/24", expect=2).stderr
    assert "8 to 32 for IPv4" in site.run("backtest", *SPAN, "--prefix", "33", expect=2).stderr


def test_beta_is_not_read_on_days_of_which_the_lake_has_lost_a_part(site: Installation) -> None:
    part = min((site.lake / "flows" / "router=r2" / f"day={NIGHTS[1]}").glob("*.parquet"))
    content = part.read_bytes()
    part.unlink()
    try:
        (found,) = _approved(site.json("backtest", *SPAN, "--router", "r2", "--beta"))
    finally:
        part.write_bytes(content)
    assert [day["is_beta_read"] for day in found["days"]] == [True, False, True]


def test_an_exclusion_shows_whom_it_would_hit_and_stores_nothing(site: Installation) -> None:
    """A /25 in which no host was ever seen takes two /24 pairs of each router."""
    said = site.run(*EXCLUSION).stdout
    assert "the rules as of 2026-11-22 would have queued 31.1 GB (100%), with it 24 GB (77.3%); 3 flows lose" in said
    rows = [line.split("  ") for line in said.splitlines() if " removed " in line]
    assert len(rows) == 2 * 3
    assert all("none" in map(str.strip, row) for row in rows)
    assert "1: 198.18.20.7" in said
    assert site.json("override", "exclude", "list") == []


def test_a_pin_shows_what_it_would_hold_and_stores_nothing(site: Installation) -> None:
    who = ("--router", "r1", "--owner", "anna", "--reason", "copy", "--from-day", NIGHTS[-1], "--dry-run")
    said = site.run("override", "pin", "add", "198.18.0.0/16>203.0.113.0/24", *who).stdout
    (pinned,) = [line for line in said.splitlines() if " added " in line]
    assert pinned.startswith("r1      198.18.0.0/16 > 203.0.113.0/24   added     17.513 GB    9: 198.18.10.5,")
    assert "with it as much; no flow loses its queue" in said
    assert site.json("override", "pin", "list") == []
    too_wide = site.run("override", "pin", "add", "10.0.0.0/8>203.0.113.0/24", *who, expect=1).stderr
    assert "shorter than" in too_wide
    over = site.run(
        "override", "pin", "add", "198.18.0.0/16>203.0.113.0/24", *who, "--until", NIGHTS[0], expect=1
    ).stderr
    assert f"it expires on {NIGHTS[0]}, before its first day {NIGHTS[-1]}" in over


def test_a_flow_that_was_metered_twice_counts_once_in_the_sentence() -> None:
    """3 GB of alpha and 0.7 GB of beta traffic, each metered at ingress and at egress."""
    lake, day, pair = DuckEngine(threads=1), date(2026, 11, 20), PrefixPair.parse("10.0.0.0/24>10.9.0.0/24")
    begin_ms = day_bounds_ms(day)[0] + 3_600_000
    flow = {"ip_version": 4, "src_lo": 0x0A000001, "dst_lo": 0x0A090001, "protocol": 6, "sampling_factor": 1}
    times = {"first_ms": begin_ms, "last_ms": begin_ms + 30_000, "packets": 3_000_000, "output_interface": 7}
    one = dict.fromkeys(LAKE_SCHEMA.names, 0) | flow | times
    records = [
        one | {"src_port": port, "bytes": byte_count, "direction": direction}
        for port, byte_count in ((1000, 3 * 10**9), (1001, 7 * 10**8))
        for direction in (0, 1)
    ]
    with lake_of(records) as (folder, parts):
        alpha = detect_day(lake, folder, parts, "r1", day, DetectionRule())
        beside = beta_between(lake, folder, parts, day, [(pair.source, pair.destination)], alpha)
    seen = [SeenFlow(*(getattr(found, name) for name in SeenFlow._fields)) for found in alpha]
    beta = [HostBeta(day, found.source, found.destination, found.bytes) for found in beside]
    traffic = Observed.of(seen, beta, [day]).traffic(day, day)
    assert effect_sentence(effect(traffic, frozenset(), frozenset({pair}), Seen(1, beta_day=day))) == (
        "of 3 GB of alpha traffic in one day the approved rules would have queued 0 GB (0%), these 3 GB (100%); "
        "no flow loses its queue, 1 gains it; 0.7 GB of the beta traffic of 2026-11-20 is dragged along, 0 GB before"
    )


def _approved(document: Any) -> list[Any]:
    return [one for one in document["variants"] if one["reading"] == "approved"]


def _world(database: Any, router: Router) -> World:
    last = date.fromisoformat(NIGHTS[-1])
    with reading(database) as session:
        seen = observations.history(session, router.name, last)
        statuses = day_status.day_statuses(session, router.name, last)
    flows = [Flow(s.day, s.source, s.destination, s.flow_bytes, s.borderline, s.implausible) for s in seen]
    return World(tuple(flows), frozenset(status.day for status in statuses if status.complete))
