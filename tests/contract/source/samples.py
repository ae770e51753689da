"""The sources that the suite tries, each with sample files of which the truth is known by other means."""

from collections.abc import Callable, Iterator
from pathlib import Path

from hntes.etl.sources.nfcapd import SOURCE as NFCAPD
from hntes.etl.sources.nfcapd.probe import REFERENCE_FILE, probe
from tests.conftest import ROOT
from tests.contract.source.csv_flows import SOURCE as CSV
from tests.contract.source.csv_flows.source import csv_file
from tests.contract.source.row_samples import goflow2, goflow2_of_version_1, parquet, pmacct
from tests.contract.source.tried import Sample, Tried
from tests.support.exports import export_files
from tests.support.nfcapd import by_nfdump

DEMO = ROOT / "demo" / "flows"
NOON_MS = 1_795_176_000_000


def nfcapd_samples() -> Iterator[Sample]:
    """Truth: nfdump -I and -E, and the known senders of the demonstration."""
    yield Sample(REFERENCE_FILE, 45, 3_698_746_400, 1_795_198_720_827, 1_795_198_784_998, {"198.19.252.1": 100})
    for router, records, byte_count, last_ms in (
        ("r1", 288, 4_529_721_291, 1_795_198_905_872),
        ("r2", 420, 5_884_746_889, 1_795_198_909_696),
        ("r3", 420, 5_884_746_889, 1_795_198_909_705),
    ):
        yield Sample(DEMO / router / "nfcapd.202611201821", records, byte_count, None, last_ms)
    for file in export_files():
        if file.case.startswith("good/"):
            yield Sample(file.path, file.records, file.bytes)


def _nfcapd(folder: Path) -> Tried:
    cut, text, empty = folder / "nfcapd.202611201800", folder / "nfcapd.202611201805", folder / "nfcapd.202611201810"
    cut.write_bytes(REFERENCE_FILE.read_bytes()[:-100])
    text.write_text("no flows")
    empty.touch()
    names = ("nfcapd.202611201815", "nfcapd.202613201815")
    return Tried(NFCAPD, list(nfcapd_samples()), [text, empty], [cut], *names, ["nfcapd.current.4711"])


def _nfcapd_by_nfdump(folder: Path) -> Tried:
    made = _nfcapd(folder)
    return Tried(by_nfdump(probe("nfdump")), made.samples[:4], made.foreign, made.damaged, made.good_name,
                 made.unusable_name, made.unfinished)  # fmt: skip


def _csv(folder: Path) -> Tried:
    flows: list[tuple[object, ...]] = [
        (
            NOON_MS + number,
            NOON_MS + number + 1000,
            f"10.0.0.{number % 250}",
            "10.1.0.1",
            1000,
            443,
            6,
            10,
            1500 + number,
        )
        for number in range(250)
    ]
    flows.append((NOON_MS, NOON_MS + 30_000, "2001:db8::1", "2001:db8::2", 1, 2, 17, 1, 40))
    good, cut, text = (folder / f"flows-2026112012{minute}.csv" for minute in ("00", "05", "10"))
    good.write_text(csv_file("192.0.2.1", 100, flows))
    cut.write_text(csv_file("192.0.2.1", 1, flows)[:-10])
    text.write_text("no flows\n")
    byte_count = sum(1500 + number for number in range(250)) + 40
    sample = Sample(good, 251, byte_count, NOON_MS, NOON_MS + 30_000, {"192.0.2.1": 100})
    return Tried(CSV, [sample], [text], [cut], "flows-202611201200.csv", "flows-202613201200.csv")


SOURCES: dict[str, Callable[[Path], Tried]] = {
    "nfcapd": _nfcapd, "nfcapd by nfdump": _nfcapd_by_nfdump, "csv": _csv, "goflow2": goflow2,
    "goflow2 version 1": goflow2_of_version_1, "pmacct": pmacct, "parquet": parquet,
}  # fmt: skip
