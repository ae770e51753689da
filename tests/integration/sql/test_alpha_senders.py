"""How many hosts that sent alpha flows showed ECN, counted from observations that are written down here."""

from datetime import date, timedelta

from sqlalchemy import Engine

from hntes.sql import observations
from hntes.sql.alpha_senders import AlphaSenders, alpha_senders
from hntes.sql.entries import ObservationEntry
from hntes.sql.session import reading, transaction
from tests.support.entries import observation

FIRST, LAST = date(2026, 3, 1), date(2026, 3, 30)
GB = 10**9


def flow(
    number: int, source: str, ecn_records: int | None, flow_bytes: int = GB, day: date = FIRST
) -> ObservationEntry:
    return observation(
        flow_id=f"f{number}", source=source, ecn_records=ecn_records, flow_bytes=flow_bytes, day=day, implausible=False
    )


def found(store: Engine, *flows: ObservationEntry) -> AlphaSenders:
    with transaction(store) as session:
        for day in {one.day for one in flows}:
            observations.replace_day(session, "r1", day, [one for one in flows if one.day == day])
    with reading(store) as session:
        return alpha_senders(session, "r1", FIRST, LAST)


def test_a_host_counts_once_and_by_any_of_its_flows(store: Engine) -> None:
    senders = found(
        store,
        flow(1, "198.18.0.1", 0, 6 * GB),
        flow(2, "198.18.0.1", 2, 1 * GB, LAST),
        flow(3, "198.18.0.2", 0, 1 * GB),
        flow(4, "198.18.0.2", None, 9 * GB),
        flow(5, "198.18.0.3", None, 9 * GB),
    )
    assert senders == AlphaSenders("r1", FIRST, LAST, 2, 1, 1, 8.0 * GB, 1.0 * GB)
    assert senders.ecn_bytes_share == 1 / 8


def test_other_days_other_routers_and_flows_that_cannot_be_true_count_nothing(store: Engine) -> None:
    forged = observation(flow_id="f9", source="198.18.0.9", ecn_records=1, implausible=True)
    other = observation(router="r2", source="198.18.0.8", ecn_records=1)
    with transaction(store) as session:
        observations.replace_day(session, "r2", FIRST, [other])
    outside = [flow(1, "198.18.0.1", 1, day=FIRST - timedelta(days=1)), flow(2, "198.18.0.2", 1, day=date(2026, 3, 31))]
    senders = found(store, forged, *outside)
    assert senders == AlphaSenders("r1", FIRST, LAST, 0, 0, 0, 0.0, 0.0)
    assert senders.ecn_bytes_share is None


def test_counters_that_add_up_to_more_than_64_bits_are_no_error(store: Engine) -> None:
    senders = found(store, *(flow(number, "198.18.0.1", 1, 2**62) for number in range(4)))
    assert (senders.known_bytes, senders.ecn_bytes_share) == (2.0**64, 1.0)
