"""Flow files that the nfcapd of each Debian release writes of what routers of several vendors send."""

from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pytest

from hntes.etl.sources.nfcapd.native import NativeFile
from tests.support.distributions import Distribution, distribution
from tests.support.forger import EXPORTED_S, INPUT, OUTPUT, Sent
from tests.support.vendor_exports import VENDORS, VendorExporter

pytestmark = [pytest.mark.long, pytest.mark.timeout(3600)]
RELEASES = ("bullseye", "bookworm", "trixie", "sid")
# bytes and packets that every factor of the vendors divides
FLOWS = [
    Sent(f"198.18.0.{number}", f"203.0.113.{number}", 3_000_000_000 + 2_000_000 * number, 2_000_000 + 2000 * number,
         duration_ms=50_000, age_ms=1000 * number, source_port=40_000 + number)
    for number in range(1, 26)
]  # fmt: skip


@pytest.fixture(scope="module", params=RELEASES)
def collector(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Distribution:
    return distribution(str(request.param), tmp_path_factory.mktemp("root"))


@pytest.mark.parametrize("compression", [(), ("-z",), ("-j",)], ids=["plain", "first", "bzip2"])
@pytest.mark.parametrize("vendor", VENDORS, ids=[vendor.name for vendor in VENDORS])
def test_what_a_router_sent_is_read_natively(
    collector: Distribution, vendor: VendorExporter, compression: tuple[str, ...], tmp_path: Path
) -> None:
    path = tmp_path / f"{vendor.name}-{len(list((collector.root / 'flows').glob('*')))}"
    with collector.collecting(path, compression) as nfcapd:
        nfcapd.send(vendor.datagrams(FLOWS))
    found = pa.Table.from_batches([one.batch() for one in NativeFile(path).batches()]).sort_by("src4").to_pylist()
    listed = collector.summary(path)
    # which announcements of sampling a version understands differs; it stores what it understands multiplied
    is_multiplied = listed["bytes"] == sum(flow.byte_count for flow in FLOWS)
    counted = FLOWS if is_multiplied else [_as_sampled(flow, vendor.factor) for flow in FLOWS]
    assert (listed["flows"], listed["bytes"]) == (len(FLOWS), sum(flow.byte_count for flow in counted))
    assert [_facts(row) for row in found] == [_sent(flow) for flow in counted]
    for row, flow in zip(found, FLOWS, strict=True):
        assert row["last_ms"] == EXPORTED_S * 1000 - flow.age_ms
        assert row["last_ms"] - row["first_ms"] == flow.duration_ms
    assert {bool(row["sampled"]) for row in found} == {is_multiplied and vendor.factor > 1}


def _as_sampled(flow: Sent, factor: int) -> Sent:
    return replace(flow, byte_count=flow.byte_count // factor, packets=flow.packets // factor)


def _facts(row: dict[str, int]) -> tuple[int, ...]:
    names = ("in_bytes", "in_packets", "src_port", "dst_port", "protocol", "input_interface", "output_interface")
    return tuple(row[name] for name in names)


def _sent(flow: Sent) -> tuple[int, ...]:
    return (flow.byte_count, flow.packets, flow.source_port, flow.destination_port, 6, INPUT, OUTPUT)
