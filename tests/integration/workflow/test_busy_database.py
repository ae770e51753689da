"""A night's pieces at a PostgreSQL that has no connection left: they wait until others have ended."""

import threading
import time
from contextlib import ExitStack
from datetime import date
from pathlib import Path

import psycopg
import pytest
from sqlalchemy.exc import OperationalError

from hntes.sql.engine import open_database
from hntes.workflow.context import opened
from hntes.workflow.stages.ingest import IngestReport
from hntes.workflow.stages.lane import Ended, Step, lane_in_process
from tests.support.installation import installation_in

FREED_AFTER_S = 3.0


@pytest.fixture
def postgresql_url(database_url: str) -> str:
    if database_url.startswith("sqlite"):
        pytest.skip("SQLite counts no connections")
    return database_url


def take_all(url: str, taken: ExitStack) -> None:
    """Opens connections until the server refuses another."""

    def take() -> None:
        while True:
            taken.enter_context(psycopg.connect(url.replace("+psycopg", "")))

    with pytest.raises(psycopg.OperationalError, match="too many clients"):
        take()


def test_a_piece_waits_for_a_connection(tmp_path: Path, postgresql_url: str) -> None:
    site = installation_in(tmp_path, postgresql_url, routers=1)
    with opened(site.settings) as context, ExitStack() as taken:
        (router,) = context.chosen(())
        take_all(postgresql_url, taken)
        freeing = threading.Timer(FREED_AFTER_S, taken.close)
        lane = lane_in_process(context, date(2026, 11, 20), Step(router.flow_folder))
        freeing.start()
        try:
            messages = [lane.messages.recv()]
            while not isinstance(messages[-1], Ended):
                messages.append(lane.messages.recv())
        finally:
            lane.stop()
            freeing.join()
    assert messages[-1] == Ended()
    (report,) = [each for each in messages if isinstance(each, IngestReport)]
    assert report.ingested > 0


@pytest.mark.parametrize("wait_s", [0.0, 2.0])
def test_the_wait_ends(postgresql_url: str, wait_s: float) -> None:
    database = open_database(postgresql_url, connection_wait_s=wait_s)
    with ExitStack() as taken:
        take_all(postgresql_url, taken)
        begun_s = time.monotonic()
        with pytest.raises(OperationalError, match="too many clients"):
            database.connect()
        assert time.monotonic() - begun_s >= wait_s
    with database.connect():
        pass
    database.dispose()
