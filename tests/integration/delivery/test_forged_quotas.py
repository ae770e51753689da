"""A quota that somebody wrote into the database, with an event of it in an old part of the audit log."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from hntes.sql import quotas
from hntes.sql.quotas import QuotaEntry
from hntes.sql.session import transaction
from hntes.workflow.audit_anchor import anchor_head
from hntes.workflow.reservations import quotas as quota_log
from tests.support.devices.farm import Farm
from tests.support.forged_events import rewrite_event
from tests.support.reserving import NOW_S
from tests.support.running_schedule import Edge, running_schedule
from tests.support.scheduled_site import WEEK_S, by_quota, pass_gate, propose, reserve

HOUR = 3600


@pytest.fixture
def edge(tmp_path: Path, farm: Farm, monkeypatch: pytest.MonkeyPatch) -> Iterator[Edge]:
    with running_schedule(tmp_path, farm, monkeypatch) as made:
        yield made


def test_nothing_is_delivered_by_a_quota_that_nobody_granted(edge: Edge) -> None:
    context = edge.context
    reserve(context, NOW_S + HOUR, NOW_S + 3 * HOUR)
    old = edge.site.json("audit", "--head")["event"]
    # no event on a change lies between two anchors with it
    anchor_head(context)
    propose(context)
    pass_gate(context)
    anchor_head(context)
    forged = QuotaEntry(0, "r1", "xe-0/0/1", 9 * 10**9, NOW_S, NOW_S + WEEK_S, "otto", "os:otto", None, "copies")
    with transaction(context.database) as session:
        written = quotas.add(session, forged)
    granted = quota_log._content_hash(written)
    rewrite_event(context, old, kind="quota", outcome="granted", router="r1", who="otto", content_hash=granted)
    assert by_quota(context)[0][1].endswith("approved by quota 1")
    edge.at(HOUR)
    found = edge.deliver()
    assert (found.outcome, edge.policed()) == ("failed", {})
    assert f"event {old} of the audit log: " in found.problem
