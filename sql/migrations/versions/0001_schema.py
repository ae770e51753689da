"""The first schema, as it was written; it stays as it is, and later migrations change what it makes.

It does not derive from the tables' declarations, which change with the program: what a migration makes must not. Tests
hold the two equal on both databases.
"""

import sqlalchemy as sa
from alembic import op

from hntes.sql.migrations.columns import binary, boolean, day, integer, real, text

revision = "0001"
down_revision = None

TABLES = (  # each after those that it refers to
    "flow_file", "flow_file_count", "exporter_count", "flow_file_part", "sampling_evidence",
    "day_status", "day_loss", "observation", "observation_day",
    "load_day", "interface_load", "counter_hour",
    "announced_flow", "announced_sum", "announced_count",
    "pin", "exclusion",
    "change", "change_hold", "in_force", "approved_text",
    "change_pair", "change_effect", "change_note", "change_reserved",
    "judgement", "gate_verdict", "simulated_run",
    "audit_event", "settings_seen",
    "counter_reading", "counter_known",
    "reservation", "reservation_port", "reservation_quota", "reservation_notice",
)  # fmt: skip
_REFUSAL = "the audit log is only ever appended to"


def upgrade() -> None:
    """Makes all tables."""
    _flow_files()
    _observations()
    _loads()
    _announced()
    _overrides()
    _changes()
    _change_facts()
    _judgements()
    _audit_log()
    _counters()
    _reservations()
    _refuse_changes()


def downgrade() -> None:
    """Drops all of them, with all that they hold."""
    if op.get_bind().dialect.name == "postgresql":
        op.execute("DROP TRIGGER audit_event_is_kept ON audit_event")
        op.execute("DROP TRIGGER audit_event_is_not_emptied ON audit_event")
        op.execute("DROP FUNCTION audit_event_refusal()")
    for name in reversed(TABLES):
        op.drop_table(name)


def _flow_files() -> None:
    op.create_table(
        "flow_file",
        *text("folder", "path", "sha256"),
        *integer("size_bytes", "file_start_ms"),
        *text("ingest_hash", "state", "reason"),
        *integer("file_layout", nullable=True),
        *text("nfdump_version"),
        *integer("promised_records", nullable=True),
        *integer("read_records"),
        sa.PrimaryKeyConstraint("folder", "path", name="pk_flow_file"),
        sa.CheckConstraint("state IN ('ingested', 'quarantined', 'duplicate')", name=op.f("ck_flow_file_state")),
    )  # fmt: skip
    op.create_index("ix_flow_file_folder_file_start_ms", "flow_file", ["folder", "file_start_ms"])
    op.create_table(
        "flow_file_count",
        *text("folder", "path", "router", "outcome"),
        *integer("records", "bytes"),
        sa.PrimaryKeyConstraint("folder", "path", "router", "outcome", name="pk_flow_file_count"),
        _of_flow_file("flow_file_count"),
    )  # fmt: skip
    op.create_table(
        "exporter_count",
        *text("folder", "path", "router", "exporter", "outcome"),
        *integer("records", "bytes"),
        sa.PrimaryKeyConstraint("folder", "path", "router", "exporter", "outcome", name="pk_exporter_count"),
        _of_flow_file("exporter_count"),
    )  # fmt: skip
    op.create_table(
        "flow_file_part",
        *text("folder", "path", "router"),
        *day("day"),
        *text("part"),
        *integer("records", "bytes"),
        sa.PrimaryKeyConstraint("folder", "path", "router", "day", name="pk_flow_file_part"),
        _of_flow_file("flow_file_part"),
    )  # fmt: skip
    op.create_index("ix_flow_file_part_router_day", "flow_file_part", ["router", "day"])
    op.create_table(
        "sampling_evidence",
        *text("folder", "path", "exporter"),
        *integer("factor"),
        *text("source"),
        *integer("records", "bytes"),
        sa.PrimaryKeyConstraint("folder", "path", "exporter", "source", "factor", name="pk_sampling_evidence"),
        _of_flow_file("sampling_evidence"),
    )  # fmt: skip


def _observations() -> None:
    op.create_table(
        "day_status",
        *text("router"),
        *day("day"),
        *integer("expected_s", "covered_s", "files", "quarantined_files", "records"),
        *boolean("complete"),
        *text("reason"),
        *integer("unlisted_flows"),
        sa.PrimaryKeyConstraint("router", "day", name="pk_day_status"),
    )  # fmt: skip
    op.create_table(
        "day_loss",
        *text("router"),
        *day("day"),
        *text("exporter", "cause"),
        *integer("records", "bytes", "whole_records", "whole_bytes", "seen_s"),
        *boolean("counts"),
        sa.PrimaryKeyConstraint("router", "day", "exporter", "cause", name="pk_day_loss"),
    )  # fmt: skip
    op.create_table(
        "observation",
        *text("router"),
        *day("day"),
        *text("flow_id", "flow_key", "rule"),
        *integer("threshold_bytes", "window_s"),
        *text("exporter"),
        *integer("direction", "ip_version"),
        *text("source", "destination"),
        *integer("source_port", "destination_port", "protocol", nullable=True),
        *integer("first_ms", "last_ms", "flow_bytes", "burst_bytes", "peak_start_ms", "peak_bytes"),
        *integer("peak_sd_bytes", "sampling_factor", nullable=True),
        *integer("records", "repaired_records"),
        *boolean("borderline", "implausible"),
        *integer("ecn_records", nullable=True),
        *text("doubt"),
        *integer("confirmed_bytes", nullable=True),
        sa.PrimaryKeyConstraint("router", "day", "flow_id", name="pk_observation"),
        sa.CheckConstraint("flow_key IN ('five_tuple', 'host_pair')", name=op.f("ck_observation_flow_key")),
        sa.CheckConstraint("ip_version IN (4, 6)", name=op.f("ck_observation_ip_version")),
        sa.CheckConstraint("rule IN ('window', 'report')", name=op.f("ck_observation_rule")),
        sa.CheckConstraint(
            "doubt IN ('none', 'port_rate', 'above_counters', 'no_counters')", name=op.f("ck_observation_doubt")
        ),
    )  # fmt: skip
    # on addresses by patterns, whatever the collation of the database
    op.create_index(
        "ix_observation_router_source_day",
        "observation",
        ["router", "source", "day"],
        postgresql_ops={"source": "text_pattern_ops"},
    )
    op.create_table(
        "observation_day",
        *text("router"),
        *day("day"),
        *integer("believed_bytes"),
        *binary("totals"),
        sa.PrimaryKeyConstraint("router", "day", name="pk_observation_day"),
    )  # fmt: skip


def _loads() -> None:
    op.create_table(
        "load_day",
        *text("router"),
        *day("day"),
        *integer("minutes", "pairs"),
        *text("pairs_hash"),
        *integer("repeated_records", "repeated_bytes", "implausible_minutes"),
        sa.PrimaryKeyConstraint("router", "day", name="pk_load_day"),
    )  # fmt: skip
    op.create_table(
        "interface_load",
        *text("router"),
        *day("day"),
        *integer("interface_index", "records", "beta_bytes", "alpha_bytes"),
        *integer("beta_peak_ms", nullable=True),
        *integer("beta_peak_wire_bytes"),
        *integer("beta_peak_sd_bytes", nullable=True),
        *integer(
            "beta_p50_wire_bytes", "beta_p95_wire_bytes", "beta_p99_wire_bytes", "beta_p999_wire_bytes",
            "alpha_peak_wire_bytes", "implausible_minutes",
        ),
        sa.PrimaryKeyConstraint("router", "day", "interface_index", name="pk_interface_load"),
        sa.ForeignKeyConstraint(
            ["router", "day"], ["load_day.router", "load_day.day"], name="fk_interface_load_load_day",
            ondelete="CASCADE",
        ),
    )  # fmt: skip
    op.create_table(
        "counter_hour",
        *text("router"),
        *day("day"),
        *integer("interface_index"),
        *text("direction"),
        *integer("hour", "counter_octets", "flow_octets", "minutes"),
        *boolean("metered"),
        sa.PrimaryKeyConstraint("router", "day", "interface_index", "direction", "hour", name="pk_counter_hour"),
        sa.CheckConstraint("direction IN ('in', 'out')", name=op.f("ck_counter_hour_direction")),
    )  # fmt: skip


def _announced() -> None:
    op.create_table(
        "announced_flow",
        *text("router"),
        *day("day"),
        *text("flow_id", "source"),
        *integer("experiment", "activity"),
        *text("reference"),
        *integer("announcements"),
        *integer("announced_bytes", nullable=True),
        *boolean("is_disputed"),
        sa.PrimaryKeyConstraint("router", "day", "flow_id", name="pk_announced_flow"),
    )
    op.create_table(
        "announced_sum",
        *day("day"),
        *text("source"),
        *integer("experiment", "activity", "transfers", "announced_bytes"),
        sa.PrimaryKeyConstraint("day", "source", "experiment", "activity", name="pk_announced_sum"),
    )
    op.create_table(
        "announced_count",
        *day("day"),
        *text("source"),
        *integer("files", "messages", "malformed", "unknown_endpoints", "over_limit", "unread_bytes"),
        sa.PrimaryKeyConstraint("day", "source", name="pk_announced_count"),
    )


def _overrides() -> None:
    op.create_table(
        "pin",
        *text("router", "source", "destination", "owner", "reason"),
        *day("from_day"),
        *day("expires_day", "withdrawn_day", nullable=True),
        sa.PrimaryKeyConstraint("router", "source", "destination", "from_day", name="pk_pin"),
    )  # fmt: skip
    op.create_table(
        "exclusion",
        *text("scope_router", "side", "prefix", "owner", "reason"),
        *day("from_day", "expires_day"),
        *day("withdrawn_day", nullable=True),
        sa.PrimaryKeyConstraint("scope_router", "side", "prefix", "from_day", name="pk_exclusion"),
        sa.CheckConstraint("side IN ('source', 'destination', 'either')", name=op.f("ck_exclusion_side")),
    )  # fmt: skip


def _changes() -> None:
    op.create_table(
        "change",
        *text("change_id", "router"),
        *day("day"),
        *text("base_hash", nullable=True),
        *text("candidate_hash", "model_hash", "state"),
        *integer("expires_ms", "effective_s", "until_s", nullable=True),
        *boolean("leads", "data_complete"),
        *integer("pairs_added", "pairs_removed", "pairs_kept"),
        *boolean("is_rerendered"),
        *integer("settings_changed"),
        *integer("held_above", "acknowledged_pairs", "first_approval", nullable=True),
        *text("transition_hash", "transition_from", "decided_by", "decision_note", nullable=True),
        sa.PrimaryKeyConstraint("change_id", name="pk_change"),
        sa.CheckConstraint(
            "state IN ('empty', 'pending', 'approved', 'rejected', 'superseded', 'expired', 'withdrawn')",
            name=op.f("ck_change_state"),
        ),
    )  # fmt: skip
    op.create_index("ix_change_router_day", "change", ["router", "day"])
    op.create_index("ix_change_router_candidate_hash", "change", ["router", "candidate_hash"])
    op.create_table(
        "change_hold",
        *text("router", "candidate_hash"),
        *day("until_day"),
        *integer("event"),
        sa.PrimaryKeyConstraint("router", name="pk_change_hold"),
    )  # fmt: skip
    op.create_table(
        "in_force",
        *text("router", "candidate_hash"),
        *day("day"),
        sa.PrimaryKeyConstraint("router", name="pk_in_force"),
    )  # fmt: skip
    op.create_table(
        "approved_text",
        *text("candidate_hash", "text", "model_json"),
        sa.PrimaryKeyConstraint("candidate_hash", name="pk_approved_text"),
    )  # fmt: skip


def _change_facts() -> None:
    op.create_table(
        "change_pair",
        *text("change_id", "sign", "source", "destination", "cause"),
        *day("first_seen", "last_seen", nullable=True),
        *integer("days_seen", "flows", "alpha_bytes", "peak_bytes", "age_days", nullable=True),
        *text("words"),
        sa.PrimaryKeyConstraint("change_id", "sign", "source", "destination", name="pk_change_pair"),
        sa.CheckConstraint("sign IN ('+', '-')", name=op.f("ck_change_pair_sign")),
        sa.ForeignKeyConstraint(["change_id"], ["change.change_id"], name="fk_change_pair_change", ondelete="CASCADE"),
    )  # fmt: skip
    op.create_table(
        "change_effect",
        *text("change_id"),
        *text("problem", nullable=True),
        *integer("days", "incomplete_days"),
        *day("beta_day", nullable=True),
        *boolean("is_first"),
        *integer("alpha_bytes", "queued_bytes_before", "queued_bytes_after", "flows_gained", "flows_lost"),
        *integer("beta_bytes_before", "beta_bytes_after", nullable=True),
        sa.PrimaryKeyConstraint("change_id", name="pk_change_effect"),
        sa.ForeignKeyConstraint(
            ["change_id"], ["change.change_id"], name="fk_change_effect_change", ondelete="CASCADE",
        ),
    )  # fmt: skip
    op.create_table(
        "change_note",
        *text("change_id"),
        *integer("position"),
        *text("words"),
        sa.PrimaryKeyConstraint("change_id", "position", name="pk_change_note"),
        sa.ForeignKeyConstraint(["change_id"], ["change.change_id"], name="fk_change_note_change", ondelete="CASCADE"),
    )  # fmt: skip
    op.create_table(
        "change_reserved",
        *text("change_id", "name"),
        *integer("rate_bps"),
        sa.PrimaryKeyConstraint("change_id", "name", name="pk_change_reserved"),
        sa.ForeignKeyConstraint(
            ["change_id"], ["change.change_id"], name="fk_change_reserved_change", ondelete="CASCADE",
        ),
    )  # fmt: skip


def _judgements() -> None:
    op.create_table(
        "judgement",
        *text("router", "candidate_hash", "model_hash"),
        *day("day"),
        *text("limits", "parameters", "plan", "detection", "peaks", "traffic", "engine_version", "judgement_id"),
        sa.PrimaryKeyConstraint("router", "candidate_hash", name="pk_judgement"),
    )  # fmt: skip
    op.create_table(
        "gate_verdict",
        *text("router", "candidate_hash", "criterion", "measure", "port", "outcome", "sentence"),
        *real("limit_value", "found_value", nullable=True),
        *text("unit", "engine"),
        *integer("seed", nullable=True),
        *text("scenario_hash", nullable=True),
        *real("round_trip_ms", nullable=True),
        *text("congestion", nullable=True),
        *text("controls"),
        sa.PrimaryKeyConstraint("router", "candidate_hash", "criterion", "measure", "port", name="pk_gate_verdict"),
        sa.CheckConstraint("engine IN ('text', 'packet', 'fluid')", name=op.f("ck_gate_verdict_engine")),
        sa.CheckConstraint(
            "outcome IN ('passed', 'failed', 'not_judged', 'reported')", name=op.f("ck_gate_verdict_outcome"),
        ),
        sa.CheckConstraint("congestion IN ('htcp', 'cubic', 'bbr')", name=op.f("ck_gate_verdict_congestion")),
        sa.ForeignKeyConstraint(
            ["router", "candidate_hash"], ["judgement.router", "judgement.candidate_hash"],
            name="fk_gate_verdict_judgement", ondelete="CASCADE",
        ),
    )  # fmt: skip
    op.create_table(
        "simulated_run",
        *text("run_key", "digest"),
        sa.PrimaryKeyConstraint("run_key", name="pk_simulated_run"),
    )  # fmt: skip


def _audit_log() -> None:
    op.create_table(
        "audit_event",
        *integer("number", "time_ms"),
        *text("kind"),
        *text("router", nullable=True),
        *day("day", nullable=True),
        *text("change_id", "candidate_hash", "judgement_id", nullable=True),
        *text("outcome"),
        *text("content_hash", nullable=True),
        *text("detail", "identity"),
        *text("who", nullable=True),
        *text("program_version"),
        *text("note", nullable=True),
        *text("previous_hash", "hash"),
        sa.PrimaryKeyConstraint("number", name="pk_audit_event"),
    )  # fmt: skip
    op.create_index("ix_audit_event_kind_router", "audit_event", ["kind", "router"])
    op.create_table(
        "settings_seen",
        *text("section", "fingerprint"),
        sa.PrimaryKeyConstraint("section", name="pk_settings_seen"),
    )  # fmt: skip


def _counters() -> None:
    op.create_table(
        "counter_reading",
        *text("router"),
        *integer("read_ms"),
        *text("interface", "counter"),
        *text("source", "destination", nullable=True),
        *integer("packets", "bytes"),
        sa.PrimaryKeyConstraint("router", "read_ms", "interface", "counter", name="pk_counter_reading"),
    )  # fmt: skip
    op.create_table(
        "counter_known",
        *text("router", "interface", "counter"),
        *text("source", "destination", nullable=True),
        *integer("first_read_ms", "last_read_ms"),
        *integer("first_matched_ms", nullable=True),
        sa.PrimaryKeyConstraint("router", "interface", "counter", name="pk_counter_known"),
    )  # fmt: skip


def _reservations() -> None:
    op.create_table(
        "reservation",
        *integer("number"),
        *text("external_id", nullable=True),
        *text("owner", "ticket", "source", "destination"),
        *integer("rate_bps", "start_s", "end_s"),
        *text("kind"),
        *integer("floor_bps"),
        *text("booking"),
        *integer("rtt_ms"),
        *text("state"),
        *integer("cancelled_s", nullable=True),
        sa.PrimaryKeyConstraint("number", name="pk_reservation"),
        sa.CheckConstraint("booking IN ('immediate', 'advance')", name=op.f("ck_reservation_booking")),
        sa.CheckConstraint("kind IN ('foreground', 'background')", name=op.f("ck_reservation_kind")),
        sa.CheckConstraint("state IN ('booked', 'cancelled')", name=op.f("ck_reservation_state")),
        sa.UniqueConstraint("owner", "external_id", name="uq_reservation_owner_external_id"),
    )  # fmt: skip
    op.create_index("ix_reservation_state_end_s", "reservation", ["state", "end_s"])
    op.create_table(
        "reservation_port",
        *integer("number", "position"),
        *text("router", "interface"),
        sa.PrimaryKeyConstraint("number", "position", name="pk_reservation_port"),
        sa.ForeignKeyConstraint(
            ["number"], ["reservation.number"], name="fk_reservation_port_reservation", ondelete="CASCADE",
        ),
    )  # fmt: skip
    op.create_table(
        "reservation_quota",
        *integer("number"),
        *text("router", "interface"),
        *integer("rate_bps", "start_s", "end_s"),
        *text("granted_by", "granted_identity"),
        *text("second_identity", nullable=True),
        *text("reason"),
        *integer("revoked_s", nullable=True),
        sa.PrimaryKeyConstraint("number", name="pk_reservation_quota"),
    )  # fmt: skip
    op.create_index("ix_reservation_quota_router_end_s", "reservation_quota", ["router", "end_s"])
    op.create_table(
        "reservation_notice",
        *integer("number"),
        *text("state"),
        *integer("rate_bps"),
        sa.PrimaryKeyConstraint("number", name="pk_reservation_notice"),
        sa.ForeignKeyConstraint(
            ["number"], ["reservation.number"], name="fk_reservation_notice_reservation", ondelete="CASCADE",
        ),
    )  # fmt: skip


def _of_flow_file(table: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(
        ["folder", "path"], ["flow_file.folder", "flow_file.path"], name=f"fk_{table}_flow_file", ondelete="CASCADE"
    )


def _refuse_changes() -> None:
    if op.get_bind().dialect.name == "postgresql":
        op.execute(
            "CREATE FUNCTION audit_event_refusal() RETURNS trigger LANGUAGE plpgsql AS "
            f"$$ BEGIN RAISE EXCEPTION '{_REFUSAL}'; END $$"
        )
        for name, what in (("kept", "UPDATE OR DELETE"), ("not_emptied", "TRUNCATE")):
            op.execute(
                f"CREATE TRIGGER audit_event_is_{name} BEFORE {what} ON audit_event "
                "FOR EACH STATEMENT EXECUTE FUNCTION audit_event_refusal()"
            )
        return
    for what in ("UPDATE", "DELETE"):
        op.execute(
            f"CREATE TRIGGER audit_event_no_{what.lower()} BEFORE {what} ON audit_event "
            f"BEGIN SELECT RAISE(ABORT, '{_REFUSAL}'); END"
        )
