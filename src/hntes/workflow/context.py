"""The context of a command: settings, database, lake. Opened once, at the edge."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import date, timedelta
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from hntes import clock
from hntes.days import day_problem
from hntes.settings_file import settings_file
from hntes.workflow.errors import CommandError

if TYPE_CHECKING:
    # Imported lazily: a command that only reads the database starts without the rest.
    from sqlalchemy import Engine

    from hntes.etl.detect.alpha import DetectionRule
    from hntes.etl.engines.here import ThisMachine
    from hntes.etl.engines.spark import SparkMachines
    from hntes.etl.ingest.readers import FileReader
    from hntes.etl.ingest.router_exporters import RouterExporters
    from hntes.etl.ingest.run import FolderPlan
    from hntes.etl.lake.url import Lake
    from hntes.etl.sources.scan import Scan
    from hntes.etl.sources.source import FlowSource
    from hntes.settings import Settings
    from hntes.settings.model import Database, Router


@dataclass(frozen=True)
class Context:
    """Settings and an open database at this version's schema.

    most_workers: as many processes and threads may work at once, where others work beside this one; None: as in the
    settings.
    """

    settings: Settings
    database: Engine
    most_workers: int | None = None

    def workers(self, wanted: int) -> int:
        """So many workers, or those that may be."""
        return min(wanted, self.most_workers or wanted)

    @property
    def last_day(self) -> date:
        """The last day that may be run: today, or the latest day of a replay of re-dated flows."""
        return last_day_of(self.settings)

    @property
    def last_full_day(self) -> date:
        """The newest day that a night can have processed: yesterday, or later in a replay."""
        return max(clock.today() - timedelta(days=1), self.settings.replay.latest_day or date.min)

    def require_come(self, day: date) -> None:
        """Refuses a future day: it has no flows, and its change would take precedence over all others.

        Raises:
            CommandError: the day is after the last one that may be run, or out of range.
        """
        if problem := day_problem(day):
            raise CommandError(problem)
        if day > self.last_day:
            raise CommandError(
                f"{day} is in the future, today is {clock.today()} (UTC); is the year wrong? To replay re-dated "
                "flows, set [replay] latest_day in the settings"
            )

    @property
    def lake(self) -> Lake:
        lake, chosen = self.settings.paths.lake, self.settings.lake_store
        if not isinstance(lake, str):
            return lake
        from hntes.etl.lake.url import LakeUrl, S3Options

        given = chosen.model_dump(exclude_none=True) if chosen else {}
        return LakeUrl(lake, self.output / ".lake", S3Options(**given | {"ca_file": str(given.get("ca_file", ""))}))

    @property
    def output(self) -> Path:
        return self.settings.paths.output

    @cached_property
    def sources(self) -> tuple[FlowSource, ...]:
        """The installed flow sources, configured by the settings."""
        from hntes.etl.sources.registry import installed_sources

        return tuple(source.configured(self.settings.ingest) for source in installed_sources())

    def files_of(self, folder: Path, from_ms: int | None = None, to_ms: int | None = None) -> tuple[FlowSource, Scan]:
        """The source of a flow folder, and its finished files of [from_ms, to_ms) there; None leaves that end open."""
        from hntes.etl.sources.registry import discover
        from hntes.etl.sources.scan import Span

        ingest, span = self.settings.ingest, Span(from_ms, to_ms)
        return discover(folder, ingest.file_timezone, self.sources, ingest.source_name(folder), span)

    @cached_property
    def analytics(self) -> ThisMachine | SparkMachines:
        """The machines that work on flows."""
        from hntes.etl.engines.duck import DuckEngine

        chosen = self.settings.analytics
        sizes = chosen.duckdb.memory_mib, chosen.duckdb.temporary_mib, chosen.query_limit_s
        if chosen.kind == "duckdb":
            from hntes.etl.engines.here import ThisMachine

            return ThisMachine(DuckEngine(self.workers(self.settings.ingest.workers), *sizes))
        from hntes.etl.engines.session import SparkOptions
        from hntes.etl.engines.spark import SparkMachines
        from hntes.etl.lake.url import LakeUrl

        given, lake = chosen.spark.model_dump(), self.lake
        if isinstance(lake, LakeUrl) and lake.is_objects:
            given["conf"] = lake.s3.of_spark | given["conf"]
        # a task has one core
        return SparkMachines(SparkOptions(**given), DuckEngine(1, *sizes))

    @cached_property
    def reader(self) -> FileReader:
        """The processes that read flow files."""
        from hntes.etl.ingest.readers import ClusterReader, LocalReader

        local = LocalReader(self.workers(self.settings.ingest.workers))
        return local if self.settings.analytics.kind == "duckdb" else ClusterReader(self.analytics, local)

    def with_database(self, database: Engine) -> Context:
        """The same with other connections; the machines that work on flows are shared."""
        other = replace(self, database=database)
        vars(other)["analytics"] = self.analytics
        return other

    def close(self, *, keeps_database: bool = False) -> None:
        """Ends what was started to work on flows, and closes the database connections unless they are kept."""
        if "analytics" in self.__dict__:
            self.analytics.close()
        if not keeps_database:
            self.database.dispose()

    def detection_rule(self, router: Router) -> DetectionRule:
        """The definition of an alpha flow on that router."""
        from hntes.etl.detect.alpha import DetectionRule

        chosen = self.settings.detection
        return DetectionRule(
            chosen.threshold_bytes,
            chosen.window_s * 1000,
            chosen.rule,
            chosen.flow_key,
            router.sum_exporters,
            router.sampling_error_pct,
        )

    def folder_plan(self, folder: Path) -> FolderPlan:
        """The ingest plan of a flow folder, with all routers that it serves."""
        from hntes.etl.ingest.run import FolderPlan

        routers = [router for router in self.settings.routers if router.flow_folder == folder]
        ahead_ms = self.settings.ingest.max_clock_ahead_s * 1000
        ingest = self.settings.ingest
        claims = tuple(_claim(router, ingest.rotation_s) for router in routers)
        # of what lies below it, too: its files are read with the folder's
        described = [each for each in ingest.folders if _one_holds_the_other(each.folder, folder)]
        reading = json.dumps([each.model_dump(mode="json") for each in described], sort_keys=True) if described else ""
        return FolderPlan(folder, claims, ingest.file_timezone, ahead_ms, reading)

    def chosen(self, names: Sequence[str]) -> list[Router]:
        """The routers of these names, in the settings' order; all when none is named.

        Raises:
            CommandError: a name is not in the settings.
        """
        return routers_of(self.settings, names)

    def folders(self, routers: list[Router]) -> list[Path]:
        """The flow folders of these routers, each once, in the settings' order."""
        return list(dict.fromkeys(router.flow_folder for router in routers))


def _one_holds_the_other(one: Path, other: Path) -> bool:
    return one.is_relative_to(other) or other.is_relative_to(one)


@contextmanager
def one_moment(context: Context) -> Iterator[None]:
    """A context in which all reads of the database see one snapshot. For read-only code."""
    from hntes.sql.session import one_state

    with one_state(context.database):
        yield


class Databases:
    """Databases that a long-running process keeps open, so that it prepares statements and connects only once.

    Reopened if its file was replaced or its settings changed. Thread-safe.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._open: dict[object, Engine] = {}
        self._had_file: set[str] = set()

    def of(self, chosen: Database) -> Engine:
        """The database of these settings.

        Raises:
            DatabaseUnreachableError: its file has disappeared. A new, empty one would show no pending changes and no
                reservations.
        """
        from hntes.sql.engine import file_identity, open_database
        from hntes.sql.errors import DatabaseUnreachableError

        identity = file_identity(chosen.url)
        key = chosen.url, chosen.statement_limit_s, identity
        with self._lock:
            if identity is not None:
                self._had_file.add(chosen.url)
            elif chosen.url in self._had_file:
                raise DatabaseUnreachableError(
                    f"database {chosen.url}: its file is gone; restore it or a backup, or restart this "
                    "process to create an empty one"
                )
            if key not in self._open:
                self._dispose()
                database = open_database(chosen.url, statement_limit_s=chosen.statement_limit_s)
                # opening may have created the file
                self._open[chosen.url, chosen.statement_limit_s, file_identity(chosen.url)] = database
                return database
            return self._open[key]

    def close(self) -> None:
        """Closes all connections; the next request reopens what it needs."""
        with self._lock:
            self._dispose()

    def _dispose(self) -> None:
        for database in self._open.values():
            database.dispose()
        self._open.clear()


@contextmanager
def opened(
    settings_path: Path | None,
    kept: Databases | None = None,
    read: Callable[[Path | None], Settings] | None = None,
) -> Iterator[Context]:
    """A context from a settings file (default: $HNTES_SETTINGS, else ./hntes.toml), with its database migrated.

    With `kept` the database stays open for the next context; `read` reads the settings instead of `settings_of`.

    Raises:
        SettingsError: the settings are invalid.
        SqlError: the database cannot be opened or has a newer schema than this version.
    """
    settings = (read or settings_of)(settings_path)
    from hntes.sql.engine import open_database, upgrade
    from hntes.sql.errors import DatabaseUnreachableError

    chosen = settings.database
    database = kept.of(chosen) if kept else open_database(chosen.url, statement_limit_s=chosen.statement_limit_s)
    context = Context(settings, database)
    try:
        upgrade(database)
        yield context
    except DatabaseUnreachableError:
        if kept:
            kept.close()  # its password may have changed
        raise
    finally:
        context.close(keeps_database=kept is not None)


def settings_of(settings_path: Path | None) -> Settings:
    """The settings of a file (default: $HNTES_SETTINGS, else the nearest hntes.toml upwards); needs no database.

    Raises:
        SettingsError: the settings are invalid.
    """
    from hntes.platforms.settings_check import router_problems
    from hntes.settings import read_settings

    return read_settings(settings_file(settings_path), router_problems)


def routers_of(settings: Settings, names: Sequence[str]) -> list[Router]:
    """The routers of these names, in the settings' order; all when none is named.

    Raises:
        CommandError: a name is not in the settings.
    """
    known = [router.name for router in settings.routers]
    for name in names:
        if name not in known:
            raise CommandError(f"router {name!r} is not in the settings; known routers: {', '.join(known)}")
    return [router for router in settings.routers if not names or router.name in names]


def last_day_of(settings: Settings) -> date:
    """The last day that may be run: today, or the latest day of a replay of re-dated flows."""
    today = clock.today()
    return max(today, settings.replay.latest_day or today)


def _claim(router: Router, rotation_s: int) -> RouterExporters:
    from hntes.etl.ingest.ports import PortRates
    from hntes.etl.ingest.router_exporters import RouterExporters

    return RouterExporters(
        router.name,
        frozenset(str(exporter) for exporter in router.exporters),
        {str(sampling.exporter): sampling.factor for sampling in router.sampling},
        router.clock,
        {str(sampling.exporter): sampling.allowed_factors for sampling in router.sampling},
        PortRates(
            {each.snmp_index: each.rate_bps for each in router.interfaces if each.snmp_index is not None},
            max(each.rate_bps for each in router.interfaces),
        ),
        router.rotation_s or rotation_s,
    )
