"""Frozen rows of tables, free of SQLAlchemy, for exchange with other packages.

Days are UTC, `_ms` fields are epoch milliseconds UTC. Field names are column names.
"""

from dataclasses import dataclass
from datetime import date
from typing import Literal

FileState = Literal["ingested", "quarantined", "duplicate"]
DetectionRule = Literal["window", "report"]
FlowKey = Literal["five_tuple", "host_pair"]
# Why an alpha flow is implausible: above its port's rate or interface's counters, without counters, without packets.
Doubt = Literal["none", "port_rate", "above_counters", "no_counters", "no_packets"]
WeakEvidence = Literal["second_sighting", "accept", "ignore"]
Side = Literal["source", "destination", "either"]
CriterionName = Literal[
    "structure", "delay", "throughput", "order", "beta", "fairness", "surprise", "premium", "reach", "bursts",
    "classes",
]  # fmt: skip
AuditKind = Literal[
    "propose", "supersede", "judge", "decide", "expire", "withdraw", "deliver", "pin", "unpin", "exclude", "unexclude",
    "acknowledge", "push", "transition", "loaded", "verified", "remove", "drift", "hold", "settings", "restore",
    "prune", "forget", "reserve", "cancel", "undelivered", "quota", "notify", "set_aside", "reopen",
]  # fmt: skip
VerdictControl = Literal["htcp", "cubic", "bbr"]
VerdictOutcome = Literal["passed", "failed", "not_judged", "reported"]
VerdictEngine = Literal["text", "packet", "fluid"]

# The gate's criteria in their order: a candidate without a verdict on each of them has not passed.
CRITERIA: tuple[CriterionName, ...] = (
    *("structure", "delay", "throughput", "order", "beta", "fairness", "surprise", "premium", "reach", "bursts"),
    "classes",
)
ALL_ROUTERS = "*"


@dataclass(frozen=True)
class FileEntry:
    """One flow file as it was last looked at. `path` is relative to `folder`."""

    folder: str
    path: str
    sha256: str
    size_bytes: int
    file_start_ms: int
    ingest_hash: str
    state: FileState
    reason: str
    file_layout: int | None
    nfdump_version: str
    promised_records: int | None
    read_records: int


@dataclass(frozen=True)
class OutcomeCount:
    """Records of one file that went one way for one router (`router` is "" where none claimed them)."""

    router: str
    outcome: str
    records: int
    bytes: int


@dataclass(frozen=True)
class ExporterCount:
    """Records of one file and exporter that were not seen as they were sent, by outcome; `bytes` as stored.

    Outcomes exports:* count export packets, not records. `router` is "" where none claimed them.
    """

    router: str
    exporter: str
    outcome: str
    records: int
    bytes: int


@dataclass(frozen=True)
class FilePart:
    """The lake part that holds one file's records of one router and day. `part` is relative to the lake.

    `sha256` is that of the part as it was written, in hexadecimal digits; "" if it is older than the hash.
    """

    router: str
    day: date
    part: str
    records: int
    bytes: int
    sha256: str = ""


@dataclass(frozen=True)
class SamplingEntry:
    """The sampling factor used for some records of one exporter in one file, and where it came from.

    `bytes` are those of the records, as stored.
    """

    exporter: str
    factor: int
    source: str
    records: int
    bytes: int = 0


@dataclass(frozen=True)
class FactorSeen:
    """A sampling factor of an exporter, where it came from, and when the first file starts that has such records."""

    exporter: str
    factor: int
    source: str
    file_start_ms: int


@dataclass(frozen=True)
class LakePart:
    """A lake part together with the file it came from; `sha256` as of FilePart."""

    folder: str
    path: str
    file_start_ms: int
    router: str
    day: date
    part: str
    records: int
    bytes: int
    sha256: str = ""


@dataclass(frozen=True)
class DayEntry:
    """The coverage of one router's day by flow files. Only complete days count for ageing.

    `unlisted_flows` are alpha flows of a flood that cannot be true: counted, in no observation.
    """

    router: str
    day: date
    expected_s: int
    covered_s: int
    files: int
    quarantined_files: int
    records: int
    complete: bool
    reason: str
    unlisted_flows: int = 0


@dataclass(frozen=True)
class DayLoss:
    """Records of one exporter on a router's day that are no evidence of what it sent, by cause.

    `whole_records` and `whole_bytes` are all of the exporter's, these included; bytes as stored. `seen_s` is the time
    of the day that remains without all losses of the exporter. `counts` is false where the loss is only reported.
    """

    router: str
    day: date
    exporter: str
    cause: str
    records: int
    bytes: int
    whole_records: int
    whole_bytes: int
    seen_s: int
    counts: bool


@dataclass(frozen=True)
class ObservationEntry:
    """One alpha flow on one router and day. Addresses are texts in their canonical form.

    `flow_bytes` is the flow's total of the day, `burst_bytes` what it carried in windows above the threshold,
    `peak_bytes` its fullest window of `window_s`, from `peak_start_ms`; `peak_sd_bytes` is the standard deviation that
    sampling leaves on it, None where the sampling factor is not known. `ecn_records` of its records show a packet that
    can carry a mark or does (RFC 3168: ECN field not 0), None where the lake does not say so of all of them. `doubt` is
    why the flow is implausible. `confirmed_bytes` are those of a borderline flow's fullest window by its sender's
    announcement, if these exceed the threshold and the settings let that shorten the wait of weak evidence; else None.
    """

    router: str
    day: date
    flow_id: str
    flow_key: FlowKey
    rule: DetectionRule
    threshold_bytes: int
    window_s: int
    exporter: str
    direction: int
    ip_version: int
    source: str
    destination: str
    source_port: int | None
    destination_port: int | None
    protocol: int | None
    first_ms: int
    last_ms: int
    flow_bytes: int
    burst_bytes: int
    peak_start_ms: int
    peak_bytes: int
    peak_sd_bytes: int | None
    sampling_factor: int | None
    records: int
    repaired_records: int
    borderline: bool
    implausible: bool = False
    ecn_records: int | None = None
    doubt: Doubt = "none"
    confirmed_bytes: int | None = None


@dataclass(frozen=True)
class LoadDayEntry:
    """The measurement of one router's day over all interfaces, in addition to the loads of each interface.

    `minutes` is the number of clock minutes in which the router had any flow. The rules were `pairs` prefix pairs,
    `pairs_hash` names them. `repeated_bytes` were counted by a second metering point and are in no load.
    `implausible_minutes` are above the rate of their port; they are in no load either.
    """

    router: str
    day: date
    minutes: int
    pairs: int
    pairs_hash: str
    repeated_records: int
    repeated_bytes: int
    implausible_minutes: int = 0


@dataclass(frozen=True)
class InterfaceLoadEntry:
    """The egress traffic of one interface on one day; index 0 is for records without an interface.

    `_bytes` are IP bytes of the day; `_wire_bytes` are bytes of one minute with what Ethernet adds to each packet.
    `beta_p50_wire_bytes` .. `beta_p999_wire_bytes` are percentiles over the router's minutes with flows, those without
    beta traffic on this interface being 0. `beta_peak_sd_bytes` is one standard deviation of the fullest minute due to
    sampling, None where the rate is unknown. `beta_peak_ms` is where that minute begins, None without beta traffic.
    """

    router: str
    day: date
    interface_index: int
    records: int
    beta_bytes: int
    alpha_bytes: int
    beta_peak_ms: int | None
    beta_peak_wire_bytes: int
    beta_peak_sd_bytes: int | None
    beta_p50_wire_bytes: int
    beta_p95_wire_bytes: int
    beta_p99_wire_bytes: int
    beta_p999_wire_bytes: int
    alpha_peak_wire_bytes: int
    implausible_minutes: int = 0


@dataclass(frozen=True)
class PinEntry:
    """A prefix pair that an operator keeps on one router, from `from_day` through `expires_day`.

    A withdrawn pin holds until the day before `withdrawn_day`.
    """

    router: str
    source: str
    destination: str
    owner: str
    reason: str
    from_day: date
    expires_day: date | None = None
    withdrawn_day: date | None = None

    def active_on(self, day: date) -> bool:
        """Whether the pin holds on that day."""
        return _active(day, self.from_day, self.expires_day, self.withdrawn_day)


@dataclass(frozen=True)
class ExclusionEntry:
    """A prefix that must have no rule, on one router or on all ("*"), from `from_day` through `expires_day`.

    A withdrawn exclusion holds until the day before `withdrawn_day`.
    """

    scope_router: str
    side: Side
    prefix: str
    owner: str
    reason: str
    from_day: date
    expires_day: date
    withdrawn_day: date | None = None

    def active_on(self, day: date) -> bool:
        """Whether the exclusion holds on that day."""
        return _active(day, self.from_day, self.expires_day, self.withdrawn_day)

    def covers(self, router: str) -> bool:
        """Whether the exclusion covers that router."""
        return self.scope_router in (ALL_ROUTERS, router)


@dataclass(frozen=True)
class GateVerdictEntry:
    """One measured value of one criterion of the gate for one candidate; values are in `unit`.

    `port` names the simulated ports, "" for the text. `round_trip_ms` and `congestion` are of the alpha flows, None if
    they make no difference; `controls`, with spaces between them, are all that were asked.
    """

    router: str
    candidate_hash: str
    criterion: CriterionName
    measure: str
    port: str
    outcome: VerdictOutcome
    sentence: str
    limit_value: float | None
    found_value: float | None
    unit: str
    engine: VerdictEngine
    seed: int | None
    scenario_hash: str | None
    round_trip_ms: float | None = None
    congestion: VerdictControl | None = None
    controls: str = ""

    @property
    def is_passing(self) -> bool:
        return self.outcome in ("passed", "reported")


@dataclass(frozen=True)
class AuditEventEntry:
    """One event of the audit log. `identity`: the operating system's or an authenticated name; `who`: what was said.

    `outcome` is a word of the program; `content_hash` names what else an event is about: a transition, a quota.
    `detail` and `note` are for people: nothing depends on how they are worded.
    """

    number: int
    time_ms: int
    kind: AuditKind
    router: str | None
    day: date | None
    change_id: str | None
    candidate_hash: str | None
    judgement_id: str | None
    outcome: str
    content_hash: str | None
    detail: str
    identity: str
    who: str | None
    program_version: str
    note: str | None
    previous_hash: str
    hash: str


@dataclass(frozen=True)
class JudgementEntry:
    """The inputs of the gate's judgement on one candidate of a router.

    `judgement_id` is a hash over all the rest, "" until that is computed. `day` is that of the change. `limits`,
    `parameters`, `plan`, `detection`, `peaks` (bit/s by port) and `traffic` are canonical JSON.
    """

    router: str
    candidate_hash: str
    model_hash: str
    day: date
    limits: str
    parameters: str
    plan: str
    detection: str
    peaks: str
    traffic: str
    engine_version: str
    judgement_id: str = ""


def _active(day: date, from_day: date, expires_day: date | None, withdrawn_day: date | None) -> bool:
    if day < from_day or (expires_day is not None and day > expires_day):
        return False
    return withdrawn_day is None or day < withdrawn_day


def outcome_words(event: AuditEventEntry) -> str:
    """An event of the audit log in words, for a list."""
    return ": ".join(filter(None, (event.outcome.replace("_", " "), event.detail)))
