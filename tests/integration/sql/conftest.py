"""A database with the present schema, for every test of this room."""

from collections.abc import Iterator

import pytest
from sqlalchemy import Engine

from hntes.sql.engine import open_database


@pytest.fixture
def store(database_url: str) -> Iterator[Engine]:
    """A fresh database with the present schema."""
    engine = open_database(database_url)
    yield engine
    engine.dispose()
