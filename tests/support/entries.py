"""Rows of the database made up for tests: a valid one of each kind, of which a test names what it is about."""

from dataclasses import replace
from datetime import date

from hntes.sql.change import Change
from hntes.sql.entries import AuditEventEntry, FileEntry, GateVerdictEntry, InterfaceLoadEntry, ObservationEntry

DAY = date(2026, 3, 1)
_OBSERVATION = ObservationEntry(
    router="r1", day=DAY, flow_id="f1", flow_key="five_tuple", rule="window", threshold_bytes=10**9, window_s=60,
    exporter="192.0.2.1", direction=0, ip_version=4, source="198.18.10.7", destination="203.0.113.9",
    source_port=50_000, destination_port=2811, protocol=6, first_ms=1, last_ms=2, flow_bytes=5 * 10**9,
    burst_bytes=4 * 10**9, peak_start_ms=1, peak_bytes=2 * 10**9, peak_sd_bytes=None, sampling_factor=None,
    records=9, repaired_records=0, borderline=False,
)  # fmt: skip
_CHANGE_SET = Change(
    router="r1", day=DAY, base_hash=None, candidate_hash="candidate A", model_hash="model A", state="pending",
    expires_ms=1000, data_complete=True, pairs_added=3, pairs_removed=0, pairs_kept=0,
)  # fmt: skip
_FLOW_FILE = FileEntry(
    folder="/flows", path="nfcapd.202603010000", sha256="ab" * 32, size_bytes=10, file_start_ms=1000,
    ingest_hash="settings", state="ingested", reason="", file_layout=2, nfdump_version="1.7.6", promised_records=3,
    read_records=3,
)  # fmt: skip
_VERDICT = GateVerdictEntry(
    router="r1", candidate_hash="candidate A", criterion="structure", measure="findings", port="", outcome="passed",
    sentence="as it should be", limit_value=0.0, found_value=0.0, unit="findings", engine="text", seed=None,
    scenario_hash=None,
)  # fmt: skip
_LOAD = InterfaceLoadEntry(
    router="r1", day=DAY, interface_index=7, records=1, beta_bytes=9, alpha_bytes=0, beta_peak_ms=60_000,
    beta_peak_wire_bytes=9, beta_peak_sd_bytes=0, beta_p50_wire_bytes=1, beta_p95_wire_bytes=2,
    beta_p99_wire_bytes=3, beta_p999_wire_bytes=4, alpha_peak_wire_bytes=0,
)  # fmt: skip
_AUDIT_EVENT = AuditEventEntry(
    number=1, time_ms=0, kind="loaded", router="r1", day=date(2026, 11, 20), change_id=None, candidate_hash="0" * 64,
    judgement_id=None, outcome="", content_hash=None, detail="", identity="os:anna", who="anna", program_version="1",
    note=None, previous_hash="", hash="",
)  # fmt: skip


def observation(**changes: object) -> ObservationEntry:
    """A flow of 5 GB whose fullest minute had 2 GB."""
    return replace(_OBSERVATION, **changes)


def change_set(**changes: object) -> Change:
    """A first configuration of three pairs that waits for a decision."""
    return replace(_CHANGE_SET, **changes)


def flow_file(**changes: object) -> FileEntry:
    """A file of three records that was read."""
    return replace(_FLOW_FILE, **changes)


def gate_verdict(**changes: object) -> GateVerdictEntry:
    """A text without findings."""
    return replace(_VERDICT, **changes)


def interface_load(**changes: object) -> InterfaceLoadEntry:
    """A quiet day of interface 7."""
    return replace(_LOAD, **changes)


def audit_event(**changes: object) -> AuditEventEntry:
    """A report that a text was loaded on r1."""
    return replace(_AUDIT_EVENT, **changes)
