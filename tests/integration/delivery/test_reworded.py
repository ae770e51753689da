"""Every sentence that is stored or shown may read otherwise: what is decided, delivered and reported stays the same."""

from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from hntes import clock
from hntes.sql.engine import open_database
from hntes.sql.schema import METADATA
from hntes.sql.session import reading
from hntes.workflow.audit_checks import verify_audit
from hntes.workflow.change_lookup import find_change
from hntes.workflow.context import opened
from hntes.workflow.delivery.drift import router_drift
from hntes.workflow.delivery.drift_known import known_drift
from hntes.workflow.reservations.quotas import list_quotas, revoke_quota
from hntes.workflow.reservations.reservation_status import late_reservations
from hntes.workflow.reservations.reserve import cancel
from hntes.workflow.reservations.webhook_notifications import SECRET_VARIABLE
from hntes.workflow.review.changes import listed_change
from hntes.workflow.review.decide import Person, Request, decide
from tests.support.devices.farm import Farm
from tests.support.installation import Installation
from tests.support.prepared_nights import NIGHT, PreparedNights
from tests.support.reserving import NOW_S
from tests.support.rewording import reword, reword_stored
from tests.support.running_schedule import Edge, running_schedule
from tests.support.scheduled_site import SECOND, decide_on, grant, pass_gate, propose, reserve, standing
from tests.support.webhook import Hook, receiving

HOUR, GBIT, LEAD_S, REFUSED = 3600, 10**9, 60, 4
NEXT = "2026-11-21"
# Columns that hold sentences, the moment, or what follows from these.
_WORDS = {"detail", "note", "words", "sentence", "time_ms", "expires_ms", "previous_hash", "hash"}
Facts = list[object]


@pytest.mark.slow
@pytest.mark.parametrize("is_reworded", [True, False])
def test_nights_are_reviewed_and_delivered_the_same(
    tmp_path: Path, prepared_nights: PreparedNights, monkeypatch: pytest.MonkeyPatch, is_reworded: bool
) -> None:
    plain = _nights(prepared_nights.site(tmp_path / "plain" / "site", router="r1"))
    other = prepared_nights.site(tmp_path / "other" / "site", router="r1")
    if is_reworded:
        reword(monkeypatch)
        engine = open_database(other.database_url)
        reword_stored(engine)
        engine.dispose()
    assert _nights(other) == plain


@pytest.mark.slow
def test_reservations_are_decided_delivered_and_reported_the_same(
    tmp_path: Path, farm: Farm, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(SECRET_VARIABLE, "a secret of tests, not of people")
    with receiving() as hook:
        plain = _reservations(tmp_path / "plain", farm, monkeypatch, hook)
    reword(monkeypatch)
    with receiving() as hook:
        assert _reservations(tmp_path / "other", farm, monkeypatch, hook) == plain


def _nights(site: Installation) -> Facts:
    """Holds, an acknowledgement, two approvals, deliveries and reports, a rejection, a removal, a text again."""
    found: Facts = []
    with_settings(site, "[review]\n", "[review]\napprovals = 2\nnew_pairs_limit = 0\n")
    (first,) = site.json("change", "list")
    site.run("change", "defer", "--router", "r1", "--until", "2099-01-01", "--reason", "freeze", "--who", "otto")
    found += [_listed(site), _exits(site, "change", "approve", "--all-passed", "--yes")]
    site.run("change", "defer", "--router", "r1", "--until", str(clock.today()), "--reason", "over", "--who", "otto")
    found += [_listed(site), _approvals(site, "anna")]
    site.run("change", "acknowledge", "--router", "r1", "--day", NIGHT, "--new-pairs", str(first["pairs_added"]))
    found += [_approvals(site, "anna", "anna", "bert"), _exits(site, "router", "deliver"), _listed(site)]
    site.run("router", "verified", "--router", "r1", "--sha256", first["candidate_hash"][:12], "--who", "bert")
    site.pin("198.18.99.0/24>203.0.113.0/24", NIGHT, owner="bert", reason="weekly")
    found += [_exits(site, "nightly", "--day", NEXT, "--router", "r1"), _listed(site)]
    site.run("nightly", "--day", NEXT, "--router", "r1")
    (next_one,) = site.json("change", "list")
    asked = ("--router", "r1", "--day", NEXT, "--hash", next_one["candidate_hash"], "--note", "no")
    found.append(_exits(site, "change", "reject", *asked))
    site.run("nightly", "--day", "2026-11-22", "--router", "r1")
    site.run("change", "withdraw", "--router", "r1", "--day", "2026-11-22", "--reason", "wrong")
    found += [
        _exits(site, "stage", "propose", "--again", NIGHT, "--router", "r1"),
        _listed(site),
        _exits(site, "router", "deliver"),
    ]
    site.run("audit", "--verify")
    return [*found, _tables(site)]


def _reservations(folder: Path, farm: Farm, monkeypatch: pytest.MonkeyPatch, hook: Hook) -> Facts:
    """Scheduled changes by quotas and by a person, one rejected, one superseded, one late, one undelivered; notices."""
    section = f'[[reservations.webhooks]]\nowner = "anna"\nurl = "http://127.0.0.1:{hook.server_port}/"\n'
    found: Facts = []
    with running_schedule(folder, farm, monkeypatch, section=f"lead_s = {LEAD_S}\n{section}") as edge:
        context = edge.context
        first = reserve(context, NOW_S + HOUR, NOW_S + 3 * HOUR)
        quota = grant(context, 2)
        edge.prepare()
        found.append([each.state for each in standing(context)])
        revoke_quota(context, quota, "otto", "no longer")
        second = reserve(context, NOW_S + 2 * HOUR, NOW_S + 4 * HOUR, pair=SECOND)
        propose(context)
        pass_gate(context)
        waiting = [each for each in standing(context) if each.state == "pending"]
        found.append([decide_on(context, each, "approved", "anna").outcome for each in waiting[:1]])
        found.append([decide_on(context, each, "rejected", "anna", "no").outcome for each in waiting[1:2]])
        edge.at(HOUR - LEAD_S)
        edge.router.full_disk = True
        found += [_round(edge), _late(edge), [each["state"] for each in hook.told()]]
        edge.router.full_disk = False
        edge.at(HOUR)
        found += [_round(edge), edge.policed(), edge.states(first), [each["state"] for each in hook.told()]]
        edge.at(2 * HOUR)
        found += [_round(edge), _late(edge), edge.states(second), [each["state"] for each in hook.told()]]
        cancel(context, first, "moved")
        edge.prepare()
        found += [_round(edge), edge.policed(), [each.state for each in list_quotas(context, with_past=True)]]
        found += [router_drift(context, context.settings.router("r1")).state]
        found += [each.state for each in known_drift(context, context.settings.routers)]
        found.append(verify_audit(context).problem)
        found.append(_tables(edge.site))
    return found


def _round(edge: Edge) -> object:
    done = edge.round()
    return [(each.outcome, each.candidate_hash, [late.number for late in each.late]) for each in done.routers]


def _late(edge: Edge) -> object:
    found = late_reservations(edge.context, edge.context.settings.router("r1"))
    return [(each.number, each.rate_bps, each.since_s) for each in found]


def _listed(site: Installation) -> object:
    names = ("day", "state", "standing", "gate", "held_until", "pairs_added", "pairs_removed", "effect", "change_id")
    return [{name: each[name] for name in names} for each in site.json("change", "list", "--all")]


def _exits(site: Installation, *command: str) -> int:
    for status in (0, 1, 3, REFUSED):
        try:
            site.run(*command, expect=status)
        except AssertionError:
            continue
        return status
    raise AssertionError(command)


def _approvals(site: Installation, *persons: str) -> list[str]:
    with opened(site.settings) as context:
        router = context.settings.router("r1")
        entry = find_change(context, router, None)
        outcomes: list[str] = []
        for who in persons:
            by = Person(who, "ticket", f"web:{who}")
            outcomes.append(decide(context, router, Request.on(entry, "approved"), by, clock.now_ms()).outcome)
            listed = listed_change(context, entry)
            outcomes.append(listed.first_approval.identity if listed.first_approval else "")
        return outcomes


def _tables(site: Installation) -> dict[str, list[dict[str, Any]]]:
    """All rows of all tables without their sentences."""
    engine = open_database(site.database_url)
    found = {}
    with reading(engine) as session:
        for table in METADATA.sorted_tables:
            rows = [dict(row._mapping) for row in session.execute(select(table))]
            found[table.name] = sorted(
                ({name: value for name, value in row.items() if name not in _WORDS} for row in rows), key=repr
            )
    engine.dispose()
    return found


def with_settings(site: Installation, old: str, new: str) -> None:
    text = site.settings.read_text(encoding="utf-8")
    assert old in text
    site.settings.write_text(text.replace(old, new), encoding="utf-8")
