"""Real transfers seen by real exporters: what iperf3 sent decides what must be found on which router, and what not."""

from collections.abc import Iterable, Iterator
from datetime import UTC, date, datetime
from ipaddress import ip_network
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from hntes.etl.detect.alpha import DetectionRule, detect_day
from hntes.etl.engines.duck import DuckEngine
from hntes.etl.ingest.router_exporters import RouterExporters
from hntes.etl.ingest.run import FolderPlan, IngestReport, ingest_folder
from hntes.etl.measure.interface_load import measure_day
from hntes.etl.sources.nfcapd.probe import probe
from hntes.sql.entries import ObservationEntry
from hntes.sql.ledger import SAMPLING_EVIDENCE, files_of_folder, parts_between
from hntes.sql.session import reading
from tests.support.databases import opened
from tests.support.nfcapd import by_nfdump
from tests.support.state import State, state_of
from tests.support.transfers import Meter, Run, Transfer, load_run, pair_peaks, recorded

THRESHOLD = 10**9


class Site:
    """One collector's files of one run, ingested as its settings should be."""

    def __init__(self, run: Run, collector: str, folder: Path) -> None:
        self.run = run
        self.meters = run.of_collector(collector)
        self.lake = folder / "lake"
        self.url = f"sqlite:///{folder / 'hntes.db'}"
        self.database = opened(self.url)
        self.plans = plans(run, collector, self.meters)
        self._found: dict[tuple[Meter, DetectionRule], list[ObservationEntry]] = {}
        self._rows: dict[Meter, list[dict[str, Any]]] = {}

    def ingest(self) -> list[IngestReport]:
        nfdump = probe("nfdump")
        return [ingest_folder(self.database, by_nfdump(nfdump), self.lake, plan) for plan in self.plans]

    def state(self) -> State:
        return state_of(self.url, self.lake)

    def parts(self, meter: Meter) -> list[str]:
        with reading(self.database) as session:
            return [part.part for part in parts_between(session, meter.router, 0, 1 << 62)]

    def found(self, meter: Meter, rule: DetectionRule) -> list[ObservationEntry]:
        if (meter, rule) not in self._found:
            engine, parts = DuckEngine(), self.parts(meter)
            days = (detect_day(engine, self.lake, parts, meter.router, day, rule) for day in self.days())
            self._found[meter, rule] = [one for day in days for one in day]
        return self._found[meter, rule]

    def days(self) -> list[date]:
        moments = {t.start_s + n for t in self.run.transfers for n in range(len(t.bytes_by_second) + 1)}
        return sorted({datetime.fromtimestamp(moment, UTC).date() for moment in moments})

    def counted(self, meter: Meter, transfer: Transfer) -> tuple[int, int]:
        """Records and bytes in the lake of a transfer's five-tuples."""
        if meter not in self._rows:
            query = "select src_port, dst_port, protocol, count(*) as n, sum(bytes) as total from flows group by all"
            self._rows[meter] = DuckEngine().run(query, self.lake, self.parts(meter)).to_pylist()
        wanted = {(a, b, transfer.protocol) for a, b in transfer.ports}
        rows = [r for r in self._rows[meter] if (r["src_port"], r["dst_port"], r["protocol"]) in wanted]
        return sum(row["n"] for row in rows), int(sum(row["total"] for row in rows))


def plans(run: Run, collector: str, meters: list[Meter]) -> list[FolderPlan]:
    """One folder a router, or one for all: then each names its exporter, and the rate where the files do not tell."""
    folder = run.folder / collector
    if all((folder / meter.router).is_dir() for meter in meters):
        return [FolderPlan(folder / meter.router, (RouterExporters(meter.router),)) for meter in meters]
    claims = []
    for meter in meters:
        failed_notices = meter.rate > 1 and not meter.multiplied_by_collector
        sampling = {meter.address: meter.rate} if failed_notices else {}
        claims.append(RouterExporters(meter.router, frozenset({meter.address}), sampling))
    return [FolderPlan(folder, tuple(claims))]


# without shared data one test stands for all and is skipped
RECORDED: list[tuple[str, str] | None] = [*recorded()]


@pytest.fixture(scope="module", params=RECORDED or [None], ids=lambda site: "-".join(site) if site else "none")
def site(request: pytest.FixtureRequest, shared_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    assert request.param is not None, "there are no recorded runs in the shared data"
    run = load_run(shared_data / "transfers" / request.param[0])
    made = Site(run, request.param[1], tmp_path_factory.mktemp("site"))
    reports = made.ingest()
    assert [report.set_aside for report in reports] == [{}] * len(reports)
    yield made
    made.database.dispose()


def check_found(meter: Meter, peaks: dict[object, int], found: dict[object, ObservationEntry]) -> None:
    """Peaks are payload bytes in the fullest window, by flow key, of the flows that the meter could see."""
    for key, peak in peaks.items():
        least, most = meter.bounds(peak)
        if least > THRESHOLD:
            assert key in found, f"{meter.router} ({meter.collector}): {key} sent {peak} bytes and was not found"
        elif most <= THRESHOLD:
            assert key not in found, f"{meter.router} ({meter.collector}): {key} sent only {peak} bytes"
        elif key in found and not meter.overcounts:
            assert meter.rate > 1, f"{key} is too near the threshold for this test"
            assert found[key].borderline, f"{key}: {found[key].peak_bytes} is within the error of sampling, unsaid"
    assert set(found) <= set(peaks), f"{meter.router}: nobody sent {set(found) - set(peaks)}"


def seen(run: Run, meter: Meter) -> list[Transfer]:
    return [transfer for transfer in run.transfers if meter.sees(transfer)]


def by_five_tuple(found: Iterable[ObservationEntry]) -> dict[object, ObservationEntry]:
    return {(o.source, o.source_port, o.destination, o.destination_port, o.protocol): o for o in found}


def test_exactly_the_streams_above_the_threshold_are_found(site: Site) -> None:
    for meter in site.meters:
        peaks: dict[object, int] = {
            key: transfer.stream_peak_bytes for transfer in seen(site.run, meter) for key in transfer.five_tuples
        }
        check_found(meter, peaks, by_five_tuple(site.found(meter, DetectionRule())))


def test_exactly_the_host_pairs_above_the_threshold_are_found(site: Site) -> None:
    for meter in site.meters:
        found = {(o.source, o.destination): o for o in site.found(meter, DetectionRule(flow_key="host_pair"))}
        check_found(meter, dict(pair_peaks(seen(site.run, meter))), dict(found))


def test_some_streams_are_found_and_some_are_not(site: Site) -> None:
    """Without this the tests above could be true of nothing."""
    for meter in site.meters:
        found = by_five_tuple(site.found(meter, DetectionRule()))
        assert found
        assert len(found) < sum(len(transfer.five_tuples) for transfer in seen(site.run, meter))


def test_a_peak_is_what_was_sent_in_the_fullest_minute(site: Site) -> None:
    for meter in site.meters:
        found = by_five_tuple(site.found(meter, DetectionRule()))
        for transfer in seen(site.run, meter):
            for key in transfer.five_tuples & set(found):
                least, most = meter.bounds(transfer.stream_peak_bytes)
                # records are up to a second off, which moves a second's bytes out of the fullest minute
                assert least * (1 - 1 / 60) <= found[key].peak_bytes <= most, (transfer.name, meter)


def test_a_transfers_bytes_are_those_that_were_sent(site: Site) -> None:
    for meter in site.meters:
        for transfer in seen(site.run, meter):
            _, counted = site.counted(meter, transfer)
            least, most = meter.bounds(transfer.payload_bytes)
            assert least <= counted <= most, (transfer.name, meter, counted / transfer.payload_bytes)


def test_the_lake_holds_what_others_counted_in_the_files(site: Site) -> None:
    for meter in site.meters:
        multiply = meter.rate if meter.rate > 1 and not meter.multiplied_by_collector else 1
        elsewhere = site.run.counted_elsewhere(meter)
        assert set(elsewhere) == {transfer.name for transfer in seen(site.run, meter)}
        for transfer in seen(site.run, meter):
            records, byte_count = elsewhere[transfer.name]
            assert site.counted(meter, transfer) == (records, byte_count * multiply), (transfer.name, meter)


def test_each_exporters_sampling_is_known_and_said(site: Site) -> None:
    for plan in site.plans:
        with reading(site.database) as session:
            of_folder = select(SAMPLING_EVIDENCE).where(SAMPLING_EVIDENCE.c.folder == str(plan.folder))
            said = {(one.exporter, one.factor, one.source) for one in session.execute(of_folder)}
        routers = {claim.router for claim in plan.claims}
        wanted = set()
        for meter in site.meters:
            if meter.router in routers:
                source = "collector" if meter.multiplied_by_collector else "settings"
                wanted.add((meter.address, meter.rate, source if meter.rate > 1 else "assumed_unsampled"))
        assert said == wanted


def test_unsampled_estimates_have_no_error_and_sampled_ones_have(site: Site) -> None:
    for meter in site.meters:
        for one in site.found(meter, DetectionRule()):
            assert one.sampling_factor == meter.rate
            assert (one.peak_sd_bytes == 0) == (meter.rate == 1)


def test_the_same_files_again_change_nothing(site: Site) -> None:
    before = site.state()
    reports = site.ingest()
    assert sum(report.ingested + report.duplicates for report in reports) == 0
    assert sum(report.unchanged for report in reports) == sum(report.files for report in reports)
    assert site.state() == before
    with reading(site.database) as session:
        entries = [entry for plan in site.plans for entry in files_of_folder(session, str(plan.folder))]
    assert {entry.state for entry in entries} == {"ingested"}
    assert all(entry.read_records == entry.promised_records for entry in entries)


def test_beta_load_is_what_no_alpha_pair_carries(site: Site) -> None:
    """The hosts of alpha flows taken out, the other transfers are in the beta load, and nothing is lost."""
    for meter in site.meters:
        hosts = {(one.source, one.destination) for one in site.found(meter, DetectionRule())}
        pairs = [(ip_network(source), ip_network(destination)) for source, destination in hosts]
        alpha = beta = 0
        for day in site.days():
            measured, loads, _ = measure_day(DuckEngine(), site.lake, site.parts(meter), meter.router, day, pairs)
            assert measured.repeated_bytes == 0
            alpha += sum(load.alpha_bytes for load in loads)
            beta += sum(load.beta_bytes for load in loads)
        matched = [transfer for transfer in seen(site.run, meter) if (transfer.source, transfer.destination) in hosts]
        others = [transfer for transfer in seen(site.run, meter) if transfer not in matched]
        assert matched
        # acknowledgements and small traffic that nobody wrote down go beside both
        sent = [sum(site.counted(meter, transfer)[1] for transfer in transfers) for transfers in (matched, others)]
        assert sent[0] <= alpha, meter
        assert sent[1] <= beta, meter
        lake = DuckEngine().run("select cast(sum(bytes) as bigint) as n from flows", site.lake, site.parts(meter))
        assert alpha + beta == lake["n"][0].as_py()
