-- What the migrations make of an empty SQLite database; see tests/integration/sql/test_migrations.py.
CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL,
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
CREATE TABLE flow_file (
	folder TEXT NOT NULL,
	path TEXT NOT NULL,
	sha256 TEXT NOT NULL,
	size_bytes BIGINT NOT NULL,
	file_start_ms BIGINT NOT NULL,
	ingest_hash TEXT NOT NULL,
	state TEXT NOT NULL,
	reason TEXT NOT NULL,
	file_layout BIGINT,
	nfdump_version TEXT NOT NULL,
	promised_records BIGINT,
	read_records BIGINT NOT NULL,
	CONSTRAINT ck_flow_file_state CHECK (state IN ('ingested', 'quarantined', 'duplicate')),
	CONSTRAINT pk_flow_file PRIMARY KEY (folder, path)
);
CREATE INDEX ix_flow_file_folder_file_start_ms ON flow_file (folder, file_start_ms);
CREATE TABLE flow_file_count (
	folder TEXT NOT NULL,
	path TEXT NOT NULL,
	router TEXT NOT NULL,
	outcome TEXT NOT NULL,
	records BIGINT NOT NULL,
	bytes BIGINT NOT NULL,
	CONSTRAINT fk_flow_file_count_flow_file FOREIGN KEY(folder, path) REFERENCES flow_file (folder, path) ON DELETE CASCADE,
	CONSTRAINT pk_flow_file_count PRIMARY KEY (folder, path, router, outcome)
);
CREATE TABLE flow_file_part (
	folder TEXT NOT NULL,
	path TEXT NOT NULL,
	router TEXT NOT NULL,
	day DATE NOT NULL,
	part TEXT NOT NULL,
	records BIGINT NOT NULL,
	bytes BIGINT NOT NULL,
	CONSTRAINT fk_flow_file_part_flow_file FOREIGN KEY(folder, path) REFERENCES flow_file (folder, path) ON DELETE CASCADE,
	CONSTRAINT pk_flow_file_part PRIMARY KEY (folder, path, router, day)
);
CREATE INDEX ix_flow_file_part_router_day ON flow_file_part (router, day);
CREATE TABLE sampling_evidence (
	folder TEXT NOT NULL,
	path TEXT NOT NULL,
	exporter TEXT NOT NULL,
	source TEXT NOT NULL,
	factor BIGINT NOT NULL,
	records BIGINT NOT NULL,
	CONSTRAINT fk_sampling_evidence_flow_file FOREIGN KEY(folder, path) REFERENCES flow_file (folder, path) ON DELETE CASCADE,
	CONSTRAINT pk_sampling_evidence PRIMARY KEY (folder, path, exporter, source, factor)
);
CREATE TABLE pin (
	router TEXT NOT NULL,
	source TEXT NOT NULL,
	destination TEXT NOT NULL,
	from_day DATE NOT NULL,
	owner TEXT NOT NULL,
	reason TEXT NOT NULL,
	expires_day DATE,
	withdrawn_day DATE,
	CONSTRAINT pk_pin PRIMARY KEY (router, source, destination, from_day)
);
CREATE TABLE exclusion (
	scope_router TEXT NOT NULL,
	side TEXT NOT NULL,
	prefix TEXT NOT NULL,
	from_day DATE NOT NULL,
	owner TEXT NOT NULL,
	reason TEXT NOT NULL,
	expires_day DATE NOT NULL,
	withdrawn_day DATE,
	CONSTRAINT ck_exclusion_side CHECK (side IN ('source', 'destination', 'either')),
	CONSTRAINT pk_exclusion PRIMARY KEY (scope_router, side, prefix, from_day)
);
CREATE TABLE in_force (
	router TEXT NOT NULL,
	candidate_hash TEXT NOT NULL,
	day DATE NOT NULL,
	CONSTRAINT pk_in_force PRIMARY KEY (router)
);
CREATE TABLE "load_day" (
	router TEXT NOT NULL,
	day DATE NOT NULL,
	minutes BIGINT NOT NULL,
	pairs BIGINT NOT NULL,
	pairs_hash TEXT NOT NULL,
	repeated_records BIGINT NOT NULL,
	repeated_bytes BIGINT NOT NULL,
	implausible_minutes BIGINT NOT NULL,
	CONSTRAINT pk_load_day PRIMARY KEY (router, day)
);
CREATE TABLE "interface_load" (
	router TEXT NOT NULL,
	day DATE NOT NULL,
	interface_index BIGINT NOT NULL,
	records BIGINT NOT NULL,
	beta_bytes BIGINT NOT NULL,
	alpha_bytes BIGINT NOT NULL,
	beta_peak_ms BIGINT,
	beta_peak_wire_bytes BIGINT NOT NULL,
	beta_peak_sd_bytes BIGINT,
	beta_p50_wire_bytes BIGINT NOT NULL,
	beta_p95_wire_bytes BIGINT NOT NULL,
	beta_p99_wire_bytes BIGINT NOT NULL,
	beta_p999_wire_bytes BIGINT NOT NULL,
	alpha_peak_wire_bytes BIGINT NOT NULL,
	implausible_minutes BIGINT NOT NULL,
	CONSTRAINT fk_interface_load_load_day FOREIGN KEY(router, day) REFERENCES load_day (router, day) ON DELETE CASCADE,
	CONSTRAINT pk_interface_load PRIMARY KEY (router, day, interface_index)
);
CREATE TABLE "change_set" (
	router TEXT NOT NULL,
	day DATE NOT NULL,
	base_hash TEXT,
	candidate_hash TEXT NOT NULL,
	model_hash TEXT NOT NULL,
	state TEXT NOT NULL,
	expires_ms BIGINT NOT NULL,
	data_complete BOOLEAN NOT NULL,
	pairs_added BIGINT NOT NULL,
	pairs_removed BIGINT NOT NULL,
	pairs_kept BIGINT NOT NULL,
	summary TEXT NOT NULL,
	decided_by TEXT,
	decision_note TEXT,
	CONSTRAINT ck_change_set_state CHECK (state IN ('empty', 'pending', 'approved', 'rejected', 'superseded', 'expired', 'withdrawn')),
	CONSTRAINT pk_change_set PRIMARY KEY (router, day)
);
CREATE TABLE audit_event (
	number BIGINT NOT NULL,
	time_ms BIGINT NOT NULL,
	kind TEXT NOT NULL,
	detail TEXT NOT NULL,
	identity TEXT NOT NULL,
	program_version TEXT NOT NULL,
	previous_hash TEXT NOT NULL,
	hash TEXT NOT NULL,
	router TEXT,
	candidate_hash TEXT,
	judgement_id TEXT,
	who TEXT,
	note TEXT,
	day DATE,
	CONSTRAINT pk_audit_event PRIMARY KEY (number)
);
CREATE INDEX ix_audit_event_kind_router ON audit_event (kind, router);
CREATE TABLE approved_text (
	candidate_hash TEXT NOT NULL,
	text TEXT NOT NULL,
	model_json TEXT NOT NULL,
	CONSTRAINT pk_approved_text PRIMARY KEY (candidate_hash)
);
CREATE TRIGGER audit_event_no_update BEFORE UPDATE ON audit_event BEGIN SELECT RAISE(ABORT, 'the audit log is only ever appended to'); END;
CREATE TRIGGER audit_event_no_delete BEFORE DELETE ON audit_event BEGIN SELECT RAISE(ABORT, 'the audit log is only ever appended to'); END;
CREATE TABLE judgement (
	router TEXT NOT NULL,
	candidate_hash TEXT NOT NULL,
	judgement_id TEXT NOT NULL,
	day DATE,
	model_hash TEXT NOT NULL,
	limits TEXT NOT NULL,
	parameters TEXT NOT NULL,
	"plan" TEXT NOT NULL,
	detection TEXT NOT NULL,
	peaks TEXT NOT NULL,
	traffic TEXT NOT NULL,
	engine_version TEXT NOT NULL,
	CONSTRAINT pk_judgement PRIMARY KEY (router, candidate_hash)
);
CREATE TABLE simulated_run (
	run_key TEXT NOT NULL,
	digest TEXT NOT NULL,
	CONSTRAINT pk_simulated_run PRIMARY KEY (run_key)
);
CREATE TABLE gate_verdict (
	router TEXT NOT NULL,
	candidate_hash TEXT NOT NULL,
	criterion TEXT NOT NULL,
	measure TEXT NOT NULL,
	port TEXT NOT NULL,
	outcome TEXT NOT NULL,
	sentence TEXT NOT NULL,
	limit_value DOUBLE,
	found_value DOUBLE,
	unit TEXT NOT NULL,
	engine TEXT NOT NULL,
	seed BIGINT,
	scenario_hash TEXT,
	CONSTRAINT ck_gate_verdict_engine CHECK (engine IN ('text', 'packet', 'fluid')),
	CONSTRAINT ck_gate_verdict_outcome CHECK (outcome IN ('passed', 'failed', 'not_judged', 'reported')),
	CONSTRAINT fk_gate_verdict_judgement FOREIGN KEY(router, candidate_hash) REFERENCES judgement (router, candidate_hash) ON DELETE CASCADE,
	CONSTRAINT pk_gate_verdict PRIMARY KEY (router, candidate_hash, criterion, measure, port)
);
CREATE TABLE "observation" (
	router TEXT NOT NULL,
	day DATE NOT NULL,
	flow_id TEXT NOT NULL,
	flow_key TEXT NOT NULL,
	rule TEXT NOT NULL,
	threshold_bytes BIGINT NOT NULL,
	window_s BIGINT NOT NULL,
	exporter TEXT NOT NULL,
	direction BIGINT NOT NULL,
	ip_version BIGINT NOT NULL,
	source TEXT NOT NULL,
	destination TEXT NOT NULL,
	source_port BIGINT,
	destination_port BIGINT,
	protocol BIGINT,
	first_ms BIGINT NOT NULL,
	last_ms BIGINT NOT NULL,
	flow_bytes BIGINT NOT NULL,
	burst_bytes BIGINT NOT NULL,
	peak_start_ms BIGINT NOT NULL,
	peak_bytes BIGINT NOT NULL,
	peak_sd_bytes BIGINT,
	sampling_factor BIGINT,
	records BIGINT NOT NULL,
	repaired_records BIGINT NOT NULL,
	borderline BOOLEAN NOT NULL,
	implausible BOOLEAN NOT NULL, ecn_records BIGINT,
	CONSTRAINT ck_observation_flow_key CHECK (flow_key IN ('five_tuple', 'host_pair')),
	CONSTRAINT ck_observation_ip_version CHECK (ip_version IN (4, 6)),
	CONSTRAINT ck_observation_rule CHECK (rule IN ('window', 'report')),
	CONSTRAINT pk_observation PRIMARY KEY (router, day, flow_id)
);
CREATE TABLE "day_status" (
	router TEXT NOT NULL,
	day DATE NOT NULL,
	expected_s BIGINT NOT NULL,
	covered_s BIGINT NOT NULL,
	files BIGINT NOT NULL,
	quarantined_files BIGINT NOT NULL,
	records BIGINT NOT NULL,
	complete BOOLEAN NOT NULL,
	reason TEXT NOT NULL,
	unlisted_flows BIGINT NOT NULL,
	CONSTRAINT pk_day_status PRIMARY KEY (router, day)
);
CREATE INDEX ix_observation_router_source_day ON observation (router, source, day);
CREATE TABLE observation_digest (
	router TEXT NOT NULL,
	day DATE NOT NULL,
	digest TEXT NOT NULL,
	believed_bytes BIGINT NOT NULL,
	CONSTRAINT pk_observation_digest PRIMARY KEY (router, day)
);
CREATE TABLE rules_by_history (
	router TEXT NOT NULL,
	day DATE NOT NULL,
	made_from TEXT NOT NULL,
	content TEXT NOT NULL,
	CONSTRAINT pk_rules_by_history PRIMARY KEY (router)
);
CREATE TABLE counter_reading (
	router TEXT NOT NULL,
	read_ms BIGINT NOT NULL,
	interface TEXT NOT NULL,
	counter TEXT NOT NULL,
	source TEXT,
	destination TEXT,
	packets BIGINT NOT NULL,
	bytes BIGINT NOT NULL,
	CONSTRAINT pk_counter_reading PRIMARY KEY (router, read_ms, interface, counter)
);
CREATE TABLE reservation (
	number BIGINT NOT NULL,
	external_id TEXT,
	owner TEXT NOT NULL,
	ticket TEXT NOT NULL,
	source TEXT NOT NULL,
	destination TEXT NOT NULL,
	rate_bps BIGINT NOT NULL,
	start_s BIGINT NOT NULL,
	end_s BIGINT NOT NULL,
	kind TEXT NOT NULL,
	floor_bps BIGINT NOT NULL,
	booking TEXT NOT NULL,
	rtt_ms BIGINT NOT NULL,
	state TEXT NOT NULL,
	cancelled_s BIGINT,
	CONSTRAINT ck_reservation_booking CHECK (booking IN ('immediate', 'advance')),
	CONSTRAINT ck_reservation_kind CHECK (kind IN ('foreground', 'background')),
	CONSTRAINT ck_reservation_state CHECK (state IN ('booked', 'cancelled')),
	CONSTRAINT pk_reservation PRIMARY KEY (number),
	CONSTRAINT uq_reservation_owner_external_id UNIQUE (owner, external_id)
);
CREATE INDEX ix_reservation_state_end_s ON reservation (state, end_s);
CREATE TABLE reservation_port (
	number BIGINT NOT NULL,
	position BIGINT NOT NULL,
	router TEXT NOT NULL,
	interface TEXT NOT NULL,
	CONSTRAINT fk_reservation_port_reservation FOREIGN KEY(number) REFERENCES reservation (number) ON DELETE CASCADE,
	CONSTRAINT pk_reservation_port PRIMARY KEY (number, position)
);
CREATE TABLE counter_known (
	router TEXT NOT NULL,
	interface TEXT NOT NULL,
	counter TEXT NOT NULL,
	source TEXT,
	destination TEXT,
	first_read_ms BIGINT NOT NULL,
	last_read_ms BIGINT NOT NULL,
	first_matched_ms BIGINT,
	CONSTRAINT pk_counter_known PRIMARY KEY (router, interface, counter)
);
CREATE TABLE edge_change (
	router TEXT NOT NULL,
	base_hash TEXT NOT NULL,
	from_s BIGINT NOT NULL,
	until_s BIGINT,
	leads BOOLEAN NOT NULL,
	day DATE NOT NULL,
	candidate_hash TEXT NOT NULL,
	model_hash TEXT NOT NULL,
	state TEXT NOT NULL,
	summary TEXT NOT NULL,
	first_identity TEXT,
	decided_by TEXT,
	decision_note TEXT,
	CONSTRAINT ck_edge_change_state CHECK (state IN ('pending', 'approved', 'rejected', 'superseded')),
	CONSTRAINT pk_edge_change PRIMARY KEY (router, base_hash, from_s)
);
CREATE INDEX ix_edge_change_router_candidate_hash ON edge_change (router, candidate_hash);
CREATE TABLE reservation_quota (
	number BIGINT NOT NULL,
	router TEXT NOT NULL,
	interface TEXT NOT NULL,
	rate_bps BIGINT NOT NULL,
	start_s BIGINT NOT NULL,
	end_s BIGINT NOT NULL,
	granted_by TEXT NOT NULL,
	granted_identity TEXT NOT NULL,
	second_identity TEXT,
	reason TEXT NOT NULL,
	revoked_s BIGINT,
	CONSTRAINT pk_reservation_quota PRIMARY KEY (number)
);
CREATE INDEX ix_reservation_quota_router_end_s ON reservation_quota (router, end_s);
INSERT INTO alembic_version VALUES ('0016');
