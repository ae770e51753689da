"""Booking and cancelling through the stages, on both databases."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from threading import Barrier, Thread

import pytest

from hntes.rules.pairs import PairError
from hntes.rules.reservations.reservation import ReservationError
from hntes.sql.errors import InvalidEntryError, UnknownEntryError
from hntes.workflow.audit_checks import verify_audit
from hntes.workflow.context import Context, opened
from hntes.workflow.errors import CommandError, is_mistake
from hntes.workflow.reports.audit_queries import audit_listing
from hntes.workflow.reservations.calendar import over_cap, port_calendars, shares_of, timetable
from hntes.workflow.reservations.reserve import ReservationRequest, ReservationResult, book, cancel, listing
from tests.support.reserving import NOW_S, OTHER_PAIR, P1, P2, PAIR, reserving_installation, set_clock

WANTED = ReservationRequest(PAIR, 3 * 10**9, (P1,), "anna", "T-1", NOW_S + 3600, NOW_S + 7200, external_id="copy-1")


@pytest.fixture
def context(tmp_path: Path, database_url: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Context]:
    set_clock(monkeypatch)
    site = reserving_installation(tmp_path, database_url)
    with opened(site.settings) as context:
        yield context


def test_a_booking_and_its_end_are_in_the_audit_log(context: Context) -> None:
    booked = book(context, WANTED, identity="token:copies")
    cancel(context, booked.reservation.number, "moved")
    first, second = audit_listing(context, None, ("reserve", "cancel"), None, None)
    assert first.detail == (
        "reservation 1: 198.18.10.0/24 > 203.0.113.0/24 foreground 3 Gb/s from 2026-11-24T11:00:00Z to "
        "2026-11-24T12:00:00Z on r1:xe-0/0/0"
    )
    assert (first.router, first.who, first.note, first.identity) == ("r1", "anna", "T-1", "token:copies")
    assert (second.detail, second.note) == ("reservation 1", "moved")
    assert verify_audit(context).problem is None


def test_two_at_once_cannot_both_get_the_last_bit(context: Context) -> None:
    """Each alone fits under the cap of 4 Gb/s, and only one of them all."""
    found = _at_once(
        context, [replace(WANTED, pair=f"198.18.{n}.0/24>203.0.113.0/24", external_id=None) for n in range(20, 26)]
    )
    assert sorted(each.refusal is None for each in found) == [False] * 5 + [True]
    assert len(listing(context)) == 1


def test_one_name_asked_for_several_times_at_once_is_one_reservation(context: Context) -> None:
    """As a program does whose first answers were late."""
    found = _at_once(context, [WANTED] * 6)
    assert sorted(each.is_new for each in found) == [False] * 5 + [True]
    assert {each.reservation.number for each in found} == {1}
    assert len(audit_listing(context, None, ("reserve",), None, None)) == 1


def _at_once(context: Context, wanted: list[ReservationRequest]) -> list[ReservationResult]:
    """What each was answered; all are asked for in threads that begin together."""
    ready, found = Barrier(len(wanted)), []

    def ask(each: ReservationRequest) -> None:
        ready.wait()
        found.append(book(context, each))

    threads = [Thread(target=ask, args=(each,)) for each in wanted]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == len(wanted)
    return found


def test_a_refusal_and_a_trial_store_nothing(context: Context) -> None:
    book(context, WANTED)
    other = replace(WANTED, pair=OTHER_PAIR, external_id=None)
    refused = book(context, other)
    assert refused.refusal is not None
    assert refused.refusal.nearest_start_s == NOW_S + 7200
    trial = book(context, replace(other, rate_bps=10**9), is_trial=True)
    assert (trial.refusal, trial.is_new, trial.reservation.number) == (None, True, 0)
    assert [each.number for each in listing(context, with_past=True)] == [1]
    assert len(audit_listing(context, None, ("reserve",), None, None)) == 1


def test_the_same_again_is_the_same_and_another_is_an_error(context: Context, monkeypatch: pytest.MonkeyPatch) -> None:
    assert book(context, WANTED).is_new
    set_clock(monkeypatch, NOW_S + 5000)  # it has begun: a new one of these times would be refused
    again = book(context, WANTED)
    assert (again.is_new, again.reservation.number) == (False, 1)
    with pytest.raises(CommandError, match="exists with another rate_bps; use another id"):
        book(context, replace(WANTED, rate_bps=1))
    assert book(context, replace(WANTED, pair=OTHER_PAIR, ports=(P2,), owner="bert", start_s=NOW_S + 6000)).is_new
    cancel(context, 1, "moved")
    with pytest.raises(CommandError, match="cancelled; use another id for a new one"):
        book(context, WANTED)


def test_what_begins_at_once_can_be_asked_again_later(context: Context, monkeypatch: pytest.MonkeyPatch) -> None:
    now = replace(WANTED, start_s=None, end_s=None, length_s=600)
    assert book(context, now).reservation.start == "2026-11-24T10:00:00Z"
    set_clock(monkeypatch, NOW_S + 7)
    again = book(context, now)
    assert (again.is_new, again.reservation.start, again.reservation.state) == (False, "2026-11-24T10:00:00Z", "active")


def test_what_begins_at_once_and_ends_at_an_instant_can_be_asked_again_later(
    context: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A program whose first answer was lost asks again: it has the same end, and would be shorter by now."""
    now = replace(WANTED, start_s=None, end_s=NOW_S + 600)
    first = book(context, now)
    set_clock(monkeypatch, NOW_S + 7)
    again = book(context, now)
    assert (again.is_new, again.reservation.start) == (False, first.reservation.start)
    with pytest.raises(CommandError, match="exists with another start_s, end_s"):
        book(context, replace(now, end_s=NOW_S + 601))


def test_cancelled_room_is_free_again(context: Context) -> None:
    book(context, WANTED)
    other = replace(WANTED, pair=OTHER_PAIR, external_id=None)
    assert book(context, other).refusal is not None
    cancel(context, 1, "moved")
    assert book(context, other).refusal is None


def test_others_reservations_are_not_there(context: Context) -> None:
    book(context, WANTED)
    with pytest.raises(UnknownEntryError, match="reservation 1: there is none"):
        cancel(context, 1, "", owner="bert")
    assert listing(context, owner="bert") == ()
    assert cancel(context, 1, "", owner="anna").state == "cancelled"


def test_states_follow_the_clock(context: Context, monkeypatch: pytest.MonkeyPatch) -> None:
    book(context, WANTED)

    def state(second: int) -> tuple[str, int]:
        set_clock(monkeypatch, second)
        (found,) = listing(context, with_past=True)
        return found.state, len(listing(context))

    assert state(NOW_S + 3599) == ("booked", 1)
    assert state(NOW_S + 3600) == ("active", 1)
    assert state(NOW_S + 7199) == ("active", 1)
    assert state(NOW_S + 7200) == ("past", 0)
    with pytest.raises(InvalidEntryError, match="it is over"):
        cancel(context, 1, "late")


def test_routers_are_told_what_to_police_and_background_what_it_gets(context: Context) -> None:
    book(context, WANTED)
    book(
        context,
        ReservationRequest(OTHER_PAIR, 5 * 10**9, (P1, P2), "bert", length_s=7200, kind="background", floor_bps=10**9),
    )
    gets = [(step.start_s - NOW_S, step.rates_bps[2]) for step in shares_of(context, 2)]
    assert gets == [(0, 4 * 10**9), (3600, 10**9)]
    assert shares_of(context, 1) == ()
    assert _due(context, "r1") == [
        (0, 3600, [("reservation-2", 4 * 10**9)]),
        (3600, 7200, [("reservation-1", 3 * 10**9), ("reservation-2", 10**9)]),
        (7200, 9000, []),
    ]
    # what r1 leaves bounds the transfer on r2 as well
    assert _due(context, "r2") == [
        (0, 3600, [("reservation-2", 4 * 10**9)]),
        (3600, 7200, [("reservation-2", 10**9)]),
        (7200, 9000, []),
    ]
    with pytest.raises(CommandError, match="09:59:59Z is in the past"):
        timetable(context, "r1", NOW_S - 1, 60)
    with pytest.raises(CommandError, match="'r9' is not in the settings"):
        timetable(context, "r9", None, 60)


def _due(context: Context, router: str) -> list[tuple[int, int, list[tuple[str, int]]]]:
    return [
        (each.start_s - NOW_S, each.end_s - NOW_S, [(one.name, one.rate_bps) for one in each.reserved])
        for each in timetable(context, router, None, 9000)
    ]


REFUSED: list[tuple[dict[str, object], type[Exception], str]] = [
    ({"start_s": NOW_S - 1}, CommandError, "is in the past"),
    ({"end_s": NOW_S + 3600 + 721 * 3600}, CommandError, "longer than 720 h"),
    ({"start_s": NOW_S + 366 * 86_400, "end_s": NOW_S + 366 * 86_400 + 1}, CommandError, "more than 366 days from now"),
    ({"rtt_ms": 301}, CommandError, "round-trip time of 301 ms is above 300"),
    ({"end_s": None}, CommandError, "give either its end or its length"),
    ({"length_s": 5}, CommandError, "give either its end or its length"),
    ({"end_s": NOW_S + 3600}, ReservationError, "ends before or at its start"),
    ({"ports": ("r1:xe-0/0/9",)}, ReservationError, "does not allow reservations"),
    ({"ports": ("r9:xe-0/0/0",)}, ReservationError, "does not allow reservations"),
    ({"ports": ("xe-0/0/0",)}, ReservationError, "write ROUTER:INTERFACE"),
    ({"pair": "0.0.0.0/0>203.0.113.0/24"}, PairError, "min_ipv4_prefix_length"),
    ({"pair": "198.18.10.0/24>2001:db8::/64"}, PairError, "address families"),
    ({"owner": " "}, InvalidEntryError, "name its owner"),
    ({"ticket": "a\nb"}, InvalidEntryError, "its ticket holds U"),
    ({"rate_bps": 2**70}, ReservationError, "must be from 1 bit/s to"),
]


@pytest.mark.parametrize(("changes", "kind", "said"), REFUSED)
def test_what_cannot_be_asked(context: Context, changes: dict[str, object], kind: type[Exception], said: str) -> None:
    with pytest.raises(kind, match=said) as caught:
        book(context, replace(WANTED, **changes))
    assert is_mistake(caught.value)
    assert listing(context, with_past=True) == ()


def test_a_cap_that_was_lowered_is_told_and_admits_no_more(tmp_path: Path, context: Context, database_url: str) -> None:
    book(context, WANTED)
    assert over_cap(context) == ()
    lowered = '[[reservations.ports]]\nrouter = "r1"\ninterface = "xe-0/0/0"\ncap_pct = 20\n'
    with opened(reserving_installation(tmp_path / "lowered", database_url, section=lowered).settings) as later:
        (port,) = over_cap(later)
        assert (str(port.port), port.most_bps, port.limit.cap_bps) == (P1, 3 * 10**9, 2 * 10**9)
        refused = book(later, replace(WANTED, pair=OTHER_PAIR, rate_bps=10**6, external_id=None))
        assert refused.refusal is not None


def test_a_calendar_is_of_each_port_with_queues(context: Context) -> None:
    book(context, WANTED)
    found = {
        str(each.port): [(s.start_s - NOW_S, s.level_bps) for s in each.segments] for each in port_calendars(context)
    }
    assert found == {P1: [(0, 0), (3600, 3 * 10**9), (7200, 0)], P2: [(0, 0)]}


def test_nothing_is_reserved_where_reservations_are_off(context: Context) -> None:
    off = Context(context.settings.model_copy(update={"reservations": None}), context.database)
    with pytest.raises(CommandError, match=r"reservations are off: add the section \[reservations\]"):
        book(off, WANTED)


def test_work_that_is_cut_off_books_nothing(context: Context, monkeypatch: pytest.MonkeyPatch) -> None:
    def gone(*_: object) -> ReservationResult:
        raise KeyboardInterrupt

    with monkeypatch.context() as within:
        within.setattr("hntes.sql.audit.append", gone)
        with pytest.raises(KeyboardInterrupt):
            book(context, WANTED)
    assert listing(context) == ()
    assert book(context, WANTED).reservation.number == 1
