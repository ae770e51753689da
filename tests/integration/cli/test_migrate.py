"""`hntes data migrate` brings the schema up to date, whatever a night would lack."""

from pathlib import Path

from hntes.sql.engine import current_revision, downgrade, head_revision, open_database
from tests.support.installation import Installation, installation_in

BEFORE = "0005"
WITHOUT_MASTER = '[analytics]\nkind = "spark"\n[analytics.spark]\nmaster = "spark://127.0.0.1:9"\n\n[plans.recommended]'


def _older(folder: Path, **replaced: str) -> Installation:
    site = installation_in(folder, **replaced)
    database = open_database(site.database_url)
    downgrade(database, BEFORE)
    database.dispose()
    return site


def _revision(site: Installation) -> str | None:
    database = open_database(site.database_url)
    with database.connect() as connection:
        found = current_revision(connection)
    database.dispose()
    return found


def test_the_schema_comes_up_to_date(tmp_path: Path) -> None:
    site = _older(tmp_path / "site")
    assert _revision(site) == BEFORE
    done = site.run("data", "migrate")
    assert done.stdout == f"database: sqlite, schema up to date (revision {head_revision()})\n"
    assert _revision(site) == head_revision()
    assert site.json("data", "migrate") == {"database": "sqlite", "revision": head_revision()}
    assert not site.output.exists()
    assert not site.lake.exists()


def test_it_asks_neither_for_flows_nor_for_spark(tmp_path: Path) -> None:
    """`hntes check` has status 1 for both."""
    away = {'flows/r3"': 'flows/nowhere"', "[plans.recommended]": WITHOUT_MASTER}
    site = _older(tmp_path / "site", **away)
    assert site.run("data", "migrate").stderr == ""
    assert _revision(site) == head_revision()
