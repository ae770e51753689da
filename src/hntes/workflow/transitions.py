"""Transitions: the commands that change a router from the configuration last delivered to another one."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from hntes.platforms.transition import transition
from hntes.rules.changeset.candidate import PARSED, Candidate
from hntes.settings.model import Router
from hntes.sql import audit
from hntes.sql.change import Change
from hntes.sql.deliveries import REMOVAL, REPORTS, delivered_last
from hntes.sql.entries import AuditEventEntry
from hntes.sql.session import reading
from hntes.workflow.candidates import known_candidate
from hntes.workflow.context import Context


@dataclass(frozen=True)
class Transition:
    """Commands for a router; `from_hash` is the hash of the text they start from, None for nothing of HNTES."""

    text: str
    from_hash: str | None

    @cached_property
    def identity(self) -> str:
        """SHA-256 over `from_hash` and the commands: on Junos the commands are the same from any text."""
        return hashlib.sha256(f"{self.from_hash or 'nothing'}\n{self.text}".encode()).hexdigest()

    def __str__(self) -> str:
        return short(self.identity, self.from_hash)


def short(identity: str, from_hash: str | None) -> str:
    """The display form of a transition: the first digits of its identity and of the text it starts from."""
    return f"{identity[:12]} from {(from_hash or 'nothing')[:12]}"


def transition_to(context: Context, router: Router, entry: Change) -> Transition:
    """As `transition_after`, with the router's present reports."""
    with reading(context.database) as session:
        reports = audit.events(session, router.name, (*REPORTS, REMOVAL))
    return transition_after(context, router, entry, reports)


def transition_after(context: Context, router: Router, entry: Change, reports: Sequence[AuditEventEntry]) -> Transition:
    """The transition from the configuration last delivered to a change's candidate.

    The last delivery is the last report (`hntes router loaded`) of another approval; nothing after a removal. Without
    any report it is the configuration in force when the change was proposed, except where HNTES itself delivers, since
    it reports every delivery. A text for another platform belonged to another device.

    Args:
        context: The context.
        router: The router.
        entry: The change.
        reports: The router's reports and removals, oldest first.

    Raises:
        CandidateStoreError: one of the texts is lost, on disk and in the database.
        TransitionError: one of them was not written by this version's renderer.
    """
    candidate = known_candidate(context, router, entry.candidate_hash)
    last = delivered_last(reports, entry)
    from_hash = last.candidate_hash if last is not None else None if router.is_reached else entry.base_hash
    base = known_candidate(context, router, from_hash) if from_hash else None
    if base is not None and base.model.platform != candidate.model.platform:
        base = None
    return _leading(base, candidate)


@lru_cache(maxsize=PARSED)
def _leading(base: Candidate | None, candidate: Candidate) -> Transition:
    text = transition(candidate.model.platform, base.text if base else None, candidate.text)
    return Transition(text, base.hash if base else None)
