"""Of recorded files that are good or merely odd, no record is taken for one that cannot be true."""

from pathlib import Path

import pytest

from hntes.etl.detect.doubts import DOUBTED
from hntes.etl.ingest.flow_file import read_file
from hntes.etl.ingest.ports import PortRates
from hntes.etl.ingest.router_exporters import RouterExporters
from hntes.etl.sources.nfcapd.probe import probe
from tests.support.nfcapd import by_nfdump
from tests.support.transfers import data_folder

# the recorded transfers passed ports of 10 Gb/s; what ports the published exports passed is not known, but some are of
# carriers, whose ports are not slower
PORTS = PortRates({501: 10**10, 502: 10**10, 503: 10**10}, 10**10)


def recorded_files() -> list[Path]:
    folder = data_folder()
    kinds = ("transfers/*", "exports/good", "exports/odd")
    return sorted(path for kind in kinds for path in folder.glob(f"{kind}/**/nfcapd.*"))


@pytest.mark.parametrize("path", recorded_files(), ids=lambda path: "-".join(path.parts[-3:]))
def test_no_recorded_record_is_doubted(tmp_path: Path, path: Path) -> None:
    found = read_file(path, by_nfdump(probe("nfdump")), tmp_path, "x", [RouterExporters("r1", ports=PORTS)], 300_000)
    assert found.reason == ""
    assert {outcome: records for _, outcome, records, _ in found.counts if outcome in DOUBTED} == {}
