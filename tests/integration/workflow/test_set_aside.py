"""One pair, or one minute, does not decide on all others."""

import json
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path

import pytest

from hntes.gate.criteria.reach import REACH
from hntes.sql.session import reading
from hntes.sql.set_aside import set_aside
from hntes.workflow.context import opened
from hntes.workflow.judgement import beta_peaks_of, measured_traffic
from hntes.workflow.stages.rules_as_of import rules_as_of
from tests.support.counted_site import CORE, DAY, EXPORTER, CountedSite, alpha, midnight_ms, prefix_pair
from tests.support.written_flow_files import FlowRecord

GB = 10**9
FAR = 7
# the far pair's hosts exchange 300 flows of 100 MB a day; two true alpha flows and the forged one are 4.2 GB
ORDINARY = [(172 << 24) + (FAR << 8) + number for number in range(1, 21)]


def ordinary(day: date, count: int = 300, size: int = 100_000_000) -> list[FlowRecord]:
    """A cache: many flows below the threshold between the two prefixes of the far pair."""
    begin = midnight_ms(day)
    return [
        FlowRecord(
            begin + at, begin + at + 50_000, begin + at + 51_000, size // 1500, size,
            source=ORDINARY[number % 20], destination=(10 << 24) + (FAR << 8) + number % 200 + 1,
            input_interface=1, output_interface=CORE, exporter=EXPORTER, source_port=1000 + number,
        )
        for number in range(count)
        for at in [3_600_000 + number * 240_000]
    ]  # fmt: skip


@pytest.fixture
def site(tmp_path: Path) -> CountedSite:
    made = CountedSite(tmp_path)
    made.set_up("")
    return made


def measured(site: CountedSite, day: date, *records: FlowRecord) -> None:
    site.put(day, [], sorted(records, key=lambda each: each.received_ms))
    site.day(day)
    site.run("stage", "measure", "--day", str(day))


def reach_outcome(site: CountedSite, day: date) -> str:
    """The gate's verdict on the measured traffic of the day's rules."""
    with opened(site.folder / "hntes.toml") as context:
        (router,) = context.chosen(["r1"])
        pairs = frozenset(rule.pair for rule in rules_as_of(context, router, day).selection.kept)
        traffic = measured_traffic(context, router, day, pairs)
        assert traffic is not None, "the load was measured beside other pairs"
        return REACH._of_traffic(traffic, context.settings.gate).outcome


def test_a_pair_that_takes_ordinary_traffic_is_set_aside_by_name_and_the_others_pass(site: CountedSite) -> None:
    forged = alpha(DAY, FAR, 50_000, 1_200_000_000)
    measured(site, DAY, alpha(DAY, 1, 40_000), alpha(DAY, 2, 45_000), forged, *ordinary(DAY))
    assert site.pairs(DAY) == {prefix_pair(1), prefix_pair(2)}
    assert reach_outcome(site, DAY) == "passed"
    said = site.run("why", "--router", "r1", prefix_pair(FAR).replace(" ", ""), "--day", str(DAY))
    # 30 of 34.2 GB
    assert "set aside for the day: takes 87.7% of the traffic" in said
    assert "reach_pct = 50" in said


def test_each_night_asks_again(site: CountedSite) -> None:
    forged = alpha(DAY, FAR, 50_000, 1_200_000_000)
    measured(site, DAY, alpha(DAY, 1, 40_000), forged, *ordinary(DAY))
    following = DAY + timedelta(days=1)
    measured(site, following, alpha(following, 1, 40_000), alpha(following, FAR, 50_000, 2 * GB))
    assert site.pairs(following) == {prefix_pair(1), prefix_pair(FAR)}
    site.run("stage", "measure", "--day", str(DAY))
    assert site.pairs(DAY) == {prefix_pair(1)}


def test_nothing_is_set_aside_where_all_pass(site: CountedSite) -> None:
    measured(site, DAY, alpha(DAY, 1, 40_000), alpha(DAY, FAR, 50_000, 30 * GB, 60), *ordinary(DAY))
    assert site.pairs(DAY) == {prefix_pair(1), prefix_pair(FAR)}
    assert reach_outcome(site, DAY) == "passed"


def test_a_pinned_pair_stays_and_is_judged(site: CountedSite) -> None:
    pair = prefix_pair(FAR)
    site.day(DAY)
    by = ("--owner", "anna", "--reason", "wanted", "--from-day", str(DAY))
    site.run("override", "pin", "add", pair.replace(" ", ""), "--router", "r1", *by)
    measured(site, DAY, alpha(DAY, 1, 40_000), *ordinary(DAY))
    assert site.pairs(DAY) == {prefix_pair(1), pair}
    assert reach_outcome(site, DAY) == "failed"


def full_minute(day: date, at_s: int, mbytes: int = 750) -> list[FlowRecord]:
    """96 flows of 750 MB in a minute: 9.6 Gbit/s, none of them an alpha flow."""
    one = alpha(day, 0, at_s + 0.1, mbytes * 1_000_000, 59.5)
    return [replace(one, source=(198 << 24) + number, source_port=2000 + number) for number in range(96)]


def beta_peak_pct(site: CountedSite, day: date) -> float:
    with opened(site.folder / "hntes.toml") as context:
        (router,) = context.chosen(["r1"])
        return 100 * beta_peaks_of(context, router, day)["xe-0/0/2"].bps / 10**10


def quiet(day: date) -> list[FlowRecord]:
    return ordinary(day, 300, 60_000_000)


def test_one_full_minute_that_no_other_supports_is_set_aside_by_name(site: CountedSite) -> None:
    for number in range(3):
        day = DAY + timedelta(days=number)
        forged = full_minute(day, 50_400) if number == 1 else []
        measured(site, day, alpha(day, 1, 40_000), *quiet(day), *forged)
        assert beta_peak_pct(site, day) < 10, day
    advice = site.run("router", "queue-advice", "--router", "r1", "--day", str(DAY + timedelta(days=2)))
    assert "one minute of xe-0/0/2 is set aside" in advice
    assert f"at {DAY + timedelta(days=1)} 14:00 UTC" in advice


def test_a_port_that_is_full_on_two_days_counts_until_an_operator_sets_the_minutes_aside(site: CountedSite) -> None:
    for number in range(3):
        day = DAY + timedelta(days=number)
        measured(site, day, alpha(day, 1, 40_000), *quiet(day), *(full_minute(day, 50_400) if number else []))
    last = DAY + timedelta(days=2)
    assert beta_peak_pct(site, last) > 90
    by = ("--router", "r1", "--owner", "anna", "--reason", "forged records")
    site.run("override", "minute", "xe-0/0/2", f"{last}T14:00Z", *by)
    # the other day's minute now stands alone
    assert beta_peak_pct(site, last) < 10
    (event,) = json.loads(site.run("audit", "--kind", "set_aside", "--json"))
    assert (event["who"], event["note"], event["detail"]) == (
        "anna", "forged records", f"xe-0/0/2 at {last} 14:00 UTC",
    )  # fmt: skip
    site.run("stage", "measure", "--day", str(last))
    assert beta_peak_pct(site, last) < 10
    with opened(site.folder / "hntes.toml") as context, reading(context.database) as session:
        assert [each.reason for each in set_aside(session, "r1", last, "minute")] == ["forged records"]


def test_a_port_that_is_busy_for_hours_is_full(site: CountedSite) -> None:
    busy = [each for minute in range(10) for each in full_minute(DAY, 50_400 + 60 * minute)]
    measured(site, DAY, alpha(DAY, 1, 40_000), *quiet(DAY), *busy)
    assert beta_peak_pct(site, DAY) > 90
