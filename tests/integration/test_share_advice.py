"""A month of known traffic, from the lake to the advice: what was measured, what is told, and what is advised."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest

from hntes.gate import Judgement, Subject
from hntes.gate.shares.demand import Split, demand, fit, needed_share_pct
from hntes.gate.shares.port_load import RouterLoad
from hntes.gate.shares.sweep import sweep
from hntes.settings.model import Gate
from hntes.settings.plans import TwoQueue
from hntes.sql.day_status import replace_day_status
from hntes.sql.entries import InterfaceLoadEntry
from hntes.sql.interface_loads import interface_loads, load_days
from hntes.sql.session import reading, transaction
from hntes.workflow.context import Context, opened
from hntes.workflow.errors import FINISHED_WITH_PROBLEMS
from hntes.workflow.shares import measured_peaks, present_split, read_load
from hntes.workflow.stages import judge as judge_stage
from hntes.workflow.stages.detect import detect
from hntes.workflow.stages.measure import measure
from hntes.workflow.stages.propose import propose
from tests.support.databases import SIMULATIONS, migrated_sqlite
from tests.support.gate_subjects import shared_lab
from tests.support.installation import Installation
from tests.support.synthetic_month import (
    ALPHA_BYTES,
    CORE,
    DAYS,
    FIRST,
    FOLDER,
    MISSING,
    OTHER,
    PEAK_DAY,
    PEAK_MINUTE,
    UNKNOWN,
    Month,
    install,
    synthetic_month,
)

LAST = FIRST + timedelta(days=DAYS - 1)
PORT, RATE_BPS = "xe-0/1/0", 1_000_000_000
SETTINGS = f"""
[paths]
lake = "lake"
output = "output"
simulations = "{SIMULATIONS}"
[database]
url = "sqlite:///hntes.db"
[gate]
tcp_profiles = ["linux-2.6.33"]
run_s = 20
[plans.narrow]
kind = "two_queue"
alpha_share_pct = 65
beta_share_pct = 30
[[routers]]
name = "r1"
platform = "junos"
flow_folder = "{FOLDER}"
plan = "narrow"
  [[routers.interfaces]]
  name = "xe-0/0/0"
  role = "edge"
  rate_bps = 1_000_000_000
  [[routers.interfaces]]
  name = "{PORT}"
  role = "core"
  rate_bps = {RATE_BPS}
  snmp_index = {CORE}
"""


@dataclass(frozen=True)
class Measured:
    """The month, measured under the rules of each day."""

    month: Month
    context: Context
    installation: Installation

    def loads(self, day: date) -> dict[int, InterfaceLoadEntry]:
        with reading(self.context.database) as session:
            return {entry.interface_index: entry for entry in interface_loads(session, "r1", day, day)}

    def router_load(self) -> RouterLoad:
        return read_load(self.context, self.context.settings.routers[0], LAST)


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Measured]:
    folder = tmp_path_factory.mktemp("month")
    settings = folder / "hntes.toml"
    settings.write_text(SETTINGS, encoding="utf-8")
    month = synthetic_month()
    made = Installation(settings, migrated_sqlite(folder / "hntes.db"), folder / "lake", folder / "output")
    with opened(settings) as context:
        install(month, context.database, context.lake)
        (router,) = context.settings.routers
        for day in days():
            status = detect(context, router, day).status
            if day != MISSING:
                # one file a day: no collector rotates so, and completeness is not the matter here
                with transaction(context.database) as session:
                    replace_day_status(session, replace(status, complete=True, reason=""))
            measure(context, router, day)
        yield Measured(month, context, made)


def days() -> list[date]:
    return [FIRST + timedelta(days=back) for back in range(DAYS)]


def test_every_days_peak_and_percentiles_are_those_the_month_was_made_with(measured: Measured) -> None:
    for day in days():
        if MISSING in (day, day + timedelta(days=1)):
            continue  # the minutes around the missing file: see the test below
        loads = measured.loads(day)
        for interface in (CORE, OTHER):
            truth = measured.month.wire_bytes(interface, day)
            found = loads[interface]
            assert found.beta_peak_wire_bytes == max(truth), day
            assert found.beta_peak_ms == _ms(day) + truth.index(max(truth)) * 60_000
            quantiles = np.percentile(truth, [50, 95, 99, 99.9], method="inverted_cdf")
            assert [found.beta_p50_wire_bytes, found.beta_p95_wire_bytes, found.beta_p99_wire_bytes,
                    found.beta_p999_wire_bytes] == list(quantiles)  # fmt: skip
            assert found.beta_peak_sd_bytes == 0


def test_bytes_of_the_month_are_all_there_each_once(measured: Measured) -> None:
    with reading(measured.context.database) as session:
        loads = interface_loads(session, "r1", FIRST, LAST + timedelta(days=1))
        repeated = sum(day.repeated_bytes for day in load_days(session, "r1", FIRST, LAST))
    last = _ms(LAST + timedelta(days=1)) // 60_000
    truth = dict.fromkeys((CORE, OTHER, UNKNOWN), 0)
    for (index, minute), byte_count in measured.month.bytes.items():
        truth[index] += byte_count if minute < last else 0
    found = {index: [entry for entry in loads if entry.interface_index == index] for index in truth}
    assert {index: sum(entry.beta_bytes for entry in mine) for index, mine in found.items()} == truth
    alpha = {index: sum(entry.alpha_bytes for entry in mine) for index, mine in found.items()}
    assert alpha == {CORE: (DAYS - 1) * ALPHA_BYTES, OTHER: 0, UNKNOWN: 0}
    # interface 8 is metered twice
    assert repeated == truth[OTHER]


def test_the_fullest_minute_of_the_month_is_found_and_the_missing_day_is_told(measured: Measured) -> None:
    (port,) = measured.router_load().ports
    found = demand(port, measured.context.settings.shares)
    assert found.peak is not None
    assert found.peak.day == PEAK_DAY
    assert found.peak.peak_ms == _ms(PEAK_DAY) + PEAK_MINUTE * 60_000
    wire = measured.month.wire_bytes(CORE, PEAK_DAY)[PEAK_MINUTE]
    assert found.measured_bps == -(-wire * 8 // 60)
    assert found.needed_bps == -(-found.measured_bps * 12 // 10)
    assert found.complete_days == DAYS - 1
    assert any(str(MISSING) in told and "incomplete" in told for told in found.notes)


def test_measuring_a_day_again_changes_nothing(measured: Measured) -> None:
    (router,) = measured.context.settings.routers
    before = measured.installation.state()
    measure(measured.context, router, PEAK_DAY)
    assert measured.installation.state() == before


def test_traffic_by_other_interfaces_is_counted_and_told_apart(measured: Measured) -> None:
    others = {other.interface_index: other for other in measured.router_load().others}
    assert set(others) == {OTHER, UNKNOWN}
    made = [row for rows in measured.month.rows.values() for row in rows if row["output_interface"] == UNKNOWN]
    assert others[UNKNOWN].records == len(made)
    assert others[UNKNOWN].bytes == sum(row["bytes"] for row in made)


def test_the_change_set_says_that_the_split_no_longer_fits(measured: Measured) -> None:
    (router,) = measured.context.settings.routers
    proposed = propose(measured.context, router, LAST)
    (note,) = [note for note in proposed.proposal.notes if "no longer fits" in note]
    assert PORT in note
    assert "at 2026-10-18 14:32 UTC" in note
    assert "30%" in note
    assert note in proposed.files["summary"].read_text(encoding="utf-8")


def test_the_gate_is_told_the_peak_in_bytes_as_flow_records_count_them(measured: Measured) -> None:
    load = measured.router_load()
    (port,) = load.ports
    shares = measured.context.settings.shares
    # a datagram of 8192 bytes: 6 fragments, 8320 IP bytes, 38 bytes of Ethernet more each
    expected = demand(port, shares).measured_bps * 8320 / (8320 + 6 * 38)
    (peak,) = measured_peaks(load, shares).values()
    assert peak.bps == pytest.approx(expected)
    assert (peak.complete_days, peak.needed_days, peak.is_enough) == (29, 7, True)
    assert peak.minutes > 29 * 1000


@pytest.mark.slow
@pytest.mark.parametrize("margin_pct", [pytest.param(0, marks=pytest.mark.long), 20])
def test_the_advised_split_passes_the_gate_at_the_peak_and_the_next_smaller_does_not(
    measured: Measured, margin_pct: int
) -> None:
    (router,) = measured.context.settings.routers
    shares = measured.context.settings.shares.model_copy(update={"margin_pct": margin_pct})
    (port,) = measured.router_load().ports
    found = demand(port, shares)
    plan = measured.context.settings.plans["narrow"]
    present = Split(65, 30, 5)
    share = needed_share_pct(found, shares)
    assert share is not None
    splits = [present.with_beta(share - 5), present.with_beta(share)]
    below, advised = sweep(router, plan, PORT, found.needed_bps, splits, Gate(run_s=20), shared_lab())
    assert advised.passes
    assert (advised.beta_loss_pct, advised.split.beta_share_pct) == (0, share)
    assert not below.passes
    assert fit(found, advised.split, shares).state == "fits"
    assert fit(found, below.split, shares).is_warning
    # what an alpha flow gets is what beta leaves: 1448 of 1538 bytes of each packet are its data
    left = (RATE_BPS - found.needed_bps) * 1448 / 1538
    assert advised.alpha_goodput_bps == pytest.approx(left, rel=0.05)


@pytest.mark.parametrize(
    ("platform", "priorities"),
    [
        ("junos", {}),
        ("iosxr", {}),
        pytest.param("junos", {"alpha_priority": "medium-low", "beta_priority": "medium-low"}, marks=pytest.mark.long),
        pytest.param("iosxe", {}, marks=pytest.mark.long),
    ],
)
@pytest.mark.parametrize("load_pct", [pytest.param(18.6, marks=pytest.mark.long), 37.4])
def test_arithmetic_and_simulator_need_the_same_share(
    measured: Measured, platform: str, priorities: dict[str, str], load_pct: float
) -> None:
    (router,) = measured.context.settings.routers
    (port,) = measured.router_load().ports
    router = router.model_copy(update={"platform": platform})
    plan = TwoQueue.model_validate({"kind": "two_queue", **priorities})
    settings = measured.context.settings.model_copy(update={"plans": {"narrow": plan}})
    present = present_split(replace(measured.context, settings=settings), router, None)
    assert present is not None
    shares = settings.shares.model_copy(update={"margin_pct": 0, "step_pct": 1})
    load_bps = round(RATE_BPS * load_pct / 100)
    days_ = [replace(one, chosen_bps=load_bps, peak_bps=load_bps) for one in port.days[-1:]]
    least = needed_share_pct(demand(replace(port, days=tuple(days_)), shares), shares, present.idle_share_pct)
    assert least is not None
    splits = [present.with_beta(least - 1), present.with_beta(least)]
    below, enough = sweep(router, plan, PORT, load_bps, splits, Gate(run_s=20), shared_lab())
    assert (below.passes, enough.passes) == (False, True)


def _ms(day: date) -> int:
    return int(datetime(day.year, day.month, day.day, tzinfo=UTC).timestamp()) * 1000


@pytest.mark.slow
def test_the_command_advises_and_draws(measured: Measured, tmp_path: Path) -> None:
    told = measured.installation.run(
        "router", "queue-advice", "--day", str(LAST), "--out", str(tmp_path / "plots"), expect=FINISHED_WITH_PROBLEMS
    ).stdout
    assert "too small; the split no longer fits" in told
    assert "advised  alpha/beta 50/45: 45% is the least that carries" in told
    assert "index 8: " in told
    assert "unknown (0): " in told
    (svg,) = (tmp_path / "plots").glob("*.svg")
    # three panels have that line, and one legend names it
    assert svg.read_text(encoding="utf-8").count(">now 65/30<") == 1
    drawn = svg.read_text(encoding="utf-8")
    for words in ("beta share (% of the port)", "(Gb/s)", "mean (ms)", "loss of beta traffic (%)", "advised 50/45"):
        assert words in drawn
    (png,) = (tmp_path / "plots").glob("*.png")
    assert png.read_bytes().startswith(b"\x89PNG")
    first = svg.read_bytes()
    (document,) = measured.installation.json(
        "router", "queue-advice", "--day", str(LAST), "--out", str(tmp_path / "plots"), expect=FINISHED_WITH_PROBLEMS
    )
    assert svg.read_bytes() == first
    (port,) = document["ports"]
    assert (port["state"], port["advised"]["beta_share_pct"]) == ("too_small", 45)
    assert [split["passes"] for split in port["splits"]] == [split["split"]["beta_share_pct"] >= 45
                                                           for split in port["splits"]]  # fmt: skip


def test_the_command_says_at_once_what_was_measured(measured: Measured) -> None:
    told = measured.installation.run(
        "router", "queue-advice", "--day", str(LAST), "--no-simulation", "--percentile", "99", "--margin", "0"
    ).stdout
    complete = [day for day in days() if MISSING not in (day, day + timedelta(days=1))]
    wire = max(np.percentile(measured.month.wire_bytes(CORE, day), 99, method="inverted_cdf") for day in complete)
    assert f"measured {wire * 8 / 60 / 1e6:.3g} Mb/s on " in told
    assert "whose peak minute reached " in told
    assert "not simulated" in told
    assert "29 of 30 measured with complete data" in told


def test_the_gate_judges_by_the_measured_peak(measured: Measured, monkeypatch: pytest.MonkeyPatch) -> None:
    (router,) = measured.context.settings.routers
    propose(measured.context, router, LAST)
    asked: list[Subject] = []

    def judge(subject: Subject, *_: object) -> Judgement:
        asked.append(subject)
        return Judgement((), ())

    monkeypatch.setattr("hntes.workflow.stages.judge.gate.judge", judge)
    monkeypatch.setattr(judge_stage, "write_report", lambda *_: {})
    judge_stage.judge(measured.context, router, LAST)
    (subject,) = asked
    shares = measured.context.settings.shares
    assert subject.beta_peaks == measured_peaks(measured.router_load(), shares)
