"""The source nfcapd as tests use it."""

from pathlib import Path

from hntes.etl.sources.nfcapd import SOURCE
from hntes.etl.sources.nfcapd.nfdump import Nfdump
from hntes.etl.sources.nfcapd.source import NfcapdSource
from hntes.etl.sources.scan import Scan


def by_nfdump(nfdump: Nfdump) -> NfcapdSource:
    """Every file is read by this nfdump."""
    return NfcapdSource(nfdump, is_native=False)


def natively(nfdump: Nfdump) -> NfcapdSource:
    """This nfdump reads what the native reader refuses."""
    return NfcapdSource(nfdump)


def scan_folder(folder: Path, timezone: str = "UTC") -> Scan:
    """What nfcapd has in a folder."""
    return SOURCE.discover(folder, timezone)
