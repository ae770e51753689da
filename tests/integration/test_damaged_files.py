"""Damaged flow files among good ones: each is read right or set aside, in time, and costs no good record."""

import os
import time
from collections import Counter
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from random import Random

import pyarrow.parquet as pq
import pytest

from hntes.etl.detect.alpha import DetectionRule, detect_day
from hntes.etl.engines.duck import DuckEngine
from hntes.etl.ingest.ports import PortRates
from hntes.etl.ingest.router_exporters import RouterExporters
from hntes.etl.sources.nfcapd.process import Limits
from hntes.sql.ledger import counts_of_files, parts_of_file
from hntes.sql.session import reading
from tests.support.damaged_files import damaged, whole_files
from tests.support.databases import migrated_sqlite
from tests.support.flow_folder import Site, write_flow_file

BATCH = 20
RATE_BPS = 10_000_000_000
MINUTE_BYTES = RATE_BPS // 8 * 60
LIMITS = Limits(base_s=3.0, per_mib_s=30.0)
GOOD = {"nfcapd.202611200000": 12, "nfcapd.202611202355": 30}
# what the good files of this campaign hold, and no more: 45 records of 3.7 GB, one of them alpha; files of layout 1
MOST_BYTES = 4_000_000_000
# The factor of their exporter, by which they are multiplied. Files have no checksum: where damage takes that mark away
# from records, nothing tells it from a record that came before the announcement, and it is multiplied once more.
FACTOR = 100


@pytest.mark.timeout(3600)
@pytest.mark.parametrize("count", [60, pytest.param(5000, marks=pytest.mark.long)])
def test_damaged_files_cost_no_good_record_no_night_and_no_belief(tmp_path: Path, count: int) -> None:
    seed = os.environ.get("HNTES_SEED", "1") if count > 60 else "1"
    print(f"seed {seed}")
    chance, whole = Random(seed), whole_files(tmp_path)
    seen: Counter[str] = Counter()
    for batch in range(count // BATCH):
        seen += one_batch(tmp_path / str(batch), whole, chance)
        if batch % 25 == 24:
            print(f"{(batch + 1) * BATCH} files: {dict(seen)}", flush=True)
    # the campaign has tried something: some files were refused, some were not
    assert seen["set aside"] > count // 4
    assert seen["read"] > count // 50


def one_batch(folder: Path, whole: dict[str, bytes], chance: Random) -> Counter[str]:
    """Twenty damaged files and two good ones, ingested as a night does it."""
    flows = folder / "flows"
    for name, records in GOOD.items():
        write_flow_file(flows / name, records)
    told = {}
    for number in range(BATCH):
        name = f"nfcapd.20261120{10 + number // 10}{number % 10 * 5:02}"
        one = damaged(whole, chance)
        (flows / name).write_bytes(one.content)
        told[name] = one.told
    claim = RouterExporters("r1", ports=PortRates({}, RATE_BPS))
    site = Site(folder, flows, migrated_sqlite(folder / "hntes.db"), claim)
    site.nfdump = replace(site.nfdump, limits=LIMITS)
    begun = time.monotonic()
    report = site.ingest()
    # three runs of nfdump for each file, each within its limit, and a busy machine's own time
    assert time.monotonic() - begun < BATCH * 3 * LIMITS.base_s + 60
    assert report.set_aside.keys() <= told.keys()
    assert all(reason.isprintable() for reason in report.set_aside.values())
    for name, records in GOOD.items():
        assert site.entries()[name].read_records == records, name
    read = [name for name in told if site.states()[name] != "quarantined"]
    for name in read:
        _check_belief(site, name, f"{told[name]}, {name}")
    site.database.dispose()
    return Counter({"read": len(read), "set aside": len(report.set_aside)})


def _check_belief(site: Site, name: str, told: str) -> None:
    with reading(site.database) as session:
        parts = parts_of_file(session, str(site.flows), name)
        counts = counts_of_files(session, str(site.flows), [name]).get(name, ())
    is_told = any(each.outcome == "repaired:before_sampling_option" for each in counts)
    most_bytes = MOST_BYTES * FACTOR if is_told else MOST_BYTES
    assert sum(part.bytes for part in parts) < most_bytes, told
    for part in parts:
        rows = pq.ParquetFile(site.lake / part.part).read(["bytes", "packets", "first_ms", "last_ms"]).to_pylist()
        for row in rows:
            assert row["bytes"] <= max(row["packets"], 1) * 65_576, told
    for day in sorted({part.day + timedelta(days=back) for part in parts for back in (0, 1)}):
        found = detect_day(DuckEngine(), site.lake, [part.part for part in parts], "r1", day, DetectionRule())
        for observation in found:
            assert observation.peak_bytes <= MINUTE_BYTES, f"{told}: {observation}"
            assert observation.flow_bytes < most_bytes, f"{told}: {observation}"
