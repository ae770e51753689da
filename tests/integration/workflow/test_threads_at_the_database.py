"""More jobs in threads than an engine has connections: each has its own, and none waits for another's."""

import threading
from multiprocessing.connection import Connection, wait
from pathlib import Path

import pytest

from hntes.sql.session import reading
from hntes.workflow.context import Context, opened
from hntes.workflow.stages.beside import in_thread
from tests.support.installation import installation_in
from tests.support.stand_in_cluster import ON_A_CLUSTER, stand_in

# SQLAlchemy's pool has five connections and ten more.
JOBS = 17
PATIENCE_S = 20.0


def test_all_read_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = stand_in(monkeypatch)
    site = installation_in(tmp_path, routers=1, **ON_A_CLUSTER)
    meeting = threading.Barrier(JOBS)

    def work(context: Context, messages: Connection) -> None:
        context.analytics.check(takes_turn=True)
        with reading(context.database):
            try:
                meeting.wait(PATIENCE_S)
            except threading.BrokenBarrierError:
                messages.send("alone")
            else:
                messages.send("with all others")

    with opened(site.settings) as context:
        context.analytics.check(takes_turn=True)
        waiting = [in_thread(context, work, f"job {number}").messages for number in range(JOBS)]
        said: list[str] = []
        while waiting:
            ready = wait(waiting, 2 * PATIENCE_S)
            assert ready, f"only {len(said)} of {JOBS} jobs have ended"
            for messages in ready:
                assert isinstance(messages, Connection)
                said.append(messages.recv())
                waiting.remove(messages)
    assert said == ["with all others"] * JOBS
    # the connections are their own, the session is not
    assert len(made) == 1
