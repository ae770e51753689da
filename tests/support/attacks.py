"""What forged datagrams among true ones change: each attack through a real nfcapd, one line about it.

    python -m tests.support.attacks [NAME ...]

The attacks come in the name of a true exporter that every router lists, as a forged source address would.
"""

import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from etl.detect.alpha import DetectionRule, detect_day
from etl.engines.duck import DuckEngine
from etl.ingest.decode import Claim
from etl.ingest.plausibility import PortRates
from etl.measure.interface_load import measure_day
from tests.support.databases import migrated_sqlite
from tests.support.flow_folder import Site
from tests.support.forger import (
    EXPORTED_S,
    OUTPUT,
    Collector,
    Sent,
    alpha_flow,
    collecting,
    ipfix,
    ipfix_sampling_option,
    spread_out,
    v5,
    v9,
    v9_sampling_option,
)

RATE_BPS = 10_000_000_000
PORTS = PortRates({501: RATE_BPS, OUTPUT: RATE_BPS}, RATE_BPS)
EXPORTER = "127.0.0.1"
TODAY = datetime.fromtimestamp(EXPORTED_S, UTC).date()
TRUE_PAIRS = 200
Attack = Callable[[Collector], object]


def one_packet(collector: Collector) -> None:
    """One v5 datagram of 72 bytes: 4.2 GB without a duration."""
    collector.send(v5([Sent("10.66.0.1", "10.66.0.2", 4_200_000_000, 2_800_000, duration_ms=0)]), EXPORTER)


def sampling_header(collector: Collector) -> None:
    """One v5 datagram whose header makes 65 kB stand for 1.07 GB."""
    forged = Sent("10.66.0.1", "10.66.0.2", 65_500, 1, duration_ms=0)
    collector.send(v5([forged], engine=9, sampling_header=0x4000 | 16_383), EXPORTER)


def sampling_options(collector: Collector) -> None:
    """Options that make nfcapd multiply 2,000 small true flows of v9 and IPFIX by a million."""
    small = spread_out(Sent("", "", 1500, 1, duration_ms=0), 1000)
    for option, export, domain in ((v9_sampling_option, v9, 7), (ipfix_sampling_option, ipfix, 8)):
        collector.send(option(1_000_000, domain), EXPORTER)
        collector.send(export(small, domain), EXPORTER)


def many_pairs(collector: Collector) -> None:
    """2,000 pairs of 1.1 GB in ten seconds each: every record can be true of a port of 10 Gb/s."""
    collector.send(v5(spread_out(Sent("", "", 1_100_000_000, 733_333, duration_ms=10_000), 2000)), EXPORTER)


def overfilled_minute(collector: Collector) -> None:
    """Four datagrams, 120 records of 0.75 GB within one minute out of one port."""
    flood = [
        Sent("10.66.1.1", "10.66.2.1", 750_000_000, 500_000, duration_ms=1000, age_ms=90_000, source_port=1000 + n)
        for n in range(120)
    ]
    collector.send(v5(flood), EXPORTER)


def many_keys(collector: Collector) -> None:
    """60,000 pairs in 2,000 datagrams, each just above the threshold: time."""
    collector.send(v5(spread_out(Sent("", "", 1_100_000_000, 733_333, duration_ms=10_000), 60_000)), EXPORTER)


ATTACKS: dict[str, Attack] = {
    each.__name__: each
    for each in (one_packet, sampling_header, sampling_options, many_pairs, overfilled_minute, many_keys)
}


def report(name: str, folder: Path) -> str:
    """One attack among 200 true alpha flows, and what a night makes of it."""
    flows = folder / "flows"
    flows.mkdir(parents=True)
    # forty a minute: as many as the port carries
    true = [replace(alpha_flow(n), age_ms=2_000 + n // 40 * 60_000) for n in range(TRUE_PAIRS)]
    with collecting(flows / f"nfcapd.{TODAY:%Y%m%d}0000") as collector:
        _send(collector, true)
    with collecting(flows / f"nfcapd.{TODAY:%Y%m%d}0015") as collector:
        _send(collector, [alpha_flow(0, 1500)])
        ATTACKS[name](collector)
    claim = Claim("r1", exporters=frozenset({EXPORTER}), ports=PORTS)
    site = Site(folder, flows, migrated_sqlite(folder / "hntes.db"), claim)
    told = site.ingest()
    begun = time.monotonic()
    found = detect_day(DuckEngine(), site.lake, site.parts(), "r1", TODAY, DetectionRule())
    detected_s = time.monotonic() - begun
    _, loads = measure_day(DuckEngine(), site.lake, site.parts(), "r1", TODAY, [], rates_bps=PORTS.by_index)
    site.database.dispose()
    wanted, ids = {flow.flow_id for flow in true}, {one.flow_id for one in found}
    port = next(load for load in loads if load.interface_index == OUTPUT)
    return (
        f"{name}: {len(ids - wanted)} false alpha flows, {len(wanted - ids)} of {len(wanted)} true ones lost; "
        f"{told.outcomes}; peak {port.beta_peak_wire_bytes * 8 / 60e9:.2f} Gb/s, {port.implausible_minutes} minutes "
        f"left out; detection {detected_s:.1f} s"
    )


def _send(collector: Collector, flows: list[Sent]) -> None:
    collector.send(v5(flows), EXPORTER)
    collector.send(v9([alpha_flow(900, 1500)], 7), EXPORTER)
    collector.send(ipfix([alpha_flow(901, 1500)], 8), EXPORTER)


def main() -> None:
    """Prints a line for each attack that is named, or for all."""
    for name in sys.argv[1:] or ATTACKS:
        with tempfile.TemporaryDirectory() as folder:
            print(report(name, Path(folder)), flush=True)


if __name__ == "__main__":
    main()
