"""What people and schedules do: nights, decisions, exclusions, pins, deliveries, withdrawals. Each is one process."""

import hashlib
import shutil
from copy import deepcopy
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

from hntes import clock
from hntes.platforms.owned_config import OwnedConfig
from hntes.rules.pairs import PrefixPair
from hntes.sql import audit, changes
from hntes.sql.change import Change
from hntes.sql.deliveries import REMOVAL, REPORTS, delivered_last
from hntes.sql.session import reading
from hntes.workflow.context import Context
from hntes.workflow.delivery.deliver import report_delivered
from hntes.workflow.delivery.push import RouterPush, push_router
from hntes.workflow.delivery.removal import remove_all, remove_pair
from hntes.workflow.review.decide import Decision, Person, Request, decide, withdraw_change
from hntes.workflow.review.overrides import add_exclusion, add_pin, withdraw_exclusion, withdraw_pin
from hntes.workflow.review.transition_approval import approve_transition
from hntes.workflow.stages.night import Night, run_night
from hntes.workflow.transitions import transition_to
from tests.support.delivery import SharedTimer
from tests.support.world.ledger import Approval, Known, Ledger, Pin, Said
from tests.support.world.machine import Outcome
from tests.support.world.places import Place
from tests.support.world.rules_alone import rules_alone
from tests.support.world.site import Site
from tests.support.world.traffic import FIRST_DAY, Day, pair_of, true_alpha, write_day

HOUR_MS = 3_600_000


@dataclass(frozen=True)
class Backup:
    """A copy of the database after a night, with what it had to know then."""

    path: Path
    number: int
    known: Known


@dataclass
class People:
    """`seed` decides what is true of the traffic. `today` and `true_ms` are the true day and time, whatever the
    machine's clock says. `texts` by their hashes."""

    seed: int
    site: Site
    today: date = FIRST_DAY
    true_ms: int = 0
    ledger: Ledger = field(default_factory=Ledger)
    backup: "Backup | None" = None
    texts: dict[str, str] = field(default_factory=dict)

    def day(self, number: int) -> date:
        return FIRST_DAY + timedelta(days=number)

    @property
    def midnight_s(self) -> int:
        """When the true day began, epoch s."""
        day = self.today
        return round(datetime(day.year, day.month, day.day, tzinfo=UTC).timestamp())

    def set_clock(self, number: int, hours: float) -> None:
        """So many hours after the end of a day, or just after what was done last."""
        self.today = self.day(number + 1)
        self.true_ms = max(self.true_ms + 1000, self.midnight_s * 1000 + round(hours * HOUR_MS))
        self.site.machine.now_ms = self.true_ms

    def traffic(self, number: int, faults: dict[str, str]) -> None:
        """The collectors write the files of a day: the same ones, however often the night is run."""
        for index, place in enumerate(self.site.places):
            day = self.day(number)
            today = Day(day, true_alpha(self.seed, index, day), faults.get(place.name, ""))
            if today.fault:
                self.site.machine.happened[today.fault] += 1
            self.ledger.days.setdefault(place.name, {})[day] = today
            harmed = Random(f"{self.seed} {index} {number}")
            write_day(self.site.folder / "flows" / place.name, self.site.exporter(index), today, harmed)

    def night(self, number: int) -> Outcome:
        day = self.day(number)

        def run(context: Context) -> Night:
            return run_night(context, day, context.settings.routers, lambda *_: None)

        return self.site.process(run)

    def waiting(self, place: Place) -> list[Change]:
        """The changes of a router that wait for a decision, as a person sees them."""

        found: list[Change] = self.site.look(lambda session: list(changes.pending_nightly(session)))
        return [each for each in found if each.router == place.name]

    def text(self, place: Place, candidate_hash: str) -> str | None:
        """As it was when it was whole: somebody may have cut its file since."""
        path = self.site.output / place.name / "candidates" / f"{candidate_hash}.conf"
        if candidate_hash not in self.texts and path.exists():
            content = path.read_bytes()
            if hashlib.sha256(content).hexdigest() == candidate_hash:
                self.texts[candidate_hash] = content.decode()
        return self.texts.get(candidate_hash)

    def approve(self, place: Place, who: str) -> Outcome | None:
        """Reads the newest change that waits and approves it; None if none does."""
        waiting = self.waiting(place)
        if not waiting:
            return None
        seen = waiting[-1]
        text = self.text(place, seen.candidate_hash)
        if text is not None:
            # noted first: a process that is killed may have stored the decision
            self.note_approval(place, seen, text, who)

        def run(context: Context) -> Decision:
            router = context.settings.router(place.name)
            by = Person(who, None, f"web:{who}")
            return decide(context, router, Request.on(seen, "approved"), by, clock.now_ms())

        done = self.site.process(run)
        if done.word == "done" and done.result.outcome == "decided":
            self.ledger.known.said.append(Said("decide", place.name, seen.candidate_hash, who, "approved"))
        return done

    def note_approval(self, place: Place, seen: Change, text: str, who: str) -> None:
        part = place.dialect.part_of(text)
        approval = Approval(seen.candidate_hash, part, rules_alone(part), self._shown_before(place, seen), who)
        self.ledger.approvals.setdefault(place.name, []).append(approval)

    def _shown_before(self, place: Place, seen: Change) -> OwnedConfig:
        """The rules from which a change leads, as a person sees it; a restored database may not know what is held."""
        reports = self.site.look(lambda session: audit.events(session, place.name, (*REPORTS, REMOVAL)))
        last = delivered_last(reports, seen)
        if last is None or last.candidate_hash is None:
            return OwnedConfig((), ())
        approvals = self.ledger.approvals.get(place.name, ())
        given = [each.rules for each in approvals if each.candidate_hash == last.candidate_hash]
        if given:
            return given[-1]
        # approved by nobody: the text without a reservation that has ended, which has a file, or without a removed pair
        text = self.text(place, last.candidate_hash)
        dialect = place.dialect
        return rules_alone(dialect.owned(place.for_good()) if text is None else dialect.part_of(text))

    def reject(self, place: Place, who: str) -> None:
        for seen in self.waiting(place)[-1:]:

            def run(context: Context, seen: Change = seen) -> Decision:
                router = context.settings.router(place.name)
                return decide(context, router, Request.on(seen, "rejected"), Person(who, "no"), clock.now_ms())

            done = self.site.process(run)
            if done.word == "done" and done.result.outcome == "decided":
                self.ledger.known.said.append(Said("decide", place.name, seen.candidate_hash, who, "rejected"))

    def withdraw(self, place: Place, who: str) -> Outcome | None:
        """Takes the newest change that waits back, before anybody approves it."""
        waiting = self.waiting(place)
        if not waiting:
            return None
        day = waiting[-1].day

        def run(context: Context) -> Decision:
            return withdraw_change(context, context.settings.router(place.name), day, Person(who, "not yet"))

        done = self.site.process(run)
        if done.word == "done" and done.result.outcome == "decided":
            self.ledger.known.said.append(
                Said("withdraw", place.name, done.result.change.candidate_hash, who, "withdrawn")
            )
        return done

    def deliver(self, place: Place, *, again: bool = False) -> Outcome:
        def run(context: Context) -> RouterPush | None:
            router = context.settings.router(place.name)
            return push_router(context, router, commit=True, again=again, timer=SharedTimer(place.router))

        done = self.site.process(run)
        if done.word == "done" and done.result is not None:
            of = done.result.change
            self.ledger.known.said.append(Said("deliver", place.name, of.candidate_hash))
            if done.result.pushed.outcome in ("done", "finished"):
                self.ledger.known.said.append(Said("push", place.name, of.candidate_hash, outcome="kept"))
        return done

    def accept_transition(self, place: Place, who: str) -> Outcome:
        """Approves once more what is in force, from what the router was last reported to hold."""

        def run(context: Context) -> str:
            router = context.settings.router(place.name)
            with reading(context.database) as session:
                in_force = changes.in_force(session, place.name)
                entry = changes.nightly_change(session, place.name, in_force.day) if in_force else None
            if entry is None:
                return ""
            text = self.text(place, entry.candidate_hash)
            if text is not None:
                self.note_approval(place, entry, text, who)
            leading = transition_to(context, router, entry)
            approve_transition(context, router, leading.identity, who, None)
            return entry.candidate_hash

        return self.site.process(run)

    def exclude(self, place: Place, pair: int, who: str) -> Outcome:
        today = self.today

        def run(context: Context) -> Any:
            return add_exclusion(
                context, place.name, "either", f"198.18.{pair}.0/24", owner=who, reason="asked for", from_day=today,
                expires_day=today + timedelta(days=400),
            )  # fmt: skip

        # forbidden for certain only once the call has said so
        done = self.site.process(run)
        if done.word == "done":
            self.ledger.known.excluded.setdefault(place.name, {})[pair] = today
            self.ledger.known.ending.get(place.name, set()).discard(pair)
            self.ledger.known.said.append(Said("exclude", place.name, who=who))
        return done

    def end_exclusion(self, place: Place, pair: int) -> Outcome:
        today = self.today

        def run(context: Context) -> Any:
            return withdraw_exclusion(context, place.name, "either", f"198.18.{pair}.0/24", today)

        # allowed from when a person wants it so, and not before the call has said so
        known = self.ledger.known
        known.excluded.get(place.name, {}).pop(pair, None)
        ending = known.ending.setdefault(place.name, set())
        ending.add(pair)
        done = self.site.process(run)
        if done.word in ("done", "refused"):
            ending.discard(pair)
        return done

    def pin(self, place: Place, pair: int, who: str) -> Outcome:
        self.ledger.pinned.setdefault(place.name, set()).add(pair)
        pins, from_day = self.ledger.known.pins.setdefault(place.name, {}), self.today - timedelta(days=1)
        was = pins.get(pair)
        # an earlier pin that has not ended may stay as it is
        first = from_day if was is None or was.until is not None else was.from_day
        pins[pair] = Pin(first, is_certain=was is not None and was.until is None and was.is_certain)

        def run(context: Context) -> Any:
            return add_pin(
                context, place.name, pair_of(pair), owner=who, reason="weekly copy", from_day=from_day,
                expires_day=None,
            )  # fmt: skip

        done = self.site.process(run)
        if done.word == "done":
            self.ledger.known.said.append(Said("pin", place.name, who=who))
            pins[pair] = Pin(first, is_certain=True)
        return done

    def unpin(self, place: Place, pair: int) -> Outcome:
        today, pins = self.today, self.ledger.known.pins.setdefault(place.name, {})
        pins[pair] = replace(pins[pair], is_certain=False)
        done = self.site.process(lambda context: withdraw_pin(context, place.name, pair_of(pair), today))
        if done.word == "done":
            pins[pair] = replace(pins[pair], until=today)
        return done

    def protect(self, pair: int) -> None:
        """The settings name another prefix of the network's own."""
        self.site.protected.append(pair)
        self.site.write_settings()

    def remove(self, place: Place) -> Outcome:
        """Removes all of HNTES, as in an emergency: by settings and files alone."""
        self.ledger.withdrawing[place.name] = None
        settings = self.site.read_settings()
        router = settings.router(place.name)
        timer = SharedTimer(place.router)
        return self.site.machine.call(lambda: remove_all(settings, router, timer, commit=True), (OSError,))

    def remove_pair(self, place: Place, pair: int) -> Outcome:
        self.ledger.withdrawing[place.name] = pair
        settings = self.site.read_settings()
        router = settings.router(place.name)
        timer, parsed = SharedTimer(place.router), PrefixPair.parse(pair_of(pair))
        return self.site.machine.call(lambda: remove_pair(settings, router, parsed, timer, commit=True), (OSError,))

    def back_up(self, number: int) -> None:
        copy = self.site.folder / "backup.db"
        self.site.close_database()
        shutil.copyfile(self.site.database, copy)
        self.backup = Backup(copy, number, deepcopy(self.ledger.known))

    def restore(self, number: int) -> bool:
        """The database of the backup takes the place of the present one, and nights since then are run again; whether
        there was a backup."""
        if self.backup is None:
            return False
        self.site.replace_database(self.backup.path)
        self.ledger.known = deepcopy(self.backup.known)
        self.site.machine.happened["database restored"] += 1
        for lost in range(self.backup.number + 1, number + 1):
            done = self.night(lost)
            if done.word != "done" or done.result.failures:
                self.site.machine.calm()
                self.night(lost)
        return True

    def after_restore(self, place: Place) -> Outcome:
        """What docs/how-to/install.md says: report what the router has, then put the evidence aside."""
        folder = self.site.output / place.name / "approved"
        held = place.dialect.owned(place.for_good())
        known = [each for each in self.ledger.approvals.get(place.name, ()) if each.part == held]

        def run(context: Context) -> Any:
            return report_delivered(context, context.settings.router(place.name), known[-1].candidate_hash, "anna")

        for path in (folder / "manifest.json", self.site.folder / "anchors" / "audit.log"):
            if path.exists():
                path.rename(path.with_name(f"{path.name}.{self.site.machine.now_ms}"))
        return self.site.process(run) if known else Outcome("done")
