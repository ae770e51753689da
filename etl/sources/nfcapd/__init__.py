"""Files of nfcapd, the collector of nfdump: decoded in compiled code, and by nfdump where that refuses a file."""

from hntes.etl.sources.nfcapd.source import NfcapdSource

__all__ = ["SOURCE"]

SOURCE = NfcapdSource()
