"""Which exporters' records a router's day misses, by the ledger of the days before."""

from collections.abc import Iterator, Mapping
from datetime import date, timedelta
from pathlib import Path

import pytest
from sqlalchemy import Engine

from hntes.etl.days import day_bounds_ms
from hntes.etl.detect.completeness import DayRules, SettledDay, settle_day
from hntes.etl.ingest.exports import EXPORT_PACKETS, SEQUENCE_FAILURES
from hntes.sql import day_status
from hntes.sql.engine import open_database
from hntes.sql.entries import DayLoss, ExporterCount, FileEntry, FilePart, OutcomeCount, SamplingEntry
from hntes.sql.ledger import replace_file
from hntes.sql.session import reading, transaction

pytestmark = pytest.mark.second_database_long

FOLDER, DAY = Path("/flows"), date(2026, 11, 20)
MINE, OTHER, NEW = "192.0.2.1", "192.0.2.2", "192.0.2.3"
UNSAMPLED = ("assumed_unsampled", 1)


@pytest.fixture
def store(database_url: str) -> Iterator[Engine]:
    engine = open_database(database_url)
    yield engine
    engine.dispose()


def put(
    store: Engine,
    days_back: int,
    kept: Mapping[str, int],
    lost: Mapping[tuple[str, str], int] | None = None,
    *,
    source: tuple[str, int] = UNSAMPLED,
) -> None:
    """A file of a whole day: records by exporter, and lost ones by exporter and outcome; 100 bytes each."""
    day = DAY - timedelta(days=days_back)
    start_ms, _ = day_bounds_ms(day)
    file = FileEntry(
        folder=str(FOLDER), path=f"nfcapd.{day:%Y%m%d}0000", sha256=str(day), size_bytes=1, file_start_ms=start_ms,
        ingest_hash="h", state="ingested", reason="", file_layout=2, nfdump_version="1.7.1", promised_records=1,
        read_records=1,
    )  # fmt: skip
    total = sum(kept.values())
    exporters = [
        ExporterCount("" if outcome == "unclaimed" else "r1", exporter, outcome, n, 100 * n)
        for (exporter, outcome), n in (lost or {}).items()
    ]
    evidence = [SamplingEntry(exporter, source[1], source[0], n, 100 * n) for exporter, n in kept.items()]
    with transaction(store) as session:
        counts = [OutcomeCount("r1", "kept", total, 100 * total)]
        replace_file(session, file, counts, [FilePart("r1", day, f"flows/{day}", total, 1)], evidence, exporters)


def settled(store: Engine, exporters: frozenset[str] = frozenset({MINE, OTHER}), **rules: object) -> SettledDay:
    with reading(store) as session:
        return settle_day(
            session, "r1", FOLDER, DAY, DayRules(0.96, rotation_s=86_400, exporters=exporters, **rules)
        )  # fmt: skip


def counting(found: SettledDay) -> set[tuple[str, str]]:
    return {(loss.exporter, loss.cause) for loss in found.losses if loss.counts and loss.exporter}


def former_days(store: Engine, kept: Mapping[str, int], days: int = 5, source: tuple[str, int] = UNSAMPLED) -> None:
    for back in range(1, days + 1):
        put(store, back, kept, source=source)


def test_a_day_of_which_nearly_all_was_set_aside_is_not_complete(store: Engine) -> None:
    put(store, 0, {MINE: 20}, {(MINE, "set_aside:no_address"): 380})
    found = settled(store)
    assert (found.status.complete, found.status.covered_s) == (False, 86_400)
    assert counting(found) == {(MINE, "no_address")}
    assert {(one.whole_records, one.seen_s) for one in found.losses} == {(400, 4320)}
    accepted = settled(store, accepted_losses=frozenset({"no_address"}))
    assert (accepted.status.complete, counting(accepted)) == (True, set())


def test_one_exporter_of_which_all_was_set_aside(store: Engine) -> None:
    former_days(store, {MINE: 100_000, OTHER: 500})
    put(store, 0, {MINE: 100_000}, {(OTHER, "set_aside:no_time"): 500})
    assert counting(settled(store)) == {(OTHER, "no_time")}
    # an open router knows it by the days before, and another sender not
    assert counting(settled(store, frozenset())) == {(OTHER, "no_time")}
    put(store, 0, {MINE: 100_000, OTHER: 500}, {(NEW, "set_aside:no_time"): 500})
    assert settled(store, frozenset()).status.complete


def test_an_unclaimed_exporter_beside_a_router_that_sends_as_usual_is_not_missed(store: Engine) -> None:
    """It may be a router without HNTES, or a forger."""
    former_days(store, {MINE: 1000})
    put(store, 0, {MINE: 900}, {(NEW, "unclaimed"): 9000})
    found = settled(store)
    assert (found.status.complete, counting(found)) == (True, set())
    assert [(one.exporter, one.records) for one in found.losses if one.exporter] == [(NEW, 9000)]


@pytest.mark.parametrize(
    ("former", "days", "kept"),
    [
        ({MINE: 1000}, 2, {MINE: 1000}),  # too few days to know what is usual
        ({MINE: 1000}, 5, {MINE: 499}),  # the router sent less than half
        ({MINE: 1000, NEW: 100}, 5, {MINE: 1000}),  # it was accepted before: it is missing in the settings
    ],
)
def test_an_unclaimed_exporter_that_may_be_the_routers_is_missed(
    store: Engine, former: dict[str, int], days: int, kept: dict[str, int]
) -> None:
    former_days(store, former, days)
    put(store, 0, kept, {(NEW, "unclaimed"): 100})
    found = settled(store)
    assert (found.status.complete, counting(found)) == (False, {(NEW, "unclaimed")})


def test_a_sampling_exporter_whose_records_all_come_unsampled_is_doubted(store: Engine) -> None:
    former_days(store, {MINE: 1000, OTHER: 1000}, source=("collector", 1000))
    put(store, 0, {MINE: 1000})
    assert counting(settled(store)) == {(MINE, "unannounced")}
    put(store, 0, {MINE: 1000}, source=("collector", 1000))
    assert settled(store).losses == ()
    # a factor that the settings name is no doubt
    put(store, 0, {MINE: 1000}, source=("settings", 1))
    assert settled(store).losses == ()


def test_an_exporter_that_never_sampled_is_not_doubted(store: Engine) -> None:
    former_days(store, {MINE: 1000})
    put(store, 0, {MINE: 1000})
    assert settled(store).losses == ()


def test_losses_are_stored_with_their_day_and_replaced_with_it(store: Engine) -> None:
    put(store, 0, {MINE: 20}, {(MINE, "set_aside:no_address"): 380})
    found = settled(store)
    before = DayLoss("r1", DAY - timedelta(days=1), MINE, "no_time", 1, 1, 2, 2, 3, False)
    with transaction(store) as session:
        yesterday = SettledDay(found.status, (before,), found.known)
        day_status.replace_day_status(session, found.status, found.losses)
        assert set(day_status.day_losses(session, "r1", DAY)) == set(found.losses)
        day_status.replace_day_status(session, found.status, yesterday.losses[:0])
        assert day_status.day_losses(session, "r1", DAY) == ()


def exported(exporter: str, packets: int, jumps: int) -> dict[tuple[str, str], int]:
    return {(exporter, EXPORT_PACKETS): packets, (exporter, SEQUENCE_FAILURES): jumps}


@pytest.mark.parametrize(("jumps", "complete"), [(4, True), (5, False)])
def test_of_an_exporter_that_lost_packets_as_many_records_are_missing(
    store: Engine, jumps: int, complete: bool
) -> None:
    """96 packets of 10 records: with 4 more that were lost 96 % of the day was seen."""
    put(store, 0, {MINE: 960}, exported(MINE, 96, jumps))
    found = settled(store)
    assert found.status.complete == complete
    (loss,) = [one for one in found.losses if one.exporter]
    assert (loss.cause, loss.records, loss.bytes) == ("lost_exports", 10 * jumps, 1000 * jumps)
    assert (loss.whole_records, loss.counts) == (960 + 10 * jumps, not complete)
    assert settled(store, accepted_losses=frozenset({"lost_exports"})).status.complete


def test_one_exporter_that_loses_its_packets_is_a_gap_beside_others_that_do_not(store: Engine) -> None:
    former_days(store, {MINE: 100_000, OTHER: 500})
    put(store, 0, {MINE: 100_000, OTHER: 500}, exported(OTHER, 50, 10))
    assert counting(settled(store)) == {(OTHER, "lost_exports")}
    assert counting(settled(store, frozenset())) == {(OTHER, "lost_exports")}


def test_a_stranger_whose_sequence_numbers_jump_takes_nothing_from_the_day(store: Engine) -> None:
    """120 datagrams of one record each froze the ageing of all routers of the folder for as long as they came."""
    former_days(store, {MINE: 20_000})
    put(store, 0, {MINE: 20_000, NEW: 120}, exported(NEW, 240, 119))
    assert settled(store).status.complete
    assert settled(store, frozenset()).status.complete


def test_an_exporter_that_does_not_count_packets_is_named(store: Engine) -> None:
    put(store, 0, {MINE: 20_000}, exported(MINE, 1000, 501))
    found = settled(store)
    assert (found.status.complete, found.losses) == (True, ())
    assert f"exporter {MINE}: sequence numbers jumped 501 times in 1000 packets" in found.status.reason
