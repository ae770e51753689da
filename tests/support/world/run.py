"""Lets a history happen, and asks after each event what must hold."""

import traceback
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from hntes.platforms.device_errors import DriftError
from hntes.sql.errors import BrokenLogError
from hntes.workflow.delivery.authority import AuthorityError
from hntes.workflow.review.transition_approval import TransitionChangedError
from tests.support.world import bookings
from tests.support.world.broken import BrokenError
from tests.support.world.history import Event, History
from tests.support.world.invariants import Invariants
from tests.support.world.ledger import pairs_in
from tests.support.world.machine import Outcome
from tests.support.world.people import People
from tests.support.world.places import Place
from tests.support.world.site import site
from tests.support.world.traffic import RESERVED, TRANSFERS

OPERATORS = ("anna", "otto")
# Quiet nights after which everything that was refused has to be delivered.
QUIET_NIGHTS = 2
# Nights after which a backup is no longer restored: those since then are run again.
_OLDEST_BACKUP = 3


@dataclass
class World:
    """A history that has happened. `broken`: the invariant that does not hold, and after which event."""

    history: History
    happened: Counter[str] = field(default_factory=Counter)
    acts: Counter[str] = field(default_factory=Counter)
    broken: BrokenError | None = None
    after: Event | None = None
    log: list[str] = field(default_factory=list)


def happened(history: History, folder: Path) -> World:
    """Lets it happen in a new folder, to its end or until something is broken."""
    world = World(history)
    with site(folder, history.platforms, history.approvals, reserves=history.reserves) as made:
        people = People(history.seed, made)
        running = _Running(world, people, Invariants(people))
        try:
            for event in history.events:
                world.after = event
                running.let(event)
            world.after = None
            running.end(max((each.night for each in history.events), default=0))
        except BrokenError as broken:
            world.broken = broken
        except Exception as problem:  # noqa: BLE001 - an error of the program's own is what a world looks for, too
            what = "".join(traceback.format_exception(problem)[-3:])
            world.broken = BrokenError("no internal error", what)
        world.happened = made.machine.happened
    return world


def _choices(event: Event) -> Random:
    """What a person chooses in an event: the same when the same call is made once more."""
    return Random(f"{event.seed} choices")


@dataclass
class _Running:
    world: World
    people: People
    invariants: Invariants
    night: int = 0
    faults: dict[str, str] = field(default_factory=dict)

    @property
    def places(self) -> list[Place]:
        return self.people.site.places

    @property
    def _pairs(self) -> tuple[int, ...]:
        """All that may ever be on a router."""
        return TRANSFERS + RESERVED if self.people.site.reserves else TRANSFERS

    def let(self, event: Event) -> None:
        """One event, and what must hold after it; where a process was disturbed, the same call once more."""
        draw, place = Random(event.seed), self.places[event.router]
        if event.night != self.night:
            self.night, self.faults = event.night, {}
        self.people.set_clock(event.night, draw.uniform(1, 2))
        self.world.acts[event.act] += 1
        if event.act == "traffic":
            self.faults[place.name] = event.fault
            return
        self._arrange(event.fault, place, draw)
        done = self._acts[event.act](self, place, _choices(event))
        self._said(event, done)
        if done is not None and event.fault:
            self._calm(place)
            self.people.set_clock(event.night, 3)
            self.invariants.hold()
            if self._is_to_be_repeated(event, done):
                self._said(event, self._acts[event.act](self, place, _choices(event)), "again: ")
        self._calm(place)
        self.invariants.hold()

    def _is_to_be_repeated(self, event: Event, done: Outcome) -> bool:
        """What was cut short is; and a night that found another day's clock, or no room on the disk."""
        if event.act == "night" and done.word in ("refused", "done"):
            return done.word == "refused" or bool(done.result.failures)
        return done.word in ("died", "failed")

    def _said(self, event: Event, done: Outcome | None, again: str = "") -> None:
        word = "-" if done is None else done.word
        first = str(done.problem).split("\n")[0] if done is not None and done.problem is not None else ""
        self.world.log.append(f"{again}{event} -> {word} {first}".rstrip())

    def end(self, night: int) -> None:
        """Quiet nights, after which every router holds what is due; then all of HNTES is removed."""
        for number in range(night + 1, night + 1 + QUIET_NIGHTS):
            self.night, self.faults = number, {}
            self.people.set_clock(number, 1)
            self._a_night(self.places[0], Random(number))
            for place in self.places:
                place.let_trials_end()
                self._approve(place, Random(number))
                self._settle_one(place, must_deliver=number == night + QUIET_NIGHTS)
            self.invariants.hold()
        for place in self.places:
            self._withdrawn(place)

    def _withdrawn(self, place: Place) -> None:
        """Withdrawal works, though the database is away."""
        site = self.people.site
        site.close_database()
        away = site.database.rename(site.database.with_name("away.db"))
        done = self.people.remove(place)
        away.rename(site.database)
        if done.word != "done":
            raise BrokenError("withdrawal always works", f"{place.name}: {done.word} {done.problem}")
        if place.dialect.owned(place.for_good()).statements:
            raise BrokenError("withdrawal always works", f"{place.name}: something of HNTES is left")
        self.invariants.hold()
        self.people.ledger.withdrawing.pop(place.name, None)

    def _arrange(self, fault: str, place: Place, draw: Random) -> None:
        machine, faults = self.people.site.machine, place.served.faults
        at, request = draw.randint(1, 40), faults.seen + draw.randint(1, 30)
        if fault == "killed at a durable write":
            machine.die_at = at
        elif fault == "torn write":
            machine.torn_at = draw.randint(1, 12)
        elif fault == "full disk":
            machine.full_from = at
        elif fault == "clock jump":
            machine.now_ms += round(draw.choice((-1, 1)) * draw.choice((0.1, 3, 30, 700)) * 3_600_000)
            machine.happened[fault] += 1
        elif fault == "killed at a request":
            machine.die_at_request = draw.randint(1, 30)
        elif fault == "cut before":
            faults.cut_before = request
        elif fault == "cut after":
            faults.cut_after = request
        elif fault == "refused":
            faults.refused = {request: "configuration database is being changed"}
        elif fault == "silent":
            faults.silent_after = request

    def _calm(self, place: Place) -> None:
        """All that was broken is mended; what took effect is counted."""
        faults, happened = place.served.faults, self.people.site.machine.happened
        self.people.site.machine.calm()
        for name, at in (("cut before", faults.cut_before), ("cut after", faults.cut_after)):
            happened[f"session {name}"] += at is not None and faults.seen >= at
        happened["request refused"] += any(faults.seen >= each for each in faults.refused)
        happened["router silent"] += faults.silent_after is not None and faults.seen >= faults.silent_after
        faults.cut_before = faults.cut_after = faults.silent_after = None
        faults.refused = {}

    def _a_night(self, _: Place, __: Random) -> Outcome:
        self.people.traffic(self.night, self.faults)
        done = self.people.night(self.night)
        if done.word == "done" and not done.result.failures:
            self.people.ledger.cancelled_since.clear()
        if done.word == "done" and self.people.site.machine.today.date() > self.people.day(self.night):
            failed = {name: why for name, why in done.result.failures.items() if "No space left" not in why}
            failed = {name: why for name, why in failed.items() if "disk is full" not in why}
            if failed:
                raise BrokenError("the next call mends", f"the night fails: {failed}")
        return done

    def _approve(self, place: Place, _: Random) -> Outcome | None:
        done = None
        for who in OPERATORS[: self.people.site.approvals]:
            done = self.people.approve(place, who) or done
        return done

    def _deliver(self, place: Place, _: Random) -> Outcome:
        done = self.people.deliver(place)
        if done.word == "done" and done.result is not None:
            self.people.ledger.undone.discard(place.name)
            self.invariants.ended_are_gone(place)
        return done

    def _settle(self, _: Place, __: Random) -> None:
        for place in self.places:
            self._settle_one(place)

    def _settle_one(self, place: Place, *, must_deliver: bool = False) -> None:
        """Delivers by the way that each refusal names; what only the next night can end waits for it."""
        again, done = False, Outcome("died")
        place.let_trials_end()
        for _ in range(8):
            done = self.people.deliver(place, again=again)
            self.world.log.append(f"  settle {place.name}: {done.word} {str(done.problem or '')[:160]}")
            if done.word == "done" or (isinstance(done.problem, AuthorityError) and not must_deliver):
                return self._settled(place, done)
            self.invariants.hold()
            if isinstance(done.problem, DriftError):
                self._remove(place, Random(0))
                again = True
            elif isinstance(done.problem, TransitionChangedError):
                self.people.accept_transition(place, OPERATORS[0])
            elif isinstance(done.problem, BrokenLogError):
                self.people.after_restore(place)
            elif "a removal is unfinished" in str(done.problem):
                self._remove(place, Random(0))
            elif "was removed from the router" in str(done.problem):
                again = True
            else:
                break
            self.people.ledger.withdrawing.pop(place.name, None)
        raise BrokenError("the next call mends", f"{place.name}: {done.word}: {done.problem}")

    def _settled(self, place: Place, done: Outcome) -> None:
        if done.result is None:
            return
        journal = self.people.site.output / place.name / "delivery" / "journal.json"
        if journal.exists():
            raise BrokenError("the next call mends", f"{place.name}: the journal has not ended")
        self.people.ledger.undone.discard(place.name)
        self.invariants.ended_are_gone(place)
        text = self.people.text(place, done.result.change.candidate_hash)
        if text is None or place.dialect.owned(place.for_good()) != place.dialect.part_of(text):
            raise BrokenError("the next call mends", f"{place.name}: it does not hold what was delivered")

    def _exclude(self, place: Place, draw: Random) -> Outcome:
        return self.people.exclude(place, draw.choice(self._pairs), draw.choice(OPERATORS))

    def _end_exclusion(self, place: Place, draw: Random) -> Outcome | None:
        known = self.people.ledger.known
        excluded = sorted({*known.excluded.get(place.name, ()), *known.ending.get(place.name, ())})
        return self.people.end_exclusion(place, draw.choice(excluded)) if excluded else None

    def _pin(self, place: Place, draw: Random) -> Outcome:
        return self.people.pin(place, draw.choice(TRANSFERS), draw.choice(OPERATORS))

    def _unpin(self, place: Place, draw: Random) -> Outcome | None:
        pins = self.people.ledger.known.pins.get(place.name, {})
        known = sorted(pair for pair, each in pins.items() if each.until is None)
        return self.people.unpin(place, draw.choice(known)) if known else None

    def _protect(self, _: Place, draw: Random) -> None:
        left = [each for each in self._pairs if each not in self.people.site.protected]
        if len(left) > len(self._pairs) // 2:
            self.people.protect(draw.choice(left))

    def _edit_elsewhere(self, place: Place, draw: Random) -> None:
        place.edit_elsewhere(draw.randint(1, 99))
        self._edited(place)

    def _edit_own(self, place: Place, _: Random) -> None:
        if place.edit_own():
            self._edited(place)

    def _roll_back(self, place: Place, draw: Random) -> Outcome | None:
        before = pairs_in(place.for_good())
        if not place.roll_back():
            return None
        self._edited(place)
        self.people.ledger.undone.add(place.name)
        self.people.site.machine.happened["delivery undone by hand"] += 1
        taken = sorted(before.intersection(self._pairs) - pairs_in(place.for_good()))
        # Who undoes a delivery often wants a pair of it to stay away.
        if not taken or draw.random() < 0.5:
            return None
        return self.people.exclude(place, draw.choice(taken), draw.choice(OPERATORS))

    def _edited(self, place: Place) -> None:
        self.people.ledger.edits.add(place.name)
        self.people.site.machine.happened["hand edit"] += 1

    def _damage(self, place: Place, draw: Random) -> None:
        """Somebody cuts a file of the router's folder, or changes a byte of it."""
        folder = self.people.site.output / place.name
        found = sorted(each for each in folder.rglob("*") if each.is_file() and each.suffix in (".conf", ".transition"))
        for path in found and [draw.choice(found)]:
            content = bytearray(path.read_bytes())
            content[len(content) // 2 :] = b"" if draw.random() < 0.5 else b"x" + content[len(content) // 2 + 1 :]
            path.write_bytes(content)
            self.invariants.damaged.add(path)
            self.people.site.machine.happened["damaged file"] += 1

    def _back_up(self, _: Place, __: Random) -> None:
        self.people.back_up(self.night)

    def _restore(self, _: Place, __: Random) -> None:
        kept = self.people.backup
        if kept is not None and self.night - kept.number <= _OLDEST_BACKUP:
            self.people.restore(self.night)

    def _remove(self, place: Place, _: Random) -> Outcome:
        done = self.people.remove(place)
        self.invariants.hold()
        return done

    def _remove_pair(self, place: Place, draw: Random) -> Outcome:
        return self.people.remove_pair(place, draw.choice(TRANSFERS))

    def _reject(self, place: Place, draw: Random) -> None:
        self.people.reject(place, draw.choice(OPERATORS))

    def _withdraw(self, place: Place, draw: Random) -> Outcome | None:
        return self.people.withdraw(place, draw.choice(OPERATORS))

    def _reserve(self, place: Place, draw: Random) -> Outcome:
        return bookings.book(self.people, place, draw, draw.choice(OPERATORS))

    def _cancel(self, place: Place, draw: Random) -> Outcome | None:
        return bookings.cancel_one(self.people, place, draw)

    def _grant(self, place: Place, draw: Random) -> Outcome:
        return bookings.grant(self.people, place, draw, OPERATORS[: self.people.site.approvals])

    def _revoke(self, place: Place, draw: Random) -> Outcome | None:
        return bookings.revoke_one(self.people, place, draw, draw.choice(OPERATORS))

    def _approve_texts(self, place: Place, _: Random) -> Outcome | None:
        return bookings.approve_texts(self.people, place, OPERATORS[: self.people.site.approvals])

    def _deliver_due(self, place: Place, _: Random) -> Outcome:
        done = bookings.deliver_due(self.people, place)
        if done.word == "done" and done.result.outcome in ("done", "held"):
            # a round that has nothing to bring takes the word of reports
            if done.result.outcome == "done":
                self.people.ledger.undone.discard(place.name)
            if place.name not in self.people.ledger.undone:
                self.invariants.ended_are_gone(place)
        return done

    def _restart(self, place: Place, _: Random) -> None:
        place.restart()
        self.people.ledger.restarted.add(place.name)
        self.people.site.machine.happened["router restarted"] += 1

    _acts: "dict[str, Callable[[_Running, Place, Random], Outcome | None]]" = field(init=False, repr=False)

    def __post_init__(self) -> None:
        cls = _Running
        self._acts = {
            "night": cls._a_night,
            "approve": cls._approve,
            "deliver": cls._deliver,
            "settle": cls._settle,
            "exclude": cls._exclude,
            "end exclusion": cls._end_exclusion,
            "pin": cls._pin,
            "unpin": cls._unpin,
            "protect": cls._protect,
            "hand edit elsewhere": cls._edit_elsewhere,
            "hand edit of HNTES' part": cls._edit_own,
            "undo by hand": cls._roll_back,
            "damage a file": cls._damage,
            "back up": cls._back_up,
            "restore": cls._restore,
            "remove": cls._remove,
            "remove a pair": cls._remove_pair,
            "reject": cls._reject,
            "withdraw": cls._withdraw,
            "reserve": cls._reserve,
            "cancel": cls._cancel,
            "grant a quota": cls._grant,
            "revoke a quota": cls._revoke,
            "approve reservations": cls._approve_texts,
            "deliver reservations": cls._deliver_due,
            "router restarts": cls._restart,
        }
