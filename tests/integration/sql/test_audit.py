"""The audit log: linear whoever writes, refused to change, and every change that gets past is found."""

from collections.abc import Callable
from dataclasses import asdict
from datetime import date
from multiprocessing import get_context

import pytest
from sqlalchemy import Connection, Engine, delete, insert, text, update
from sqlalchemy.exc import DBAPIError

from hntes import clock
from hntes.sql import audit, changes, decisions, proposals
from hntes.sql.audit import AUDIT_EVENT, NewEvent
from hntes.sql.audit_chain import NO_HASH, event_hash, first_break
from hntes.sql.engine import open_database
from hntes.sql.entries import AuditEventEntry, JudgementEntry
from hntes.sql.errors import InvalidEntryError
from hntes.sql.judgements import replace_judgement
from hntes.sql.session import Session, reading, transaction
from tests.support.audit_log import unguarded
from tests.support.decisions import decide_as
from tests.support.entries import change_set
from tests.support.gate_verdicts import judgement, pass_gate, passing

DAY, NEXT = date(2026, 3, 1), date(2026, 3, 2)
FULL = NewEvent(
    "decide", "r1", DAY, "candidate A", "judgement A", "as it was shown", "anna", "weekly copy", "airflow:anna",
    change_id="r1/2026-03-01", outcome="approved", content_hash="transition A",
)  # fmt: skip
EVENTS = 5


def written(store: Engine) -> tuple[AuditEventEntry, ...]:
    """A log of events that fill every column."""
    for _ in range(EVENTS):
        with transaction(store) as session:
            audit.append(session, FULL)
    return stored(store)


def stored(store: Engine) -> tuple[AuditEventEntry, ...]:
    with reading(store) as session:
        return audit.events(session)


def change(store: Engine, work: Callable[[Connection], object]) -> None:
    with store.begin() as connection, unguarded(connection):
        work(connection)


def overwrite(store: Engine, number: int, values: dict[str, object]) -> None:
    statement = update(AUDIT_EVENT).where(AUDIT_EVENT.c.number == number).values(values)
    change(store, lambda connection: connection.execute(statement))


def test_events_form_a_chain(store: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clock, "now_ms", lambda: 1_795_132_800_000)
    log = written(store)
    assert [event.number for event in log] == [1, 2, 3, 4, 5]
    assert [event.previous_hash for event in log] == [NO_HASH, *(event.hash for event in log[:-1])]
    assert {event.time_ms for event in log} == {1_795_132_800_000}
    assert first_break(log) is None
    assert None not in asdict(log[0]).values(), "a column that no event fills is not tested below"


def test_the_hash_is_that_of_the_canonical_json() -> None:
    """Worked out by hand: `printf '%s' '{"day":"2026-03-01","kind":"pin","note":"gr\\u00fcn"}' | sha256sum`."""
    columns = {"note": "gr\u00fcn", "kind": "pin", "day": DAY, "router": None, "hash": "whatever"}
    assert event_hash(columns) == "33a5f10e39951bc092e5e0f0c97eedb7b67f8bc182cfce66330860c8c84ff169"


@pytest.mark.parametrize("statement", ["UPDATE audit_event SET who = 'x'", "DELETE FROM audit_event"])
def test_the_database_refuses_changes(store: Engine, statement: str) -> None:
    log = written(store)
    with pytest.raises(DBAPIError, match="only ever appended to"), store.begin() as connection:
        connection.execute(text(statement))
    if store.dialect.name == "postgresql":
        with pytest.raises(DBAPIError, match="only ever appended to"), store.begin() as connection:
            connection.execute(text("TRUNCATE audit_event"))
    assert stored(store) == log


def test_every_column_of_every_event_is_covered(store: Engine) -> None:
    log = written(store)
    for event in log:
        for column, value in asdict(event).items():
            other = value + 1_000 if isinstance(value, int) else NEXT if isinstance(value, date) else f"{value}x"
            overwrite(store, event.number, {column: other})
            broken = first_break(stored(store))
            assert broken is not None, (event.number, column)
            assert broken.number == event.number
            overwrite(store, other if column == "number" else event.number, {column: value})
    for column in ("router", "day", "candidate_hash", "judgement_id", "who", "note"):
        overwrite(store, 2, {column: None})
        assert first_break(stored(store)) is not None, f"{column} is gone"
        overwrite(store, 2, {column: getattr(log[1], column)})
    assert stored(store) == log
    assert first_break(log) is None


@pytest.mark.parametrize("number", range(1, EVENTS))
def test_a_deleted_event_is_found(store: Engine, number: int) -> None:
    written(store)
    change(store, lambda c: c.execute(delete(AUDIT_EVENT).where(AUDIT_EVENT.c.number == number)))
    broken = first_break(stored(store))
    assert broken is not None
    assert (broken.number, "missing" in broken.what) == (number, True)


def test_a_deleted_event_whose_successors_were_numbered_anew_is_found(store: Engine) -> None:
    log = written(store)

    def close_gap(connection: Connection) -> None:
        connection.execute(delete(AUDIT_EVENT).where(AUDIT_EVENT.c.number == 3))
        for event in log[3:]:
            row = AUDIT_EVENT.c.number == event.number
            connection.execute(update(AUDIT_EVENT).where(row).values(number=event.number - 1))

    change(store, close_gap)
    broken = first_break(stored(store))
    assert broken is not None
    assert broken.number == 3


def test_events_that_changed_places_are_found(store: Engine) -> None:
    log = written(store)

    def exchange(connection: Connection) -> None:
        connection.execute(delete(AUDIT_EVENT))
        for event in log:
            number = {2: 4, 4: 2}.get(event.number, event.number)
            connection.execute(insert(AUDIT_EVENT), [asdict(event) | {"number": number}])

    change(store, exchange)
    broken = first_break(stored(store))
    assert broken is not None
    assert broken.number == 2


def test_a_forged_event_whose_own_hash_is_right_is_found_by_the_next(store: Engine) -> None:
    log = written(store)
    forged = asdict(log[1]) | {"who": "somebody else"}
    values = {"who": forged["who"], "hash": event_hash(forged)}
    change(store, lambda c: c.execute(update(AUDIT_EVENT).where(AUDIT_EVENT.c.number == 2).values(values)))
    broken = first_break(stored(store))
    assert broken is not None
    assert (broken.number, broken.what) == (3, "it does not continue the event before")


def test_a_cut_tail_needs_the_hash_that_was_kept(store: Engine) -> None:
    log = written(store)
    change(store, lambda c: c.execute(delete(AUDIT_EVENT).where(AUDIT_EVENT.c.number > 3)))
    left = stored(store)
    assert first_break(left) is None
    assert log[-1].hash not in {event.hash for event in left}


def test_a_repeated_stage_appends_nothing(store: Engine) -> None:
    judged = NewEvent("judge", "r1", DAY, "candidate A", detail="passed")
    with transaction(store) as session:
        first = audit.append_changed(session, judged, "router", "day", "candidate_hash")
        assert audit.append_changed(session, judged, "router", "day", "candidate_hash") == first
        of_next = NewEvent("judge", "r1", NEXT, "candidate A", detail="passed")
        audit.append_changed(session, of_next, "router", "day", "candidate_hash")
        assert audit.append_changed(session, judged, "router", "day", "candidate_hash") == first
        failed = NewEvent("judge", "r1", DAY, "candidate A", detail="not passed")
        audit.append_changed(session, failed, "router", "day", "candidate_hash")
        assert audit.append_changed(session, judged, "router", "day", "candidate_hash").number == 4


def test_a_text_of_two_lines_is_refused(store: Engine) -> None:
    with transaction(store) as session, pytest.raises(InvalidEntryError, match=r"its note holds U\+000A"):
        audit.append(session, NewEvent("pin", note="x\ngate: passed"))


def test_processes_that_append_at_once_make_one_chain(database_url: str, store: Engine) -> None:
    store.dispose()
    fork = get_context("fork")
    start = fork.Barrier(4)
    processes = [fork.Process(target=_append, args=(database_url, start)) for _ in range(4)]
    for process in processes:
        process.start()
    for process in processes:
        process.join(60)
    assert [process.exitcode for process in processes] == [0] * 4
    log = stored(store)
    assert len(log) == 40
    assert first_break(log) is None


def _append(url: str, start: object) -> None:
    engine = open_database(url)
    start.wait(30)  # type: ignore[attr-defined]
    for number in range(10):
        with transaction(engine) as session:
            audit.append(session, NewEvent("judge", "r1", detail=f"{number}"))
    engine.dispose()


def test_changes_of_change_sets_are_events(store: Engine) -> None:
    older, newer = change_set(day=DAY), change_set(day=NEXT, candidate_hash="candidate B")
    with transaction(store) as session:
        for proposed in (older, older, newer, older, newer):
            proposals.put(session, proposed, NEXT)
        holds = pass_gate(session, "r1", "candidate B")
        decide_as(session, "r1", NEXT, "candidate B", "approved", "anna", "ok", 0, identity="airflow:anna", holds=holds)
    log = stored(store)
    assert [(e.kind, e.day, e.outcome, e.who, e.note) for e in log] == [
        ("propose", DAY, "pending", None, None),
        ("propose", NEXT, "pending", None, None),
        ("supersede", DAY, "superseded", None, None),
        ("decide", NEXT, "approved", "anna", "ok"),
    ]
    assert (log[0].identity[:3], log[3].identity) == ("os:", "airflow:anna")
    assert log[3].judgement_id == holds.judgement_id


def test_an_event_and_what_it_records_are_one_transaction(store: Engine) -> None:
    with Session(store) as session:
        proposals.put(session, change_set())
        assert audit.head(session) is not None
        session.rollback()
        assert changes.nightly_changes(session) == ()
    assert stored(store) == ()


def test_two_people_must_approve(store: Engine) -> None:
    proposed = change_set()

    def approve(identity: str, who: str = "anna") -> decisions.Decision:
        with transaction(store) as session:
            return decide_as(
                session, "r1", DAY, "candidate A", "approved", who, None, 0, identity=identity, approvals=2, holds=holds
            )

    with transaction(store) as session:
        proposals.put(session, proposed)
        holds = pass_gate(session, "r1", "candidate A")
    assert approve("os:anna").outcome == "pending_second_approval"
    again = approve("os:anna", who="bob")
    assert again.outcome == "same_person"
    assert again.change.state == "pending"
    assert approve("web:Anna").outcome == "same_person", "one person has accounts in several places"
    with transaction(store) as session:
        assert changes.in_force(session, "r1") is None
        proposals.put(session, change_set(base_hash="candidate 0"))
        proposals.put(session, proposed)
        pass_gate(session, "r1", "candidate A")
    assert approve("os:bob").outcome == "pending_second_approval", "an approval of an earlier proposal counts"
    assert approve("os:anna").outcome == "decided"
    with transaction(store) as session:
        assert changes.in_force(session, "r1") is not None


def test_the_first_of_two_approvals_stands_for_one_judgement(store: Engine) -> None:
    def approve(identity: str, holds: JudgementEntry) -> str:
        with transaction(store) as session:
            replace_judgement(session, holds, passing("r1", "candidate A"))
            return decide_as(
                session,
                "r1",
                DAY,
                "candidate A",
                "approved",
                "who",
                None,
                0,
                identity=identity,
                approvals=2,
                holds=holds,
            ).outcome

    with transaction(store) as session:
        proposals.put(session, change_set())
    strict, loose = judgement(), judgement(limits='{"delay_increase_ms":9.0}')
    assert approve("os:anna", strict) == "pending_second_approval"
    assert approve("os:bob", loose) == "pending_second_approval", "anna has not seen this judgement"
    assert approve("os:anna", loose) == "decided"
