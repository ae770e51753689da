"""What must hold after every event of a world, whatever happened. Each is asked of routers, files and log, apart from
what HNTES says of itself."""

import hashlib
import json
import re
from collections import Counter
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

from hntes.platforms.owned_config import OwnedConfig
from hntes.sql.audit_chain import first_break
from hntes.sql.entries import AuditEventEntry
from tests.support.world.arrivals import Arrivals
from tests.support.world.broken import BrokenError
from tests.support.world.ledger import pairs_in
from tests.support.world.people import People
from tests.support.world.places import Place
from tests.support.world.record import Proposed
from tests.support.world.site import AGEING_DAYS
from tests.support.world.told import Told
from tests.support.world.traffic import FIRST_DAY, RESERVED

# Nights are run again of the last few days alone.
_LOOKED_BACK = timedelta(days=14)
_HASH = re.compile(r"[0-9a-f]{64}")


@dataclass
class Invariants:
    """`foreign`: by router, what is not of HNTES; `former`: what was of HNTES in all that it held for good before.

    `damaged`: files that somebody else has harmed. `events`: of the log, as they were read so far; `told`: what these
    tell. `proposed`: changes whose leaving pairs were looked at. `whole`: files whose content was found to be what
    their names say, as they were then.
    """

    people: People
    foreign: dict[str, object] = field(default_factory=dict)
    former: dict[str, list[OwnedConfig]] = field(default_factory=dict)
    damaged: set[Path] = field(default_factory=set)
    events: list[AuditEventEntry] = field(default_factory=list)
    told: Told = field(default_factory=Told)
    proposed: set[Proposed] = field(default_factory=set)
    arrivals: Arrivals = field(init=False)
    whole: dict[Path, tuple[int, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.arrivals = Arrivals(self.people)
        for place in self.people.site.places:
            held = place.for_good()
            self.people.ledger.held[place.name] = held
            self.foreign[place.name] = place.dialect.foreign(held)
            self.former[place.name] = []

    def hold(self) -> None:
        """Raises BrokenError if something does not hold."""
        has_changed = self.people.site.record.has_changed()
        if has_changed:
            self._log_is_whole()
        for place in self.people.site.places:
            self._router(place)
            self._texts_are_whole(place)
        self._log_tells()
        if has_changed:
            self._proposals_are_right()

    def _log_is_whole(self) -> None:
        """Reads what was added; what was read before is still there, unless an older database was restored."""
        known = self.events[-1:]
        found = self.people.site.record.events(known[0].number if known else 1)
        if known and found[:1] != known:
            found, known, self.events, self.told = self.people.site.record.events(1), [], [], Told()
        added = found[len(known) :]
        if broken := first_break(added, known[0] if known else None):
            raise BrokenError("the log tells what happened", f"event {broken.number}: {broken.what}")
        self.events += added
        self.told.add(added)

    def _router(self, place: Place) -> None:
        ledger, now = self.people.ledger, place.for_good()
        was, has_restarted = ledger.held[place.name], place.name in ledger.restarted
        ledger.restarted.discard(place.name)
        if now == was:
            return
        ledger.held[place.name] = now
        before, after = place.dialect.owned(was), place.dialect.owned(now)
        self.former[place.name].append(before)
        if place.name in ledger.edits:
            ledger.edits.discard(place.name)
            self.foreign[place.name] = place.dialect.foreign(now)
            return
        if place.dialect.foreign(now) != self.foreign[place.name]:
            raise BrokenError("what is the operator's own stays", f"{place.name}: statements of it have changed")
        if before == after or self._is_withdrawn(place, before, after, was, now):
            return
        # Of a push that was cut before its end the router had not saved the text: HNTES finds the difference next time.
        if has_restarted and after in self.former[place.name]:
            return
        self.arrivals.hold(place, was, now, self.told)

    def _is_withdrawn(self, place: Place, before: OwnedConfig, after: OwnedConfig, was: str, now: str) -> bool:
        """Whether a person removes just that from the router."""
        ledger = self.people.ledger
        if place.name not in ledger.withdrawing:
            return False
        pair = ledger.withdrawing[place.name]
        if pair is None:
            return not after.statements
        return pairs_in(now) == pairs_in(was) - {pair} and len(after.statements) <= len(before.statements)

    def ended_are_gone(self, place: Place) -> None:
        """To be asked after a delivery: whatever was reserved and has ended is no longer on the router.

        Beside another that has not ended it may stay until somebody approves the text that follows: that text alone
        has the other one.
        """
        ledger, now_s = self.people.ledger, self.people.site.machine.called_ms / 1000
        left = pairs_in(place.for_good()) & set(RESERVED)
        if left and not left & ledger.not_ended(place.name, now_s):
            raise BrokenError("what has ended leaves", f"{place.name}: reservation of 198.18.{min(left)}.0/24")

    def _texts_are_whole(self, place: Place) -> None:
        """Files named by the hash of their content have that content; what a manifest names is there."""
        folder = self.people.site.output / place.name
        for path in (*folder.glob("candidates/*.conf"), *folder.glob("approved/*.conf")):
            found = path.stat()
            seen = found.st_ino, found.st_size, found.st_mtime_ns
            if self.whole.get(path) == seen or path in self.damaged or not _HASH.fullmatch(path.stem):
                continue
            if hashlib.sha256(path.read_bytes()).hexdigest() != path.stem:
                raise BrokenError("no text is half written", f"{path.parent.name}/{path.name}")
            self.whole[path] = seen
        manifest = folder / "approved" / "manifest.json"
        if manifest.exists() and manifest not in self.damaged:
            try:
                named = json.loads(manifest.read_text(encoding="utf-8"))
            except ValueError as problem:
                raise BrokenError("no text is half written", f"{manifest}: {problem}") from problem
            if not (manifest.parent / named["file"]).exists():
                raise BrokenError("no text is half written", f"{manifest} names a file that is not there")

    def _log_tells(self) -> None:
        for said, times in Counter(self.people.ledger.known.said).items():
            # an equal repetition of a stage adds no event
            needed = 1 if said.kind == "deliver" else times
            if self.told.times(said) < needed:
                raise BrokenError("the log tells what happened", f"{times} times done, and not logged: {said}")

    def _proposals_are_right(self) -> None:
        """Asked of each text when it is seen first, of what was known then."""
        since = self.people.today - _LOOKED_BACK
        for each in self.people.site.record.proposed(since):
            if each in self.proposed:
                continue
            self.proposed.add(each)
            (place,) = (place for place in self.people.site.places if place.name == each.router)
            after = self.people.text(place, each.candidate_hash)
            if after is not None:
                before = "" if each.base_hash is None else self.people.text(place, each.base_hash) or ""
                self._true_stays(each, pairs_in(before) - pairs_in(after) - set(RESERVED))
                self._people_are_heard(each, pairs_in(after) - set(RESERVED))
                self._old_leaves(each, pairs_in(after) - set(RESERVED))
                self._reserved_is_allowed(each, pairs_in(after) & set(RESERVED))

    def _true_stays(self, change: Proposed, leaving: frozenset[int]) -> None:
        """A pair leaves by age only after as many days with good files and without it."""
        ledger, router = self.people.ledger, change.router
        # a pair that a person wanted once may never have had a flow
        allowed = self._forbidden(change) | ledger.pinned.get(router, set())
        for pair in leaving - allowed:
            quiet = ledger.quiet_good_days(router, pair, change.day)
            if quiet <= AGEING_DAYS:
                what = f"{router} {change.day}: 198.18.{pair}.0/24 leaves after {quiet} good days without it"
                raise BrokenError("nothing true ages out on bad evidence", what)

    def _people_are_heard(self, change: Proposed, pairs: frozenset[int]) -> None:
        """What a person excluded is in no text, and what a person pinned is in all."""
        if found := pairs & self._forbidden(change):
            what = f"{change.router} {change.day}: 198.18.{min(found)}.0/24"
            raise BrokenError("nothing excluded or protected is proposed", what)
        known = self.people.ledger.known
        pins, perhaps_excluded = known.pins.get(change.router, {}), known.ending.get(change.router, set())
        lasting = {pair: each for pair, each in pins.items() if each.is_certain and not each.until}
        kept = {pair for pair, each in lasting.items() if each.from_day <= change.day}
        if missing := kept - pairs - self._forbidden(change) - perhaps_excluded:
            raise BrokenError("a pinned pair stays", f"{change.router} {change.day}: 198.18.{min(missing)}.0/24")

    def _reserved_is_allowed(self, change: Proposed, pairs: frozenset[int]) -> None:
        """What is reserved counts by the exclusions of the moment of the proposal, not by those of the night's day."""
        excluded = set(self.people.ledger.known.excluded.get(change.router, ())) | set(self.people.site.protected)
        if found := pairs & excluded:
            what = f"{change.router} {change.day}: reservation of 198.18.{min(found)}.0/24"
            raise BrokenError("nothing excluded or protected is proposed", what)

    def _old_leaves(self, change: Proposed, pairs: frozenset[int]) -> None:
        """A pair without a flow and without a pin leaves, after as many days as HNTES itself holds for complete."""
        ledger, record, router = self.people.ledger, self.people.site.record, change.router
        pins = ledger.known.pins.get(router, {})
        for pair in pairs:
            pin, last = pins.get(pair), ledger.last_alpha(router, pair) or FIRST_DAY - timedelta(days=1)
            if pin is not None and (pin.until is None or change.day < pin.until):
                continue
            quiet = record.complete_days(router, last, change.day)
            # what is in force stays on a day that is not complete
            if quiet > AGEING_DAYS and record.complete_days(router, change.day - timedelta(days=1), change.day):
                what = f"{router} {change.day}: 198.18.{pair}.0/24 stays after {quiet} complete days without it"
                raise BrokenError("what has ended leaves", what)

    def _forbidden(self, change: Proposed) -> set[int]:
        excluded = self.people.ledger.known.excluded.get(change.router, {})
        return {pair for pair, first in excluded.items() if first <= change.day} | set(self.people.site.protected)
