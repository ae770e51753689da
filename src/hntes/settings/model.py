"""The keys of the settings file, with their units, ranges and defaults."""

import os
import re
from datetime import date, timedelta
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, field_validator, model_validator

from hntes.addresses import Address
from hntes.days import day_problem
from hntes.settings.adopt import Adopt, KeptClass, require_adoptable, require_own_running
from hntes.settings.analytics import Analytics
from hntes.settings.announced import Announced
from hntes.settings.autonomous_systems import AutonomousSystems
from hntes.settings.counters import Counters
from hntes.settings.defaults import Defaults
from hntes.settings.delivery import Access, Delivery, require_canary, require_own_addresses
from hntes.settings.fetch import ClickHouse, Kafka
from hntes.settings.flowspec import FlowSpec, require_one_way, require_own_speakers
from hntes.settings.git import GitRecord
from hntes.settings.hosts import CONTROLS, HOST_PROFILES, Controls, Hosts
from hntes.settings.ingest import Ingest, RotationS
from hntes.settings.lake import LakeAddress, LakeStore, folder_or_address
from hntes.settings.losses import LossCause
from hntes.settings.names import FilePath, HardwareName, InterfaceName, Name, PlatformName
from hntes.settings.notices import Notices
from hntes.settings.own_configuration import ClassNames, QueueNumbers
from hntes.settings.plans import Plan, RateBps, TwoQueue
from hntes.settings.protected import Protected
from hntes.settings.redirect import NextHopRedirect, Redirect
from hntes.settings.reservations import Reservations, require_known_ports
from hntes.settings.retention import Retention
from hntes.settings.sampling import ExporterAddress, Sampling
from hntes.settings.section import Section
from hntes.settings.shares import Shares
from hntes.settings.sites import NamedSite, require_distinct
from hntes.settings.web import Web

IpVersions = Annotated[
    tuple[Literal[4, 6], ...], Field(min_length=1), AfterValidator(lambda given: tuple(sorted(set(given))))
]


class Paths(Section):
    """Folders that HNTES writes; relative ones start at the settings file's folder."""

    lake: FilePath | LakeAddress = Path("var/lake")
    output: FilePath = Path("var/output")
    simulations: FilePath = Path("var/simulations")
    audit_anchors: FilePath = Path("var/audit-anchors.log")

    @field_validator("lake", mode="before")
    @classmethod
    def _folder_or_address(cls, lake: object) -> object:
        return folder_or_address(lake)


class Database(Section):
    """The database of all state. It has no password: that comes from HNTES_DATABASE_PASSWORD."""

    url: str = "sqlite:///var/hntes.db"
    """sqlite:///PATH, or postgresql+psycopg://USER@HOST/DATABASE without a password"""
    statement_limit_s: Annotated[int, Field(ge=10, le=86_400)] = 600

    @field_validator("url")
    @classmethod
    def _known_and_without_password(cls, url: str) -> str:
        if not url.startswith(("sqlite:///", "postgresql+psycopg://")):
            raise ValueError("must begin with sqlite:/// or postgresql+psycopg://")
        if not url.startswith("sqlite:") and _holds_password(url):
            raise ValueError("contains a password; remove it and set HNTES_DATABASE_PASSWORD instead")
        return url


def _holds_password(url: str) -> bool:
    """Whether it has a password before the host or among the options; that may itself hold `/`, `?` and `:`."""
    address = url.partition("://")[2]
    in_options = re.search(r"[?&]password=", address, re.IGNORECASE)
    return in_options is not None or re.match(r"[^:/@]*:[^@]+@", address) is not None


class Detection(Section):
    """The definition of an alpha flow and of its prefix pair."""

    threshold_bytes: Annotated[int, Field(ge=1, le=2**50)] = 1_000_000_000
    window_s: Annotated[int, Field(ge=1, le=3600)] = 60
    rule: Literal["window", "report"] = "window"
    flow_key: Literal["five_tuple", "host_pair"] = "five_tuple"
    weak_evidence: Literal["second_sighting", "accept", "ignore"] = "second_sighting"
    ipv4_prefix_length: Annotated[int, Field(ge=16, le=32)] = 24
    """length of the IPv4 prefixes of an alpha flow's pair"""
    ipv6_prefix_length: Annotated[int, Field(ge=32, le=128)] = 64
    """length of the IPv6 prefixes of an alpha flow's pair"""


class Pins(Section):
    """The shortest prefixes that an operator may pin: shorter ones match traffic without any evidence."""

    min_ipv4_prefix_length: Annotated[int, Field(ge=0, le=32)] = 16
    """shortest IPv4 prefix that `hntes override pin add` accepts"""
    min_ipv6_prefix_length: Annotated[int, Field(ge=0, le=128)] = 32
    """shortest IPv6 prefix that `hntes override pin add` accepts"""


class Ageing(Section):
    """The removal of pairs that are no longer seen."""

    days: Annotated[int, Field(ge=1, le=3650)] = 30
    min_day_coverage: Annotated[float, Field(ge=0.0, le=1.0)] = 0.96
    usual_exporter_records: Annotated[int, Field(ge=0, le=1_000_000)] = 100


class Review(Section):
    """The lifetime of a change, and the number of approvals that it needs."""

    expiry_hours: Annotated[int, Field(ge=1, le=1_000_000)] = 72
    new_pairs_limit: Annotated[int, Field(ge=0, le=1_000_000)] = 100
    approvals: Literal[1, 2] = 1

    @property
    def expiry(self) -> timedelta:
        return timedelta(hours=self.expiry_hours)


class Replay(Section):
    """Replay of flows with shifted dates: days up to `latest_day` may be run although they are in the future."""

    latest_day: date | None = None
    """last future day that may be run; none: only past days"""

    @field_validator("latest_day")
    @classmethod
    def _a_day_that_can_be_meant(cls, latest_day: date | None) -> date | None:
        if latest_day is not None and (problem := day_problem(latest_day)):
            raise ValueError(problem)
        return latest_day


# Not below that of the testbed's paths, over which all runs go.
RoundTripsMs = Annotated[
    tuple[Annotated[float, Field(ge=2, le=400)], ...],
    Field(min_length=1),
    AfterValidator(lambda given: tuple(sorted(set(given)))),
]


class Gate(Section):
    """The limits of the gate's criteria, and its simulation parameters. Shares are per cent of the port's rate."""

    delay_increase_ms: Annotated[float, Field(gt=0, le=50)] = 1.0
    delay_sd_ms: Annotated[float, Field(gt=0, le=50)] = 1.0
    throughput_pct: Annotated[float, Field(ge=50, le=100)] = 95.0
    beta_loads_pct: Annotated[tuple[Annotated[float, Field(ge=0, lt=100)], ...], Field(min_length=1)] = (10.0, 30.0)
    out_of_sequence_pkts: Annotated[int, Field(ge=0, le=1_000)] = 0
    beta_loss_pct: Annotated[float, Field(ge=0, le=2)] = 0.0
    beta_delay_increase_ms: Annotated[float, Field(gt=0, le=50)] = 1.0
    beta_peak_pct: Annotated[float, Field(ge=5, lt=100)] = 30.0
    burst_peak_factor: Annotated[float, Field(ge=1.5, le=4)] = 2.0
    burst_host_pct: Annotated[float, Field(ge=1, le=100)] = 10.0
    burst_delay_increase_ms: Annotated[float, Field(gt=0, le=50)] = 1.0
    burst_delay_sd_ms: Annotated[float, Field(gt=0, le=50)] = 1.0
    burst_delay_p99_ms: Annotated[float, Field(gt=0, le=200)] = 5.0
    burst_loss_pct: Annotated[float, Field(ge=0, le=2)] = 0.01
    max_policer_drops_pkts: Annotated[int, Field(ge=0, le=1_000)] = 0
    jain_index: Annotated[float, Field(ge=0.5, le=1)] = 0.9
    premium_rate_pct: Annotated[float, Field(ge=50, le=100)] = 95.0
    class_rate_pct: Annotated[float, Field(ge=50, le=100)] = 95.0
    class_delay_increase_ms: Annotated[float, Field(gt=0, le=50)] = 1.0
    reach_pct: Annotated[float, Field(ge=1, le=90)] = 50.0
    reach_space_pct: Annotated[float, Field(gt=0, le=1)] = 0.001
    tcp_profiles: Hosts = HOST_PROFILES
    congestion: Controls = CONTROLS
    round_trips_ms: RoundTripsMs = (2.0, 20.0, 80.0)
    engine: Literal["auto", "packet"] = "auto"
    run_s: Annotated[float, Field(ge=20, le=200)] = 40.0
    fairness_run_s: Annotated[float, Field(ge=20, le=200)] = 200.0
    seed: Annotated[int, Field(ge=0, le=2**32)] = 1
    """random seed of the simulated runs"""
    workers: Annotated[int, Field(ge=1, le=64)] = 2


class Interface(Section):
    """One interface of a router. `edge` gets the filter on its input, `core` the schedulers on its output.

    `ip_versions` are its address families: on Junos a filter would enable a family that is not configured. `logical` is
    the logical interface on this port and unit, on platforms that name it apart from the port.
    """

    name: InterfaceName
    """the port, as the router writes it, without a unit"""
    unit: Annotated[int, Field(ge=0, le=2_147_483_647)] = 0
    """unit or subinterface of the port; 0: none on Cisco"""
    role: Literal["edge", "core", "both"]
    rate_bps: RateBps
    """rate of the port, bit/s"""
    ip_versions: IpVersions = (4, 6)
    snmp_index: Annotated[int, Field(ge=1, le=2**32 - 1)] | None = None
    logical: InterfaceName | None = None


class Router(Section):
    """One ingress router: its platform, its interfaces, its flow folder, and its QoS plan."""

    name: Name
    """name of the router, in files, reports and commands"""
    platform: PlatformName
    hardware: HardwareName | None = None
    flow_folder: FilePath
    """folder of its flow files; several routers may share one"""
    exporters: tuple[ExporterAddress, ...] = ()
    """addresses of the router in flow exports; needed if routers share a folder, by default any"""
    sum_exporters: bool = False
    sampling_error_pct: Annotated[int, Field(ge=0, le=100)] = 0
    rotation_s: RotationS | None = None
    clock: Literal["exporter", "collector"] = "exporter"
    accepted_losses: tuple[LossCause, ...] = ()
    plan: Name = "recommended"
    """name of its QoS plan, one of [plans.NAME]"""
    term_budget: Annotated[int, Field(ge=1, le=100_000)] = 2000
    interfaces: Annotated[tuple[Interface, ...], Field(min_length=1)]
    sampling: tuple[Sampling, ...] = ()
    redirect: Redirect | None = None
    running_config: FilePath | None = None
    simulate_with_running_config: bool = True
    queues: QueueNumbers = QueueNumbers()
    class_names: ClassNames = ClassNames()
    adopt: Adopt | None = None
    kept_classes: tuple[KeptClass, ...] = ()
    round_trips_ms: RoundTripsMs | None = None
    port_buffer_ms: Annotated[int | float, Field(ge=0.1, le=1_000)] = 100
    fast_lookup_filter: bool = False
    delivery: Access | None = None
    flowspec: FlowSpec | None = None

    @property
    def is_reached(self) -> bool:
        """Whether HNTES delivers to it."""
        return self.delivery is not None or self.flowspec is not None

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        self._check_sampling()
        names = [(i.name, i.unit) for i in self.interfaces]
        if len(set(names)) != len(names):
            raise ValueError(f"router {self.name}: an interface is listed twice")
        indexes = [i.snmp_index for i in self.interfaces if i.snmp_index is not None]
        if len(set(indexes)) != len(indexes):
            raise ValueError(f"router {self.name}: two interfaces have the same snmp_index")
        if not any(i.role in ("edge", "both") for i in self.interfaces):
            raise ValueError(f"router {self.name}: no interface with role edge or both for the filter")
        if not any(i.role in ("core", "both") for i in self.interfaces):
            raise ValueError(f"router {self.name}: no interface with role core or both for the schedulers")
        self._check_redirect()
        require_own_running(self)
        require_one_way(self.name, self.flowspec, has_access=self.delivery is not None, redirect=self.redirect)
        return self

    def _check_redirect(self) -> None:
        cores = sorted({each.name for each in self.interfaces if each.role in ("core", "both")})
        if self.redirect is not None and self.redirect.port not in (None, *cores):
            named = f"router {self.name}: redirect.port {self.redirect.port}"
            raise ValueError(f"{named} is none of its core interfaces: {', '.join(cores)}")
        if isinstance(self.redirect, NextHopRedirect):
            for hop in (self.redirect.ipv4, self.redirect.ipv6):
                if hop in self.exporters:
                    raise ValueError(f"router {self.name}: the redirect to {hop} is the router's own address")

    def _check_sampling(self) -> None:
        exporters = [sampling.exporter for sampling in self.sampling]
        for exporter in exporters:
            if exporters.count(exporter) > 1:
                raise ValueError(f"router {self.name}: sampling of exporter {exporter} is given twice")
            if self.exporters and exporter not in self.exporters:
                raise ValueError(
                    f"router {self.name}: sampling names exporter {exporter}, which is not one of its `exporters`"
                )


class Settings(Section):
    """The whole settings file."""

    paths: Paths = Paths()
    lake_store: LakeStore | None = None
    database: Database = Database()
    ingest: Ingest = Ingest()
    analytics: Analytics = Analytics()
    detection: Detection = Detection()
    counters: Counters | None = None
    announced: Announced | None = None
    kafka: Kafka | None = None
    clickhouse: ClickHouse | None = None
    pins: Pins = Pins()
    protected: Protected = Protected()
    ageing: Ageing = Ageing()
    review: Review = Review()
    delivery: Delivery = Delivery()
    retention: Retention = Retention()
    replay: Replay = Replay()
    shares: Shares = Shares()
    reservations: Reservations | None = None
    sites: tuple[NamedSite, ...] = ()
    autonomous_systems: AutonomousSystems = AutonomousSystems()
    gate: Gate = Gate()
    web: Web = Web()
    defaults: Defaults = Defaults()
    notices: Notices = Notices()
    git: GitRecord | None = None
    plans: dict[Name, Plan] = {"recommended": TwoQueue(kind="two_queue")}  # noqa: RUF012 - pydantic copies defaults
    routers: Annotated[tuple[Router, ...], Field(min_length=1)]

    @model_validator(mode="after")
    def _references_hold(self) -> Self:
        names = [router.name for router in self.routers]
        if len(set(names)) != len(names):
            raise ValueError("routers: a name is used twice")
        require_distinct(self.sites)
        for router in self.routers:
            if router.plan not in self.plans:
                known = ", ".join(sorted(self.plans))
                raise ValueError(f"router {router.name}: plan {router.plan!r} is not defined; there are: {known}")
        for router in self.routers:
            require_adoptable(router, self.plans[router.plan])
        require_own_speakers(
            [(each.name, each.flowspec, self.plans[each.plan].kind) for each in self.routers if each.flowspec]
        )
        require_own_addresses([(each.name, each.delivery) for each in self.routers if each.delivery])
        require_canary(self.delivery, [each.name for each in self.routers if each.is_reached])
        queued = {(r.name, i.name) for r in self.routers for i in r.interfaces if i.role != "edge"}
        require_known_ports(self.reservations, queued)
        if self.lake_store is not None and not str(self.paths.lake).startswith(("s3://", "s3a://")):
            raise ValueError(f"[lake_store] is of an S3 service and paths.lake is {self.paths.lake}, not s3://...")
        self.check_shared_folders()
        return self

    def check_shared_folders(self) -> None:
        """Refuses routers that share a folder without listing their exporters: records would count twice.

        A folder is read with its sub-folders, so a router's folder inside another's is shared, too.

        Raises:
            ValueError: a router of a shared folder lists no exporters, or an exporter has two routers.
        """
        folders = {router.name: Path(os.path.normpath(router.flow_folder)) for router in self.routers}
        within: dict[Path, list[str]] = {}  # per folder, the routers whose own is the same or below it
        for name, folder in folders.items():
            for each in (folder, *folder.parents):
                within.setdefault(each, []).append(name)
        owners: dict[Address, list[str]] = {}
        for router in self.routers:
            mine = folders[router.name]
            inside = [name for name in within[mine] if name != router.name]
            if inside and not router.exporters:
                raise ValueError(
                    f"router {router.name}: flow_folder {router.flow_folder} serves several routers (also {inside[0]}),"
                    " so `exporters` must list this router's addresses"
                )
            for exporter in router.exporters:
                for owner in owners.setdefault(exporter, []):
                    if owner != router.name and _one_holds_the_other(folders[owner], mine):
                        raise ValueError(f"router {router.name}: exporter {exporter} belongs to router {owner} already")
                owners[exporter].append(router.name)

    def router(self, name: str) -> Router:
        """The router of that name.

        Raises:
            KeyError: no router has it.
        """
        for router in self.routers:
            if router.name == name:
                return router
        raise KeyError(name)


def _one_holds_the_other(one: Path, other: Path) -> bool:
    return one.is_relative_to(other) or other.is_relative_to(one)
