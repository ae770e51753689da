"""A scheduled delivery after an older database was restored: the router has more than the reports say."""

import json
import shutil
from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path

import pytest

from hntes.platforms.device_errors import DriftError
from hntes.sql.errors import BrokenLogError
from hntes.workflow.delivery.deliver import deliver
from tests.support.databases import migrated_sqlite
from tests.support.devices.farm import Farm
from tests.support.devices.junos.tree import Node
from tests.support.qos_models import PAIRS
from tests.support.reserving import NOW_S
from tests.support.running_schedule import Edge, running_schedule
from tests.support.scheduled_site import approve_rules, grant, reserve

HOUR, GBIT = 3600, 10**9


@pytest.fixture
def edge(tmp_path: Path, farm: Farm, monkeypatch: pytest.MonkeyPatch) -> Iterator[Edge]:
    with running_schedule(tmp_path, farm, monkeypatch) as made:
        grant(made.context, 3)
        yield made


def _file(edge: Edge) -> Path:
    return edge.site.settings.parent / "hntes.db"


def _roll_back(edge: Edge, kept: Node) -> None:
    """An operator puts a configuration back that the router has kept."""
    session = edge.router.open("root")
    edge.router.rollback(session, [each.root for each in edge.router.history()].index(kept))
    edge.router.commit(session)
    edge.router.close(session)


def back_up(edge: Edge) -> Callable[[], None]:
    """Copies the database; what is returned puts the copy in its place."""
    copy = _file(edge).with_name("backup.db")
    edge.context.database.dispose()
    shutil.copyfile(_file(edge), copy)

    def restore() -> None:
        edge.context.database.dispose()
        shutil.copyfile(copy, _file(edge))

    return restore


def test_a_lost_delivery_is_told_as_a_nightly_delivery_tells_it(edge: Edge) -> None:
    """The reports are of before the reservation, which the router polices after its end."""
    number = reserve(edge.context, NOW_S + HOUR, NOW_S + 2 * HOUR)
    edge.prepare()
    restore = back_up(edge)
    edge.at(HOUR)
    assert edge.deliver().outcome == "done"
    restore()
    edge.at(2 * HOUR)
    found = edge.deliver()
    assert (found.outcome, edge.policed()) == ("failed", {number: GBIT})
    with pytest.raises(BrokenLogError, match="names it, and it is gone") as refused:
        edge.push()
    assert found.problem == str(refused.value)


def test_a_router_of_which_nothing_is_reported_any_more_is_told(edge: Edge) -> None:
    """The database is empty; that nothing is approved to run there would be no answer."""
    edge.context.database.dispose()
    _file(edge).unlink()
    migrated_sqlite(_file(edge))
    found = edge.deliver()
    assert (found.outcome, "it is gone" in found.problem, edge.pairs()) == ("failed", True, len(PAIRS))


def test_a_lost_anchor_is_told_as_a_nightly_delivery_tells_it(edge: Edge) -> None:
    """Of another router's delivery, say: the reports on this one may be as old."""
    edge.context.settings.paths.audit_anchors.write_text(f"99 {'0' * 64} 2026-11-24T10:00:00Z\n", encoding="ascii")
    with pytest.raises(BrokenLogError, match="event 99 of the audit log") as refused:
        edge.push()
    found = edge.deliver()
    assert (found.outcome, found.problem) == ("failed", str(refused.value))


def test_a_hand_over_whose_push_the_reports_have_lost_has_the_router_asked(edge: Edge) -> None:
    """The copy was made between a push that failed and the next, which the router took."""
    number = reserve(edge.context, NOW_S + HOUR, NOW_S + 2 * HOUR)
    edge.prepare()
    edge.at(HOUR)
    edge.router.full_disk = True
    assert edge.deliver().outcome == "failed"
    restore = back_up(edge)
    edge.router.full_disk = False
    assert edge.deliver().outcome == "done"
    restore()
    edge.at(2 * HOUR)
    found = edge.deliver()
    assert (found.outcome, edge.policed()) == ("failed", {number: GBIT})
    assert "running configuration differs from the last delivery" in found.problem


def test_a_router_that_was_seen_to_hold_something_else_is_asked_until_it_is_as_reported(edge: Edge) -> None:
    """Whatever was handed over since: an older copy does not know what the router polices."""
    restore = back_up(edge)
    reported = edge.router.active
    number = reserve(edge.context, NOW_S, NOW_S + HOUR)
    edge.prepare()
    assert edge.deliver().outcome == "done"
    restore()
    for evidence in (edge.site.output / "r1" / "approved" / "manifest.json", edge.context.settings.paths.audit_anchors):
        evidence.rename(evidence.with_name(f"{evidence.name}.kept"))
    approve_rules(edge.context, day=date(2026, 11, 24), pairs=PAIRS[1:])
    edge.at(HOUR)
    with pytest.raises(DriftError):
        edge.push()
    for _ in range(2):
        found = edge.deliver()
        assert (found.outcome, edge.policed()) == ("failed", {number: GBIT})
        assert "running configuration differs from the last delivery" in found.problem
    assert [each["outcome"] for each in edge.site.json("audit", "--kind", "drift")] == ["changed"]
    _roll_back(edge, reported)
    assert edge.deliver().outcome == "held"
    assert [each["outcome"] for each in edge.site.json("audit", "--kind", "drift")] == ["changed", "equal"]
    edge.served.stop()
    assert edge.deliver().outcome == "held"


def test_where_the_manifest_is_lost_the_router_is_asked(edge: Edge) -> None:
    restore = back_up(edge)
    number = reserve(edge.context, NOW_S, NOW_S + HOUR)
    edge.prepare()
    assert edge.deliver().outcome == "done"
    restore()
    (edge.site.output / "r1" / "approved" / "manifest.json").unlink()
    edge.context.settings.paths.audit_anchors.unlink()
    edge.at(HOUR)
    for _ in range(2):
        assert (edge.deliver().outcome, edge.policed()) == ("failed", {number: GBIT})


def test_a_hand_over_whose_push_failed_is_over_once_the_router_was_asked(edge: Edge) -> None:
    reserve(edge.context, NOW_S + HOUR, NOW_S + 2 * HOUR)
    edge.prepare()
    edge.at(HOUR)
    edge.router.full_disk = True
    assert edge.deliver().outcome == "failed"
    edge.at(2 * HOUR)
    assert [edge.deliver(commit=commit).outcome for commit in (False, True)] == ["held", "held"]
    assert edge.policed() == {}


def test_rules_that_wait_for_their_delivery_stay_handed_over(edge: Edge) -> None:
    """What runs is known by its reports: the manifest names other rules."""
    waiting = approve_rules(edge.context, day=date(2026, 11, 24), pairs=PAIRS[1:])
    deliver(edge.context, edge.context.settings.router("r1"))
    assert edge.deliver().outcome == "held"
    manifest = json.loads((edge.site.output / "r1" / "approved" / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["sha256"] == waiting
