"""Reports and drift of many routers are read from their newest events: the same as from all events."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import date, timedelta
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import Engine

from hntes.sql import audit
from hntes.sql.audit import NewEvent
from hntes.sql.deliveries import REPORTS, newest_reports, standing
from hntes.sql.drifts import SeenDrift, last_seen
from hntes.sql.entries import AuditEventEntry
from hntes.sql.session import Session, transaction

ROUTERS = ("r1", "r2", "r3")
DAY = date(2026, 11, 20)
SHARED = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)


class UndoneError(Exception):
    """Ends a transaction without its events."""


@contextmanager
def undone(store: Engine) -> Iterator[Session]:
    with suppress(UndoneError), transaction(store) as session:
        yield session
        raise UndoneError


events = st.lists(
    st.tuples(
        st.sampled_from(ROUTERS[:2]),
        st.sampled_from(["loaded", "verified", "reduced", "remove", "equal", "behind", "changed", "decide"]),
        st.integers(0, 2),
    ),
    max_size=25,
)


def write(session: Session, history: list[tuple[str, Any, int]]) -> None:
    for router, kind, number in history:
        if kind in ("equal", "behind", "changed"):
            audit.append(session, NewEvent("drift", router, outcome=kind))
        elif kind == "reduced":
            audit.append(session, NewEvent("verified", router, candidate_hash=str(number) * 64))
        elif kind == "remove":
            audit.append(session, NewEvent("remove", router, note="gone"))
        else:
            about = DAY + timedelta(days=number), str(number) * 64
            audit.append(session, NewEvent(kind, router, about[0], candidate_hash=about[1]))


@SHARED
@given(events)
def test_newest_reports_are_the_last_of_those_that_stand(store: Engine, history: list[tuple[str, str, int]]) -> None:
    with undone(store) as session:
        write(session, history)
        wanted = {}
        for router in ROUTERS:
            stands = standing(audit.events(session, router, (*REPORTS, "remove")), router)
            for kind in REPORTS:
                found = [event for event in stands if event.kind == kind]
                if found:
                    wanted[router, kind] = found[-1]
        assert newest_reports(session, ROUTERS) == wanted


@SHARED
@given(events)
def test_the_last_drift_is_the_newest_state_since_it_is_without_a_break(
    store: Engine, history: list[tuple[str, str, int]]
) -> None:
    def state(event: AuditEventEntry) -> str:
        return event.outcome if event.kind == "drift" else "equal"

    with undone(store) as session:
        write(session, history)
        wanted = {}
        for router in ROUTERS:
            seen = audit.events(session, router, ("drift", "verified", "remove"))
            if seen:
                run = [seen[-1]]
                for event in reversed(seen[:-1]):
                    if state(event) != state(seen[-1]):
                        break
                    run.append(event)
                wanted[router] = SeenDrift(state(seen[-1]), seen[-1].time_ms, run[-1].time_ms)
        assert last_seen(session, ROUTERS) == wanted
