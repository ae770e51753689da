"""What people do about reservations: ask for them, cancel them, approve their texts, and bring these to routers."""

from collections.abc import Sequence
from datetime import datetime
from random import Random

from hntes import clock
from hntes.sql import changes
from hntes.sql.change import Change
from hntes.workflow.context import Context
from hntes.workflow.delivery.scheduled_delivery import ScheduledDelivery, deliver_scheduled
from hntes.workflow.reservations.quotas import add_quota, list_quotas, revoke_quota, second_quota
from hntes.workflow.reservations.reserve import ReservationRequest, ReservationResult, ReservationView, cancel, listing
from hntes.workflow.reservations.reserve import book as book_in
from hntes.workflow.review.decide import Decision, Person, Request, decide
from tests.support.delivery import SharedTimer
from tests.support.world.ledger import RATE_BPS, Booking, Grant, Said, pairs_in
from tests.support.world.machine import Outcome
from tests.support.world.people import People
from tests.support.world.places import PORTS, Place
from tests.support.world.traffic import RESERVED, pair_of

# From the end of the day on. No start or end is at the hours in which people and nights work.
_STARTS_H, _LASTS_H = (5, 12, 29, 54), (6, 24, 47)
_GRANTED_H = (30, 78)


def book(people: People, place: Place, draw: Random, who: str) -> Outcome:
    """Asks for a rate from some later hour on. What is refused was not promised."""
    pair = draw.choice(RESERVED)
    start_s = people.midnight_s + draw.choice(_STARTS_H) * 3600
    asked = Booking(place.name, pair, start_s, start_s + draw.choice(_LASTS_H) * 3600)
    port = f"{place.name}:{PORTS[place.platform][1]}"
    request = ReservationRequest(
        pair_of(pair), RATE_BPS, (port,), who, start_s=asked.start_s, end_s=asked.end_s
    )  # fmt: skip

    def run(context: Context) -> ReservationResult:
        return book_in(context, request)

    # noted first: a process that is killed may have stored it
    bookings = people.ledger.bookings
    bookings.append(asked)
    done = people.site.process(run)
    if done.word == "refused" or (done.word == "done" and done.result.refusal is not None):
        bookings.remove(asked)
    elif done.word == "done":
        # booked again, it stands though it was cancelled before
        people.ledger.known.cancelled.discard(asked)
        people.ledger.known.said.append(Said("reserve", place.name, who=who))
    return done


def cancel_one(people: People, place: Place, draw: Random) -> Outcome | None:
    """Cancels a reservation of a router that has not ended; None if there is none."""

    def run(context: Context) -> Booking | None:
        standing = [each for each in map(_booking, listing(context)) if each[0].router == place.name]
        if not standing:
            return None
        chosen, number = draw.choice(standing)
        cancel(context, number, "no longer needed")
        return chosen

    done = people.site.process(run)
    if done.word == "done" and done.result is not None:
        people.ledger.known.cancelled.add(done.result)
        people.ledger.cancelled_since.add(done.result)
        people.ledger.known.said.append(Said("cancel", place.name))
    return done


def grant(people: People, place: Place, draw: Random, operators: Sequence[str]) -> Outcome:
    """Approves in advance one reservation at a time, or two, from now on; as many people as must approve do."""
    start_s = people.site.machine.now_ms // 1000
    given = Grant(place.name, RATE_BPS * draw.choice((1, 2)), start_s, start_s + draw.choice(_GRANTED_H) * 3600)

    def run(context: Context) -> int:
        port = f"{place.name}:{PORTS[place.platform][1]}"
        return add_quota(context, port, given.rate_bps, start_s, given.end_s, operators[0], "copies of these days",
                         identity=f"web:{operators[0]}").number  # fmt: skip

    # noted first: a process that is killed may have stored it
    people.ledger.quotas.append(given)
    done = people.site.process(run)
    for who in operators[1:] if done.word == "done" else ():

        def second(context: Context, who: str = who, number: int = done.result) -> object:
            return second_quota(context, number, who, identity=f"web:{who}")

        done = people.site.process(second)
    return done


def revoke_one(people: People, place: Place, draw: Random, who: str) -> Outcome | None:
    """Revokes a quota of a router; None if there is none."""

    def run(context: Context) -> Grant | None:
        known = [each for each in list_quotas(context) if each.port.partition(":")[0] == place.name]
        if not known:
            return None
        chosen = draw.choice(known)
        revoke_quota(context, chosen.number, who, "the copies are done")
        return Grant(place.name, chosen.rate_bps, _epoch_s(chosen.start), _epoch_s(chosen.end))

    done = people.site.process(run)
    if done.word == "done" and done.result is not None:
        people.ledger.known.revoked.add(done.result)
    return done


def _epoch_s(moment: str) -> int:
    return round(datetime.fromisoformat(moment).timestamp())


def _booking(view: ReservationView) -> tuple[Booking, int]:
    """A reservation as the ledger has it, and its number."""
    start, end = map(_epoch_s, (view.start, view.end))
    (pair,) = pairs_in(view.source)
    return Booking(view.ports[0].partition(":")[0], pair, start, end), view.number


def approve_texts(people: People, place: Place, operators: Sequence[str]) -> Outcome | None:
    """Reads the texts of a router that wait for the start or end of a reservation, and approves them."""
    done = None
    waiting: Sequence[Change] = people.site.look(
        lambda session: changes.scheduled_changes(session, place.name, states=("pending",))
    )
    for seen in waiting:
        text = people.text(place, seen.candidate_hash)
        for who in operators if text is not None else ():
            people.note_approval(place, seen, text or "", who)

            def run(context: Context, seen: Change = seen, who: str = who) -> Decision:
                router, by = context.settings.router(place.name), Person(who, None, f"web:{who}")
                return decide(context, router, Request.on(seen, "approved"), by, clock.now_ms())

            done = people.site.process(run)
            if done.word in ("died", "failed"):
                return done
    return done


def deliver_due(people: People, place: Place) -> Outcome:
    """Brings to a router what starts or ends there."""

    def run(context: Context) -> ScheduledDelivery:
        router = context.settings.router(place.name)
        (found,) = deliver_scheduled(context, [router], commit=True, timer_of=lambda _: SharedTimer(place.router))
        return found

    done = people.site.process(run)
    if done.word == "done" and done.result.outcome == "done":
        people.ledger.known.said.append(Said("deliver", place.name, done.result.candidate_hash))
    return done
