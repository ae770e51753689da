"""The flow source nfcapd."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from hntes.etl.sources.nfcapd import names
from hntes.etl.sources.nfcapd.layout import file_layout
from hntes.etl.sources.nfcapd.nfdump import Nfdump, unchecked
from hntes.etl.sources.nfcapd.process import Limits
from hntes.etl.sources.scan import ALWAYS, Scan, Span, scan_folder

if TYPE_CHECKING:
    from hntes.etl.sources.nfcapd.file import NfcapdFile
    from hntes.settings.ingest import Ingest


@dataclass(frozen=True)
class NfcapdSource:
    """Files of nfcapd: read natively if `is_native`, and by nfdump if the native reader refuses them.

    nfdump: None until it is configured. has_crashed: the native reader's process ended at the file to be read.
    """

    nfdump: Nfdump | None = None
    is_native: bool = True
    has_crashed: bool = False

    name = "nfcapd"
    file_names = "nfcapd.2026..."
    worker_modules = ("hntes.etl.sources.nfcapd.file",)

    @property
    def version(self) -> str:
        return self._nfdump().version_text

    def configured(self, settings: Ingest) -> NfcapdSource:
        is_native = settings.reader != "nfdump"
        limits = Limits(settings.nfdump_limit_s, settings.nfdump_limit_s_per_mib, settings.nfdump_memory_mib)
        nfdump = unchecked(settings.nfdump, limits)
        if not is_native:
            from hntes.etl.sources.nfcapd.probe import checked

            # what it finds is of this machine; an executor's nfdump may be another, and is checked there
            checked(nfdump)
        return NfcapdSource(nfdump, is_native)

    def check(self) -> tuple[tuple[str, str], ...]:
        from hntes.etl.sources.nfcapd.probe import checked

        if self.is_native and self._nfdump().is_missing:
            words = f"{self._nfdump().program} is not installed: files that the native reader refuses are set aside"
            return ("nfdump", words), ("reader", "native")
        reader = "native; nfdump for files that it refuses" if self.is_native else "nfdump, as the settings say"
        nfdump = checked(self._nfdump())
        return ("nfdump", f"{nfdump.version_text}, reads the reference file correctly"), ("reader", reader)

    def discover(self, folder: Path, timezone: str = "UTC", span: Span = ALWAYS) -> Scan:
        zone = ZoneInfo(timezone)
        start_ms = partial(names.start_ms, zone=zone)
        return scan_folder(folder, start_ms, names.is_unfinished, span, names.Sieve(span, zone))

    def identify(self, path: Path) -> int:
        return file_layout(path)

    def open(self, path: Path, layout: int) -> NfcapdFile:
        # loaded where files are read: it brings pyarrow
        from hntes.etl.sources.nfcapd.file import NfcapdFile

        return NfcapdFile(path, layout, self._nfdump(), is_native=self.is_native, has_crashed=self.has_crashed)

    def isolated(self) -> NfcapdSource | None:
        is_left = self.is_native and not self._nfdump().is_missing
        return replace(self, is_native=False, has_crashed=True) if is_left else None

    def _nfdump(self) -> Nfdump:
        return self.nfdump or unchecked("nfdump")
