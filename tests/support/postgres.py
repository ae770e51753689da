"""A throw-away PostgreSQL server for the tests: the system's binaries, one temporary folder, no network."""

import itertools
import os
import pwd
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Self

import psycopg
from psycopg import sql

from tests.support.memory import folder_in_memory

START_LIMIT_S = 240.0
STOP_LIMIT_S = 30.0
USER = "hntes"


@cache
def find_binaries() -> Path | None:
    """The folder of the newest PostgreSQL server's binaries on this machine, or None."""
    versions = [path for path in Path("/usr/lib/postgresql").glob("*/bin") if _is_server(path)]
    if versions:
        return max(versions, key=lambda path: float(path.parent.name))
    initdb = shutil.which("initdb")
    folder = Path(initdb).resolve().parent if initdb else None
    return folder if folder and _is_server(folder) else None


@contextmanager
def temporary_server(binaries: Path) -> Iterator["Server"]:
    """A running server that is stopped and removed at the end, whatever happens in between."""
    # In memory a database is made and dropped in a tenth of the time. Else not TMPDIR: a socket's path may have no more
    # than 107 bytes, and another user must be able to reach the folder.
    parent = folder_in_memory(for_programs=False) or "/tmp"  # noqa: S108
    folder = Path(tempfile.mkdtemp(prefix="hntes-postgresql-", dir=parent))
    try:
        with Server(binaries, folder) as server:
            yield server
    finally:
        shutil.rmtree(folder, ignore_errors=True)


class Server:
    """One PostgreSQL server in one folder, which holds its data, its socket and its log."""

    def __init__(
        self,
        binaries: Path,
        folder: Path,
        *,
        user: str = USER,
        initdb_options: Sequence[str] = (),
        settings: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        """`user` is the superuser; `initdb_options` and `settings` go beyond the usual ones, or replace them."""
        self._binaries = binaries
        self._folder = folder
        self._user = user
        self._initdb_options = initdb_options
        self._more_settings = settings
        self._log = folder / "log"
        self._process: subprocess.Popen[bytes] | None = None
        self._numbers = itertools.count(1)

    def __enter__(self) -> Self:
        account = _account()
        if account:
            os.chown(self._folder, account.pw_uid, account.pw_gid)
        self._log.touch()
        data = str(self._folder / "data")
        with self._log.open("ab") as log:
            options = ["--username", self._user, "--auth", "trust", "--encoding", "UTF8", "--locale", "C", "--no-sync"]
            options += self._initdb_options
            initdb = [*_become(account), str(self._binaries / "initdb"), "--pgdata", data, *options]
            if subprocess.run(initdb, stdout=log, stderr=log, cwd="/", check=False).returncode:
                raise RuntimeError(f"initdb failed:\n{self._log.read_text()}")
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    @property
    def pid(self) -> int:
        """The process of the running server."""
        assert self._process is not None
        return self._process.pid

    def start(self) -> None:
        """Starts the server on its data; returns when it lets clients in."""
        data = str(self._folder / "data")
        postgres = [*_become(_account()), str(self._binaries / "postgres"), "-D", data, *self._settings()]
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(postgres, stdout=log, stderr=log, cwd="/")
        try:
            self._wait_until_ready()
        except BaseException:
            self.stop()
            raise

    def stop(self) -> None:
        """Stops the server, whoever is connected; its data stays."""
        if self._process is None:
            return
        # SIGINT is PostgreSQL's "fast" shutdown: sessions are ended, and nothing is waited for.
        self._process.send_signal(2)
        try:
            self._process.wait(STOP_LIMIT_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process = None

    @contextmanager
    def database(self, template: str = "template0") -> Iterator[str]:
        """A new database, empty or a copy of `template`, as a SQLAlchemy address; dropped at the end in any case."""
        name = f"test_{next(self._numbers)}"
        create = sql.SQL("CREATE DATABASE {} TEMPLATE {} STRATEGY file_copy")
        self._execute(create.format(sql.Identifier(name), sql.Identifier(template)))
        try:
            yield f"postgresql+psycopg://{self._user}@/{name}?host={self._folder}"
        finally:
            self._execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))

    def _settings(self) -> list[str]:
        settings = {
            "listen_addresses": "",
            "unix_socket_directories": str(self._folder),
            "fsync": "off",
            "synchronous_commit": "off",
            "full_page_writes": "off",
            # a database is made and dropped for each test: no replica reads its log, and nothing in it grows old
            "wal_level": "minimal",
            "max_wal_senders": "0",
            "autovacuum": "off",
            "max_connections": "50",
            "shared_buffers": "32MB",
            **self._more_settings,
        }
        return [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]

    def _execute(self, statement: sql.Composed) -> None:
        with self._connect() as connection:
            connection.execute(statement)

    def _connect(self) -> psycopg.Connection:
        port = int(self._more_settings.get("port", 5432))
        return psycopg.connect(host=str(self._folder), port=port, user=self._user, dbname="postgres", autocommit=True)

    def _wait_until_ready(self) -> None:
        assert self._process is not None
        deadline = time.monotonic() + START_LIMIT_S
        while True:
            try:
                self._connect().close()
            except psycopg.OperationalError as error:
                if self._process.poll() is not None or time.monotonic() > deadline:
                    raise RuntimeError(f"PostgreSQL did not start:\n{self._log.read_text()}") from error
                time.sleep(0.05)
            else:
                return


def _is_server(folder: Path) -> bool:
    return all((folder / name).exists() for name in ("initdb", "postgres"))


def _account() -> pwd.struct_passwd | None:
    """Whom to run the server as: PostgreSQL refuses root, everybody else runs it as themselves (None)."""
    if os.geteuid() != 0:
        return None
    names = {entry.pw_name: entry for entry in pwd.getpwall()}
    return names.get("postgres") or names["nobody"]


def _become(account: pwd.struct_passwd | None) -> list[str]:
    # The signal ends the server when the test process is killed and cannot stop it.
    command = ["setpriv", "--pdeathsig", "QUIT"]
    if account:
        command += [f"--reuid={account.pw_uid}", f"--regid={account.pw_gid}", "--clear-groups"]
    return [*command, "--"]
