"""What a file's exporters sent and what was lost on the way, by their sequence numbers."""

from collections.abc import Iterable, Sequence

from hntes.etl.addresses import exporter_address, text_halves
from hntes.etl.ingest.ledger import Ledger
from hntes.etl.ingest.router_exporters import RouterExporters
from hntes.etl.sources.source import Exporter

# Not of records but of export packets: those received, and how often a sequence number was not the next one.
EXPORT_PACKETS = "exports:packets"
SEQUENCE_FAILURES = "exports:sequence_failures"


def count_exports(ledger: Ledger, claims: Sequence[RouterExporters], named: Iterable[Exporter]) -> None:
    """Counts export packets by exporter, of those whose sequence numbers jumped."""
    for exporter in named:
        if exporter.sequence_failures:
            address = exporter_address(*text_halves(exporter.address)[:2])
            router = _owner(address, claims)
            ledger.count_exporter(router, address, EXPORT_PACKETS, exporter.packets, 0)
            ledger.count_exporter(router, address, SEQUENCE_FAILURES, exporter.sequence_failures, 0)


def _owner(address: str, claims: Sequence[RouterExporters]) -> str:
    """The router that an exporter's records go to, "" if there is none."""
    owners = [claim.router for claim in claims if not claim.exporters or address in claim.exporters]
    return owners[-1] if owners else ""
