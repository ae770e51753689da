"""How PostgreSQL answers for many pairs at once."""

from datetime import date

import pytest
from sqlalchemy import text

from hntes.sql.engine import open_database
from hntes.sql.pair_bytes import _OF_MANY


def test_the_index_is_asked_for_each_pair_also_before_the_table_was_analyzed(database_url: str) -> None:
    """Else the rows of a router's month are gone through for each pair: two seconds of the server for a page."""
    if database_url.startswith("sqlite"):
        pytest.skip("pairs are asked for one by one on SQLite")
    engine = open_database(database_url)
    pair = {
        "source": ["10.0.0."],
        "source_end": ["10.0.0/"],
        "destination": ["10.9.0."],
        "destination_end": ["10.9.0/"],
    }
    days = {"router": "r1", "first": date(2026, 1, 1), "last": date(2026, 1, 30)}
    with engine.connect() as connection:
        plan = connection.execute(text(f"EXPLAIN {_OF_MANY.text}"), pair | days).scalars().all()
    engine.dispose()
    assert not any("Join Filter" in line or "Materialize" in line for line in plan), plan
    assert any("source ~>=~ wanted.source" in line for line in plan), plan
