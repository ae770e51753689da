"""Export packets that are missing by their sequence numbers, as a real nfcapd counts them by exporter."""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from hntes.etl.ingest.exports import EXPORT_PACKETS, SEQUENCE_FAILURES
from hntes.etl.ingest.flow_file import read_file
from hntes.etl.ingest.router_exporters import RouterExporters
from hntes.etl.sources.nfcapd.nfdump import Nfdump
from hntes.etl.sources.nfcapd.probe import probe
from hntes.etl.sources.nfcapd.source import NfcapdSource
from tests.support.forger import RECORDS_PER_DATAGRAM, alpha_flow, collecting, v5
from tests.support.nfcapd import by_nfdump, natively

LOSSY, WHOLE, STRANGER = "127.0.0.11", "127.0.0.12", "127.0.0.13"
# Of 40 datagrams these do not arrive: five gaps, one of them of three datagrams.
MISSING = {3, 10, 11, 12, 20, 30, 38}
GAPS = 5


@pytest.fixture(scope="module")
def collected(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("flows") / f"nfcapd.{datetime.now(UTC):%Y%m%d%H%M}"
    datagrams = list(v5([alpha_flow(1)] * (40 * RECORDS_PER_DATAGRAM)))
    with collecting(path) as collector:
        collector.send((one for number, one in enumerate(datagrams) if number not in MISSING), LOSSY)
        collector.send(datagrams, WHOLE)
        collector.send(datagrams[::2], STRANGER)
    return path


@pytest.mark.parametrize("reader", [natively, by_nfdump])
def test_lost_packets_are_counted_for_the_exporter_that_lost_them(
    collected: Path, tmp_path: Path, reader: Callable[[Nfdump], NfcapdSource]
) -> None:
    claims = [RouterExporters("r1", frozenset({LOSSY})), RouterExporters("r2", frozenset({WHOLE}))]
    found = read_file(collected, reader(probe("nfdump")), tmp_path, "one", claims, 10**10)
    assert found.reason == ""
    exports = {tuple(key): number for *key, number, _ in found.exporters if key[2].startswith("exports:")}
    assert exports == {
        ("r1", LOSSY, EXPORT_PACKETS): 40 - len(MISSING),
        ("r1", LOSSY, SEQUENCE_FAILURES): GAPS,
        ("", STRANGER, EXPORT_PACKETS): 20,
        ("", STRANGER, SEQUENCE_FAILURES): 19,
    }
    assert found.sequence_failures == 0
