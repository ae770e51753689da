"""Fixtures of every test: databases, the shared data, golden files, and the number of random examples."""

import gc
import os
import random
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, is_hypothesis_test, settings
from sqlalchemy import make_url

from hntes.etl.engines.duck import DuckEngine
from hntes.etl.engines.spark import SparkMachines
from tests.support import postgres, spark
from tests.support.databases import migrate, migrated_sqlite
from tests.support.memory import folder_in_memory

if TYPE_CHECKING:
    from xdist.remote import Producer

    from tests.support.distribution import SharingScheduling
    from tests.support.prepared_nights import PreparedNights

ROOT = Path(__file__).resolve().parent.parent
DATABASES = ("sqlite", "postgresql")
IN_CI = os.environ.get("CI", "").lower() in {"1", "true", "yes"}

# Time limits belong to pytest-timeout: a shared machine is slow now and then, and that is no fault of the code.
PATIENT: dict[str, Any] = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
settings.register_profile("dev", max_examples=30, **PATIENT)
# the same examples every time, so that a change which fails is the change's fault
settings.register_profile("ci", max_examples=30, derandomize=True, **PATIENT)
settings.register_profile("long", max_examples=3000, print_blob=True, **PATIENT)


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("hntes")
    group.addoption(
        "--database",
        choices=(*DATABASES, "both"),
        help="databases for the tests that use one (default: both; without a PostgreSQL server, sqlite)",
    )
    group.addoption("--golden-update", action="store_true", help="write the golden files instead of comparing them")
    group.addoption(
        "--long",
        action="store_true",
        help="only the campaigns (marker long) and the property tests, these with thousands of examples of a random "
        "seed; HNTES_SEED or --hypothesis-seed sets it",
    )


@pytest.hookimpl(tryfirst=True)  # before Hypothesis reads its seed
def pytest_configure(config: pytest.Config) -> None:
    is_long = config.getoption("--long")
    settings.load_profile("long" if is_long else "ci" if IN_CI else "dev")
    if is_long:
        given = config.getoption("--hypothesis-seed")
        # the environment hands it on to the other test processes
        os.environ["HNTES_SEED"] = (
            given or os.environ.get("HNTES_SEED") or str(random.SystemRandom().randrange(1 << 32))
        )
        config.option.hypothesis_seed = os.environ["HNTES_SEED"]
    elif folder := folder_in_memory(for_programs=True):
        os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(folder))
    if config.getoption("--golden-update") and IN_CI:
        raise pytest.UsageError("golden files are never updated in CI")
    if "postgresql" in _databases(config) and postgres.find_binaries() is None:
        raise pytest.UsageError(
            "no PostgreSQL server in /usr/lib/postgresql or on PATH; install it: scripts/install_system_packages test"
        )


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Collecting makes half a million objects, which stay; looking for garbage among them took a fifth of its time."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
        gc.freeze()


def pytest_unconfigure() -> None:
    gc.unfreeze()  # what a compiled library holds is let go at the end, else it reports leaks


def pytest_report_header(config: pytest.Config) -> str:
    chosen = ", ".join(_databases(config))
    seed = f"; HNTES_SEED={os.environ['HNTES_SEED']}" if config.getoption("--long") else ""
    return f"databases: {chosen}; PostgreSQL: {postgres.find_binaries() or 'not found'}{seed}"


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Without --long no campaign runs; with it nothing else does, the property tests apart."""
    is_long = config.getoption("--long")

    def chosen(item: pytest.Item) -> bool:
        is_campaign = item.get_closest_marker("long") is not None
        is_property = is_hypothesis_test(getattr(item, "obj", None))
        return is_campaign or is_property if is_long else not is_campaign

    left_out = [item for item in items if not chosen(item)]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if chosen(item)]
    # these take longest, so they begin first
    items.sort(key=lambda item: "spark_machines" not in getattr(item, "fixturenames", ()))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: "Producer") -> "SharingScheduling | None":
    """Of `--dist loadfile`; another --dist is xdist's."""
    from tests.support.distribution import SharingScheduling

    return SharingScheduling(config, log) if config.getvalue("dist") == "loadfile" else None


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    databases: list[object] = list(_databases(metafunc.config))
    if metafunc.definition.get_closest_marker("second_database_long") and len(databases) > 1:
        databases[1] = pytest.param(databases[1], marks=pytest.mark.long)
    for name in {"database_url", "empty_database_url"} & set(metafunc.fixturenames):
        metafunc.parametrize(name, databases, indirect=True)


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


@pytest.fixture(scope="session")
def migrated_template(postgresql_server: postgres.Server) -> Iterator[str]:
    """The name of a PostgreSQL database with the present schema, to make others of."""
    with postgresql_server.database() as url:
        migrate(url)
        yield make_url(url).database or ""


@pytest.fixture
def empty_database_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The SQLAlchemy address of a new empty database; a test that uses it runs once per kind of database."""
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path / 'empty.sqlite'}"
        return
    server: postgres.Server = request.getfixturevalue("postgresql_server")
    with server.database() as url:
        yield url


@pytest.fixture
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """As `empty_database_url`, with the present schema."""
    if request.param == "sqlite":
        yield migrated_sqlite(tmp_path / "hntes.sqlite")
        return
    template: str = request.getfixturevalue("migrated_template")
    server: postgres.Server = request.getfixturevalue("postgresql_server")
    with server.database(template) as url:
        yield url


@pytest.fixture(scope="session")
def spark_machines() -> Iterator[SparkMachines]:
    """Spark in this test process; started by the first test that gives it work."""
    if missing := spark.missing():
        assert not IN_CI, missing
        pytest.skip(missing)
    machines = SparkMachines(spark.LOCAL, DuckEngine(threads=1))
    yield machines
    machines.close()


@pytest.fixture(scope="session")
def prepared_nights(tmp_path_factory: pytest.TempPathFactory) -> "PreparedNights":
    """Installations after the first night, prepared once for all test processes of a run."""
    from tests.support.prepared_nights import PreparedNights  # the whole command line, which most tests do not need

    base = tmp_path_factory.getbasetemp()
    return PreparedNights((base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "prepared")


@pytest.fixture
def chance() -> random.Random:
    """Chance of a campaign, by HNTES_SEED."""
    return random.Random(os.environ["HNTES_SEED"])


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
