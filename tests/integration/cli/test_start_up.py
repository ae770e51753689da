"""Help, usage errors and quick questions load only what they use; `benchmarks/startup.py` measures the time."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.installation import ROOT, Installation, demo_installation

PACKAGES = {f"hntes.{name}" for name in ("settings", "sql", "etl", "rules", "gate", "platforms", "simulator")}
LIBRARIES = {
    "pydantic",
    "sqlalchemy",
    "alembic",
    "duckdb",
    "pyarrow",
    "numpy",
    "matplotlib",
    "jinja2",
    "rich",
    "psycopg",
}
LOADED = """
import sys
from hntes.cli.cli import main
try:
    main(sys.argv[1:])
except SystemExit as ended:
    print("status", ended.code, file=sys.stderr)
names = {".".join(name.split(".")[: 2 if name.startswith("hntes.") else 1]) for name in sys.modules}
print("loaded", *sorted(names), file=sys.stderr)
"""


def loaded(*arguments: str, status: int = 0) -> set[str]:
    """The packages that one command loads, in a process of its own."""
    command = [sys.executable, "-c", LOADED, *arguments]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert f"status {status}" in done.stderr, done.stderr
    (line,) = (text for text in done.stderr.splitlines() if text.startswith("loaded "))
    return set(line.split()[1:])


@pytest.fixture
def site(tmp_path: Path) -> Installation:
    made = demo_installation(tmp_path / "site")
    made.run("change", "list")  # makes the database
    return made


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        (("--help",), 0),
        (("why", "--help"), 0),
        (("nightly", "--help"), 0),
        (("stage", "judge", "--file", "missing.conf"), 2),
        (("nightly", "--day", "tomorrow"), 2),
        (("change", "--help"), 0),
        (("change", "reject"), 2),
        (("no-such-command",), 2),
    ],
)
def test_help_and_usage_errors_load_no_package_and_no_large_library(arguments: tuple[str, ...], status: int) -> None:
    found = loaded(*arguments, status=status)
    # the registry lists the platforms for --platform and loads none of them (test_platform_loading.py)
    assert found & (PACKAGES - {"hntes.platforms"} | LIBRARIES) == set()


def test_the_list_of_changes_loads_settings_and_database_alone(site: Installation) -> None:
    found = loaded("--settings", str(site.settings), "change", "list")
    # of the rules only what puts a change into words, of the platforms what checks the settings
    assert found & PACKAGES == {"hntes.settings", "hntes.sql", "hntes.rules", "hntes.platforms"}
    assert found & LIBRARIES == {"pydantic", "sqlalchemy"}


def test_an_ingest_that_reads_nothing_itself_loads_no_large_library_of_arrays(site: Installation) -> None:
    asked = ("stage", "ingest", "--day", "2026-11-20", "--router", "r1")
    site.run(*asked)
    assert loaded("--settings", str(site.settings), *asked) & {"numpy", "pyarrow", "duckdb"} == set()
