"""The tables, one class each. No clock readings and no running numbers: a run that was killed and repeated leaves the
same rows as one that was not. The audit log alone has both (docs/decisions/0015-the-record.md), readings of counters
have their time (docs/decisions/0039-counters.md), reservations their numbers (docs/decisions/0041-reservations.md).

Days are SQL dates in UTC; `_ms` and `_s` columns count milliseconds and seconds since 1970 in UTC; counters
are 64 bits wide.
"""

from datetime import date

from sqlalchemy import CheckConstraint, ForeignKeyConstraint, Index
from sqlalchemy.orm import Mapped, mapped_column
from sqlalchemy.schema import SchemaItem

# their tables are of this schema, too; what needs no others starts sooner without them
from hntes.sql import audit_model, file_models, reservation_models  # noqa: F401
from hntes.sql.model_base import Base as Base
from hntes.sql.model_base import one_of


class DayStatus(Base):
    """One row per router and day: how well flow files cover it."""

    __tablename__ = "day_status"

    router: Mapped[str] = mapped_column(primary_key=True)
    day: Mapped[date] = mapped_column(primary_key=True)
    expected_s: Mapped[int]
    covered_s: Mapped[int]
    files: Mapped[int]
    quarantined_files: Mapped[int]
    records: Mapped[int]
    complete: Mapped[bool]
    reason: Mapped[str]
    unlisted_flows: Mapped[int]


class Observation(Base):
    """One row per router, day and alpha flow. `flow_id` is derived from the flow's content, never a running number."""

    __tablename__ = "observation"
    __table_args__: tuple[SchemaItem, ...] = (
        one_of("flow_key", "five_tuple", "host_pair"),
        one_of("rule", "window", "report"),
        CheckConstraint("ip_version IN (4, 6)", name="ip_version"),
        # On PostgreSQL the migration has it for patterns, whatever the collation. To name that dialect's options here
        # would load the dialect, a tenth of what a command loads for its database.
        Index(None, "router", "source", "day"),
    )

    router: Mapped[str] = mapped_column(primary_key=True)
    day: Mapped[date] = mapped_column(primary_key=True)
    flow_id: Mapped[str] = mapped_column(primary_key=True)
    flow_key: Mapped[str]
    rule: Mapped[str]
    threshold_bytes: Mapped[int]
    window_s: Mapped[int]
    exporter: Mapped[str]
    direction: Mapped[int]
    ip_version: Mapped[int]
    source: Mapped[str]
    destination: Mapped[str]
    source_port: Mapped[int | None]
    destination_port: Mapped[int | None]
    protocol: Mapped[int | None]
    first_ms: Mapped[int]
    last_ms: Mapped[int]
    flow_bytes: Mapped[int]
    burst_bytes: Mapped[int]
    peak_start_ms: Mapped[int]
    peak_bytes: Mapped[int]
    peak_sd_bytes: Mapped[int | None]
    sampling_factor: Mapped[int | None]
    records: Mapped[int]
    repaired_records: Mapped[int]
    borderline: Mapped[bool]
    implausible: Mapped[bool]
    ecn_records: Mapped[int | None]


class ObservationDigest(Base):
    """One row per router and day with alpha flows: a hash of what the rules take from them, and the believed bytes."""

    __tablename__ = "observation_digest"

    router: Mapped[str] = mapped_column(primary_key=True)
    day: Mapped[date] = mapped_column(primary_key=True)
    digest: Mapped[str]
    believed_bytes: Mapped[int]


class RulesByHistory(Base):
    """One row per router: what its history alone says of every pair as of a day; `made_from` names that history."""

    __tablename__ = "rules_by_history"

    router: Mapped[str] = mapped_column(primary_key=True)
    day: Mapped[date]
    made_from: Mapped[str]
    content: Mapped[str]


class LoadDay(Base):
    """One row per router and day whose load was measured, with or without traffic."""

    __tablename__ = "load_day"

    router: Mapped[str] = mapped_column(primary_key=True)
    day: Mapped[date] = mapped_column(primary_key=True)
    minutes: Mapped[int]
    pairs: Mapped[int]
    pairs_hash: Mapped[str]
    repeated_records: Mapped[int]
    repeated_bytes: Mapped[int]
    implausible_minutes: Mapped[int]


class InterfaceLoad(Base):
    """One row per router, day and egress interface (SNMP index; 0: unknown): its beta and alpha load."""

    __tablename__ = "interface_load"
    __table_args__: tuple[SchemaItem, ...] = (
        ForeignKeyConstraint(["router", "day"], ["load_day.router", "load_day.day"], ondelete="CASCADE"),
    )

    router: Mapped[str] = mapped_column(primary_key=True)
    day: Mapped[date] = mapped_column(primary_key=True)
    interface_index: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    records: Mapped[int]
    beta_bytes: Mapped[int]
    alpha_bytes: Mapped[int]
    beta_peak_ms: Mapped[int | None]
    beta_peak_wire_bytes: Mapped[int]
    beta_peak_sd_bytes: Mapped[int | None]
    beta_p50_wire_bytes: Mapped[int]
    beta_p95_wire_bytes: Mapped[int]
    beta_p99_wire_bytes: Mapped[int]
    beta_p999_wire_bytes: Mapped[int]
    alpha_peak_wire_bytes: Mapped[int]
    implausible_minutes: Mapped[int]


class Pin(Base):
    """One row per router, prefix pair and first day of a pin.

    The first day is part of the key so that pinning again keeps the earlier period: past days must replay alike.
    """

    __tablename__ = "pin"

    router: Mapped[str] = mapped_column(primary_key=True)
    source: Mapped[str] = mapped_column(primary_key=True)
    destination: Mapped[str] = mapped_column(primary_key=True)
    from_day: Mapped[date] = mapped_column(primary_key=True)
    owner: Mapped[str]
    reason: Mapped[str]
    expires_day: Mapped[date | None]
    withdrawn_day: Mapped[date | None]


class Exclusion(Base):
    """One row per scope (a router, or '*' for all), side, prefix and first day of an exclusion."""

    __tablename__ = "exclusion"
    __table_args__: tuple[SchemaItem, ...] = (one_of("side", "source", "destination", "either"),)

    scope_router: Mapped[str] = mapped_column(primary_key=True)
    side: Mapped[str] = mapped_column(primary_key=True)
    prefix: Mapped[str] = mapped_column(primary_key=True)
    from_day: Mapped[date] = mapped_column(primary_key=True)
    owner: Mapped[str]
    reason: Mapped[str]
    expires_day: Mapped[date]
    withdrawn_day: Mapped[date | None]


class ChangeSet(Base):
    """One row per router and day: the change proposed after that day, and what became of it."""

    __tablename__ = "change_set"
    __table_args__: tuple[SchemaItem, ...] = (
        one_of("state", "empty", "pending", "approved", "rejected", "superseded", "expired", "withdrawn"),
    )

    router: Mapped[str] = mapped_column(primary_key=True)
    day: Mapped[date] = mapped_column(primary_key=True)
    base_hash: Mapped[str | None]
    candidate_hash: Mapped[str]
    model_hash: Mapped[str]
    state: Mapped[str]
    expires_ms: Mapped[int]
    data_complete: Mapped[bool]
    pairs_added: Mapped[int]
    pairs_removed: Mapped[int]
    pairs_kept: Mapped[int]
    summary: Mapped[str]
    decided_by: Mapped[str | None]
    decision_note: Mapped[str | None]


class InForce(Base):
    """One row per router with an approved configuration: the candidate last approved."""

    __tablename__ = "in_force"

    router: Mapped[str] = mapped_column(primary_key=True)
    candidate_hash: Mapped[str]
    day: Mapped[date]


class Judgement(Base):
    """One row per router and candidate that the gate judged: what the judgement was made from, and its identity."""

    __tablename__ = "judgement"

    router: Mapped[str] = mapped_column(primary_key=True)
    candidate_hash: Mapped[str] = mapped_column(primary_key=True)
    judgement_id: Mapped[str]
    day: Mapped[date | None]
    model_hash: Mapped[str]
    limits: Mapped[str]
    parameters: Mapped[str]
    plan: Mapped[str]
    detection: Mapped[str]
    peaks: Mapped[str]
    traffic: Mapped[str]
    engine_version: Mapped[str]


class SimulatedRun(Base):
    """One row per simulated run, by its key: the digest of what the engine gave."""

    __tablename__ = "simulated_run"

    run_key: Mapped[str] = mapped_column(primary_key=True)
    digest: Mapped[str]


class GateVerdict(Base):
    """One row per router, candidate, criterion of the gate, measure and simulated port ('' where the text is meant)."""

    __tablename__ = "gate_verdict"
    __table_args__: tuple[SchemaItem, ...] = (
        ForeignKeyConstraint(
            ["router", "candidate_hash"], ["judgement.router", "judgement.candidate_hash"], ondelete="CASCADE"
        ),
        one_of("outcome", "passed", "failed", "not_judged", "reported"),
        one_of("engine", "text", "packet", "fluid"),
    )

    router: Mapped[str] = mapped_column(primary_key=True)
    candidate_hash: Mapped[str] = mapped_column(primary_key=True)
    criterion: Mapped[str] = mapped_column(primary_key=True)
    measure: Mapped[str] = mapped_column(primary_key=True)
    port: Mapped[str] = mapped_column(primary_key=True)
    outcome: Mapped[str]
    sentence: Mapped[str]
    limit_value: Mapped[float | None]
    found_value: Mapped[float | None]
    unit: Mapped[str]
    engine: Mapped[str]
    seed: Mapped[int | None]
    scenario_hash: Mapped[str | None]


class ApprovedText(Base):
    """One row per candidate that was ever approved: its text, and the model it was rendered from."""

    __tablename__ = "approved_text"

    candidate_hash: Mapped[str] = mapped_column(primary_key=True)
    text: Mapped[str]
    model_json: Mapped[str]


class CounterReading(Base):
    """One row per router, moment of reading, interface ('' for all together) and counter: what it held then."""

    __tablename__ = "counter_reading"

    router: Mapped[str] = mapped_column(primary_key=True)
    read_ms: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    interface: Mapped[str] = mapped_column(primary_key=True)
    counter: Mapped[str] = mapped_column(primary_key=True)
    source: Mapped[str | None]
    destination: Mapped[str | None]
    packets: Mapped[int]
    bytes: Mapped[int]


class CounterKnown(Base):
    """One row per router, interface and counter that was ever read: when first and last, when first above 0 packets."""

    __tablename__ = "counter_known"

    router: Mapped[str] = mapped_column(primary_key=True)
    interface: Mapped[str] = mapped_column(primary_key=True)
    counter: Mapped[str] = mapped_column(primary_key=True)
    source: Mapped[str | None]
    destination: Mapped[str | None]
    first_read_ms: Mapped[int]
    last_read_ms: Mapped[int]
    first_matched_ms: Mapped[int | None]
