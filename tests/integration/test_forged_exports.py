"""Real datagrams to a real nfcapd: what forged ones among true alpha flows can and cannot change.

NetFlow has no signatures, so every datagram here comes from the address of a true exporter. The true flows of each case
are known, since the test sends them; the judge is nfdump's list of what it stored.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from hntes.etl.detect.alpha import DetectionRule, detect_day
from hntes.etl.detect.completeness import DayRules, SettledDay, settle_day
from hntes.etl.engines.duck import DuckEngine
from hntes.etl.ingest.ports import PortRates
from hntes.etl.ingest.router_exporters import RouterExporters
from hntes.etl.ingest.run import IngestReport
from hntes.etl.measure.interface_load import measure_day
from hntes.sql.entries import DayEntry, InterfaceLoadEntry
from hntes.sql.session import reading
from tests.support.exports import listed_records
from tests.support.flow_folder import Site, program
from tests.support.forger import (
    EXPORTED_S,
    OUTPUT,
    Collector,
    Sent,
    alpha_flow,
    collecting,
    ipfix,
    ipfix_sampling_option,
    v5,
    v9,
    v9_sampling_option,
)

pytestmark = pytest.mark.second_database_long

RATE_BPS = 10_000_000_000
PORTS = PortRates({501: RATE_BPS, OUTPUT: RATE_BPS}, RATE_BPS)
V5, V9, IPFIX = "127.0.0.1", "127.0.0.2", "127.0.0.3"
MINUTE_BYTES = RATE_BPS // 8 * 60
TODAY = datetime.fromtimestamp(EXPORTED_S, UTC).date()
SECOND = f"nfcapd.{TODAY:%Y%m%d}0015"
Attack = Callable[[Collector], object]


@dataclass(frozen=True)
class Heard:
    """A day after its files were ingested."""

    site: Site
    report: IngestReport
    day: date

    @property
    def flow_ids(self) -> set[str]:
        found = detect_day(DuckEngine(), self.site.lake, self.site.parts(), "r1", self.day, DetectionRule())
        return {observation.flow_id for observation in found}

    @property
    def settled(self) -> SettledDay:
        with reading(self.site.database) as session:
            return settle_day(session, "r1", self.site.flows, self.day, DayRules(0.0))

    @property
    def status(self) -> DayEntry:
        return self.settled.status

    def load(self) -> InterfaceLoadEntry:
        _, loads, _ = measure_day(
            DuckEngine(), self.site.lake, self.site.parts(), "r1", self.day, [], rates_bps=PORTS.by_index
        )
        return next(load for load in loads if load.interface_index == OUTPUT)


@pytest.fixture
def site(tmp_path: Path, database_url: str) -> Iterator[Site]:
    """Files of a first quarter of an hour, in which each exporter sent two alpha flows and no forger anything."""
    flows = tmp_path / "flows"
    flows.mkdir()
    with collecting(flows / f"nfcapd.{TODAY:%Y%m%d}0000") as collector:
        _send_true_flows(collector, 0)
    made = Site(tmp_path, flows, database_url, RouterExporters("r1", ports=PORTS))
    assert made.ingest().ingested == 1
    yield made
    made.database.dispose()


def _true_flows(number: int) -> dict[str, list[Sent]]:
    return {V5: [alpha_flow(number), alpha_flow(number + 1)], V9: [alpha_flow(number + 2)],
            IPFIX: [alpha_flow(number + 3)]}  # fmt: skip


def _send_true_flows(collector: Collector, number: int) -> None:
    true = _true_flows(number)
    collector.send(v5(true[V5]), V5)
    collector.send(v9(true[V9]), V9)
    collector.send(ipfix(true[IPFIX]), IPFIX)


def _ids(number: int) -> set[str]:
    return {flow.flow_id for flows in _true_flows(number).values() for flow in flows}


def after(site: Site, attack: Attack) -> Heard:
    """True flows, the attack, true flows once more; then what the day looks like."""
    with collecting(site.flows / SECOND) as collector:
        _send_true_flows(collector, 10)
        attack(collector)
        _send_true_flows(collector, 20)
    return Heard(site, site.ingest(), TODAY)


def test_without_a_forger_the_true_flows_are_the_alpha_flows(site: Site) -> None:
    heard = after(site, lambda _: None)
    assert heard.flow_ids == _ids(0) | _ids(10) | _ids(20)
    assert heard.report.outcomes == {"kept": 8}


def test_a_packet_that_claims_what_its_counters_hold_is_not_believed(site: Site) -> None:
    forged = Sent("10.66.0.1", "10.66.0.2", 4_200_000_000, 2_800_000, duration_ms=0)
    heard = after(site, lambda collector: collector.send(v5([forged]), V5))
    assert heard.flow_ids == _ids(0) | _ids(10) | _ids(20)
    assert heard.report.outcomes == {"kept": 8, "set_aside:faster_than_port": 1}
    assert "1 faster_than_port" in heard.status.reason


def test_a_forged_sampling_header_is_not_believed(site: Site) -> None:
    # one packet of 65 kB that stands for 16,383: 1.07 GB
    forged = Sent("10.66.0.1", "10.66.0.2", 65_500, 1, duration_ms=0)
    heard = after(site, lambda collector: collector.send(v5([forged], engine=9, sampling_header=0x4000 | 16_383), V5))
    stored = listed_records(site.flows / SECOND)
    assert max(record["in_bytes"] for record in stored if record["src4_addr"] == "10.66.0.1") == 65_500 * 16_383
    assert heard.flow_ids == _ids(0) | _ids(10) | _ids(20)
    assert heard.report.outcomes == {"kept": 9, "repaired:sampling_factor": 1}
    assert any("127.0.0.1" in warning and "16383" in warning for warning in heard.report.warnings)


def test_a_forged_sampling_header_in_a_file_that_does_not_name_it_is_not_believed(site: Site) -> None:
    """nfcapd names a sampler in the file in which it learns it, and multiplies in those after it, too."""
    forged = Sent("10.66.0.1", "10.66.0.2", 65_500, 1, duration_ms=0)
    with collecting(site.flows / SECOND) as collector:
        collector.send(v5([forged], engine=9, sampling_header=0x4000 | 16_383), V5)
    nameless = site.with_program(_without_samplers(site))
    report = site.ingest(nfdump=nameless)
    assert report.outcomes == {"set_aside:sampling_changed": 1}


def _without_samplers(site: Site) -> str:
    lines = 'case "$1" in -E) "$REAL" "$@" | grep -v Sampler;; *) exec "$REAL" "$@";; esac'
    return program(site.flows.with_name("nfdump"), lines)


@pytest.mark.parametrize("form", ["v9", "ipfix"])
def test_forged_sampling_options_make_no_alpha_flows(site: Site, form: str) -> None:
    """Small true flows of an exporter that does not sample, after a forged option that says 1 in a million, and the
    alpha flows after them, which nfcapd multiplies, too.
    """
    exporter, option, export = (V9, v9_sampling_option, v9) if form == "v9" else (IPFIX, ipfix_sampling_option, ipfix)
    small = [Sent(f"198.18.200.{n}", f"203.0.113.{n}", 1500, 1, duration_ms=0) for n in range(1, 101)]
    small += [Sent(f"198.18.201.{n}", f"203.0.113.{n}", 15_000, 10, duration_ms=1000) for n in range(1, 101)]

    def attack(collector: Collector) -> None:
        collector.send(option(1_000_000), exporter)
        collector.send(export(small), exporter)

    heard = after(site, attack)
    stored = listed_records(site.flows / SECOND)
    multiplied = [record for record in stored if record["in_bytes"] >= 1_500_000_000 and record.get("sampled")]
    assert len(multiplied) >= 200
    assert heard.flow_ids == _ids(0) | _ids(10) | _ids(20)
    assert heard.report.outcomes["repaired:sampling_factor"] >= 200
    assert heard.report.outcomes.keys() == {"kept", "repaired:sampling_factor"}
    assert any(exporter in warning and "1000000" in warning for warning in heard.report.warnings)
    assert not heard.status.complete
    losses = {(loss.exporter, loss.cause, loss.records) for loss in heard.settled.losses if loss.counts}
    assert (exporter, "sampling_lowered", heard.report.outcomes["repaired:sampling_factor"]) in losses


def test_a_port_that_is_overfilled_for_a_minute_keeps_its_measured_peak(site: Site) -> None:
    """120 records of 0.75 GB: each may be true, together they are 12 Gb/s out of a port of 10 Gb/s."""
    flood = [
        Sent("10.66.1.1", "10.66.2.1", 750_000_000, 500_000, duration_ms=1000, age_ms=90_000, source_port=1000 + n)
        for n in range(120)
    ]
    before = after(site, lambda _: None).load()
    assert 0 < before.beta_peak_wire_bytes < MINUTE_BYTES
    heard = _again(site, lambda collector: collector.send(v5(flood), V5))
    load = heard.load()
    assert heard.report.outcomes == {"kept": 8 + 120}
    assert load.implausible_minutes == 1
    assert load.beta_peak_wire_bytes <= MINUTE_BYTES
    assert heard.flow_ids >= _ids(0) | _ids(10) | _ids(20)


def _again(site: Site, attack: Attack) -> Heard:
    """As `after`, into a later file."""
    with collecting(site.flows / f"nfcapd.{TODAY:%Y%m%d}0030") as collector:
        _send_true_flows(collector, 30)
        attack(collector)
        _send_true_flows(collector, 40)
    return Heard(site, site.ingest(), TODAY)


def test_an_exporter_that_no_router_names_is_not_believed(site: Site) -> None:
    forged = Sent("10.66.0.1", "10.66.0.2", 1_100_000_000, 733_333, duration_ms=10_000)
    site.replan(claims=(RouterExporters("r1", exporters=frozenset({V5, V9, IPFIX}), ports=PORTS),))
    heard = after(site, lambda collector: collector.send(v5([forged]), "127.0.0.66"))
    assert heard.flow_ids == _ids(0) | _ids(10) | _ids(20)
    assert heard.report.outcomes["unclaimed:127.0.0.66"] == 1
