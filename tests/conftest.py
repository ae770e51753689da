"""What every test may use: databases, the shared data, golden files, and how hard the property tests look."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from etl.engines.spark import SparkEngine
from tests.support import postgres, spark

ROOT = Path(__file__).resolve().parent.parent
DATABASES = ("sqlite", "postgresql")
IN_CI = os.environ.get("CI", "").lower() in {"1", "true", "yes"}

# Time limits belong to pytest-timeout: a shared machine is slow now and then, and that is no fault of the code.
settings.register_profile("dev", max_examples=100, deadline=None)
settings.register_profile(
    "ci", max_examples=300, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("nightly", max_examples=5000, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("ci" if IN_CI else "dev")


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("hntes")
    group.addoption(
        "--database",
        choices=(*DATABASES, "both"),
        help="databases for the tests that use one (default: both; without a PostgreSQL server, sqlite)",
    )
    group.addoption("--golden-update", action="store_true", help="write the golden files instead of comparing them")


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--golden-update") and IN_CI:
        raise pytest.UsageError("golden files are never updated in CI")
    if "postgresql" in _databases(config) and postgres.find_binaries() is None:
        raise pytest.UsageError(
            "no PostgreSQL server in /usr/lib/postgresql or on PATH; install it: scripts/install_system_packages test"
        )


def pytest_report_header(config: pytest.Config) -> str:
    chosen = ", ".join(_databases(config))
    return f"databases: {chosen}; PostgreSQL: {postgres.find_binaries() or 'not found'}"


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "database_url" in metafunc.fixturenames:
        metafunc.parametrize("database_url", _databases(metafunc.config), indirect=True)


def _databases(config: pytest.Config) -> tuple[str, ...]:
    chosen = config.getoption("--database")
    if chosen is None and not IN_CI and postgres.find_binaries() is None:
        return ("sqlite",)
    return DATABASES if chosen in (None, "both") else (chosen,)


@pytest.fixture(scope="session")
def postgresql_server() -> Iterator[postgres.Server]:
    """A running PostgreSQL server of this test process (each xdist worker has its own)."""
    binaries = postgres.find_binaries()
    assert binaries is not None, "no PostgreSQL server on this machine"
    with postgres.temporary_server(binaries) as server:
        yield server


@pytest.fixture
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The SQLAlchemy address of a new empty database; a test that uses it runs once per kind of database."""
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path / 'hntes.sqlite'}"
        return
    server: postgres.Server = request.getfixturevalue("postgresql_server")
    with server.database() as url:
        yield url


@pytest.fixture(scope="session")
def spark_engine() -> Iterator[SparkEngine]:
    """Spark in this test process; started by the first test that asks it something."""
    if missing := spark.missing():
        assert not IN_CI, missing
        pytest.skip(missing)
    engine = SparkEngine(spark.LOCAL)
    yield engine
    engine.close()


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of recorded data that lies beside the repository (or where HNTES_SHARED_DATA says)."""
    named = os.environ.get("HNTES_SHARED_DATA")
    folder = Path(named) if named else ROOT.parent / "shared" / "data"
    if folder.is_dir():
        return folder
    if named:
        pytest.fail(f"HNTES_SHARED_DATA names no folder: {folder}")
    pytest.skip("no ../shared/data beside the repository and no HNTES_SHARED_DATA")


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[Path, str], None]:
    """check(path, text): the golden file holds this text; a missing file fails, and `--golden-update` writes it."""
    update = request.config.getoption("--golden-update")

    def check(path: Path, text: str) -> None:
        if update:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8", newline="")
            return
        assert path.exists(), f"golden file {path} is missing; write it with `make golden-update` and read it"
        assert text == path.read_bytes().decode("utf-8"), f"{path} differs; `make golden-update`, then read the diff"

    return check
