"""Seconds and memory of a back-test over a year: 500 different pairs a day on each of 20 routers, from the database.

Hosts hardly ever return, which is the most that a fold can have to hold: 182,500 pairs a router. One router's year is
stored and read 20 times; the file of all 20 would take longer to write than the back-test takes.
"""

import gc
import resource
import tempfile
import time
from datetime import date, timedelta
from ipaddress import IPv4Address
from pathlib import Path

from sqlalchemy.orm import Session

from hntes.rules.backtest.backtest import Past, Variant, sweep, together
from hntes.rules.backtest.fold import Policy
from hntes.rules.backtest.known_pairs import PrefixLengths
from hntes.rules.backtest.observed import Observed
from hntes.sql.engine import open_database, upgrade
from hntes.sql.observations import replace_day, seen_flows
from hntes.sql.session import reading, transaction
from tests.support.entries import observation

FIRST = date(2025, 1, 1)
DAYS, PAIRS_PER_DAY, ROUTERS = 365, 500, 20
WIDE = PrefixLengths((24, 24), (64, 64))


def main() -> None:
    """Both readings, with room for all rules and with a budget that overflows every evening."""
    gc.set_threshold(50_000)  # as the command line does
    with tempfile.TemporaryDirectory() as folder:
        database = open_database(f"sqlite:///{Path(folder) / 'hntes.db'}")
        upgrade(database)
        with transaction(database) as session:
            for number in range(DAYS):
                _store(session, number)
        for term_budget in (20_000, 2000):
            begin = time.perf_counter(), time.process_time()
            found = []
            for number in range(ROUTERS):
                with reading(database) as session:
                    flows = seen_flows(session, "r1", FIRST + timedelta(days=DAYS))
                days = tuple(FIRST + timedelta(days=each) for each in range(DAYS))
                past = Past(f"r{number}", Observed.of(flows), days, (), ())
                policy = Policy(WIDE, 30, "second_sighting", term_budget)
                found.append(sweep([Variant(policy)], past, days[0], days[-1]))
            total, _ = (together(of_reading) for of_reading in zip(*found, strict=True))
            wall, cpu = time.perf_counter() - begin[0], time.process_time() - begin[1]
            peak_mib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
            print(
                f"budget {term_budget:>6,}: {wall:6.1f} s, {cpu:6.1f} CPU s, {peak_mib:,.0f} MiB; "
                f"{int(total.flows.sum()):,} flows, {int(total.terms[-1]):,} terms on the last day"
            )


def _store(session: Session, number: int) -> None:
    day = FIRST + timedelta(days=number)
    rows = []
    for each in range(PAIRS_PER_DAY):
        pair = number * PAIRS_PER_DAY + each
        source, destination = IPv4Address((10 << 24) + (pair << 8) + 7), IPv4Address((172 << 24) + (pair << 5) + 9)
        rows.append(
            observation(
                day=day, flow_id=f"{source} {each} > {destination} 2811 / 6", source=str(source),
                destination=str(destination), flow_bytes=10**9 + pair, peak_sd_bytes=0,
            )
        )  # fmt: skip
    replace_day(session, "r1", day, rows)


if __name__ == "__main__":
    main()
