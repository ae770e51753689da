"""What must hold of each text that comes to a router for good: who approved it, and what it may bring."""

import hashlib
from dataclasses import dataclass, field

from hntes.platforms.owned_config import OwnedConfig
from tests.support.world.broken import BrokenError
from tests.support.world.ledger import LEAD_S, RATE_BPS, Approval, Said, pairs_in
from tests.support.world.people import People
from tests.support.world.places import Place
from tests.support.world.rules_alone import rules_alone
from tests.support.world.told import Told
from tests.support.world.traffic import RESERVED


@dataclass
class Arrivals:
    """`parts`: what HNTES owns in the texts that it has rendered, by their hashes."""

    people: People
    parts: dict[str, OwnedConfig] = field(default_factory=dict)

    def hold(self, place: Place, was: str, now: str, told: Told) -> None:
        """Raises BrokenError if what a router holds now should not have come to it."""
        before, after = place.dialect.owned(was), place.dialect.owned(now)
        self._was_approved(place, before, after, now)
        hashes = self._hashes(place, after)
        self._was_passed(place, hashes)
        self._nothing_forbidden_arrives(place, was, now)
        verified = "verified: to be confirmed"
        if not any(told.times(Said("push", place.name, each, outcome=verified)) for each in hashes):
            raise BrokenError("the log tells what happened", f"{place.name}: a text arrived, and the log has no push")

    def _was_approved(self, place: Place, before: OwnedConfig, after: OwnedConfig, now: str) -> None:
        """By people: that very text; or its rules by people, and what is reserved beside these by a quota."""
        name, rules = place.name, rules_alone(after)
        given = self.people.ledger.approvals.get(name, [])
        of_text = self._by_enough([each for each in given if each.part == after])
        of_rules = self._by_enough([each for each in given if each.rules == rules])
        if not of_rules:
            raise BrokenError("what a router holds was approved", f"{name}: nobody approved what it holds")
        if not of_text and not self._is_within_quota(name, now):
            raise BrokenError("what a router holds was approved", f"{name}: no quota allows what is reserved there")
        # between texts of the same rules only reservations come and go
        held = rules_alone(before)
        if held != rules and not any(each.before_rules == held for each in of_rules):
            raise BrokenError("what a router holds was approved", f"{name}: not from what it held before")

    def _by_enough(self, given: list[Approval]) -> list[Approval]:
        """These approvals, if they are of as many people as must approve."""
        return given if len({each.who for each in given}) >= self.people.site.approvals else []

    def _is_within_quota(self, router: str, now: str) -> bool:
        """Whether one quota allows all that is reserved on a router; where nothing is, none is needed."""
        reserved_bps = RATE_BPS * len(pairs_in(now) & set(RESERVED))
        moment_s = self.people.site.machine.called_ms / 1000
        ledger = self.people.ledger
        return not reserved_bps or any(
            each.router == router and each.rate_bps >= reserved_bps
            and each.start_s - LEAD_S <= moment_s < each.end_s and each not in ledger.known.revoked
            for each in ledger.quotas
        )  # fmt: skip

    def _hashes(self, place: Place, after: OwnedConfig) -> set[str]:
        """Of the texts that HNTES has rendered, those that do what a router holds."""
        approved = {e.candidate_hash for e in self.people.ledger.approvals.get(place.name, ()) if e.part == after}
        if approved:
            return approved
        found = set()
        for path in (self.people.site.output / place.name).glob("*/*.conf"):
            if path.stem not in self.parts:
                content = path.read_bytes()
                if hashlib.sha256(content).hexdigest() != path.stem:
                    continue
                self.parts[path.stem] = place.dialect.part_of(content.decode())
            if self.parts[path.stem] == after:
                found.add(path.stem)
        return found

    def _was_passed(self, place: Place, hashes: set[str]) -> None:
        """A text that the gate has not passed comes to no router, also where it only takes pairs away."""
        found = [self.people.site.record.outcomes(place.name, each) for each in hashes]
        if not any(each and each <= {"passed", "reported"} for each in found):
            raise BrokenError("what arrives has passed the gate", f"{place.name}: {found}")

    def _nothing_forbidden_arrives(self, place: Place, was: str, now: str) -> None:
        ledger, arrived = self.people.ledger, pairs_in(now) - pairs_in(was)
        forbidden = set(ledger.known.excluded.get(place.name, ())) | set(self.people.site.protected)
        if found := arrived & forbidden:
            raise BrokenError("nothing excluded or protected arrives", f"{place.name}: 198.18.{min(found)}.0/24")
        moment_s = self.people.site.machine.called_ms / 1000
        known = ledger.has_been_alpha(place.name) | ledger.pinned.get(place.name, set())
        known |= ledger.may_be_reserved(place.name, moment_s)
        if found := arrived - known:
            raise BrokenError("nothing false arrives", f"{place.name}: 198.18.{min(found)}.0/24 had no alpha flow")
