"""The steps of removals, kept in a file until they are in the audit log: a removal must not wait for a database.

The file is `output/ROUTER/delivery/removals.json`.
"""

import hashlib
import json
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Annotated

from pydantic import StringConstraints, TypeAdapter, ValidationError

from hntes import clock
from hntes.etl.locks import locked
from hntes.files import write_text
from hntes.format import rfc3339
from hntes.identity import process_identity
from hntes.rules.changeset.candidate import read_candidate
from hntes.settings.model import Router
from hntes.sql import approved_texts, audit, changes, deliveries
from hntes.sql.audit import NewEvent
from hntes.sql.session import Session, transaction
from hntes.workflow.candidates import text_entry
from hntes.workflow.context import Context
from hntes.workflow.errors import CommandError


@dataclass(frozen=True)
class Step:
    """One unrecorded step of a removal: time, identity of the process, and step.

    For a pair's removal also the pair and the hash of the text without it; None if all of HNTES is removed.
    """

    time: str
    who: str
    step: str
    pair: str | None = None
    candidate_hash: Annotated[str, StringConstraints(pattern="^[0-9a-f]{64}$")] | None = None


_STEPS = TypeAdapter(list[Step])


@dataclass(frozen=True)
class RemovalLog:
    """The removal log of one router, below the output folder."""

    output: Path
    router: str

    @property
    def path(self) -> Path:
        return self.output / self.router / "delivery" / "removals.json"

    def locked(self) -> AbstractContextManager[None]:
        """An exclusive lock on the file."""
        return locked(self.path.parent / ".lock", f"removals of {self.router}")

    def add(self, step: str, pair: str | None = None, candidate_hash: str | None = None) -> None:
        """Appends a step.

        Raises:
            CommandError: as `read`.
        """
        with self.locked():
            made = Step(rfc3339(clock.now_ms()), process_identity(), step, pair, candidate_hash)
            write_text(self.path, json.dumps([asdict(each) for each in [*self.read(), made]], indent=2) + "\n")

    def read(self) -> list[Step]:
        """The unrecorded steps, read under the lock.

        Raises:
            CommandError: the file is not a removal log.
        """
        try:
            return _STEPS.validate_json(self.path.read_bytes())
        except FileNotFoundError:
            return []
        except ValidationError as cause:
            raise CommandError(f"{self.path}: not a removal log; inspect it, then delete it") from cause


_REMOVED = ("kept", "held")
_WHO = "hntes router remove"


def record_removals(context: Context, router: Router) -> int:
    """Appends unrecorded steps of removals to the audit log; returns their number.

    Raises:
        CandidateStoreError: the text without a removed pair is lost.
        CommandError: the file is not a removal log.
    """
    waiting = RemovalLog(context.output, router.name)
    with waiting.locked():
        steps = waiting.read()
        if not steps:
            return 0
        with transaction(context.database) as session:
            changes.lock_changes(session, router.name)  # first, as decisions do: they wait for the log after it
            known = {each.content_hash for each in audit.events(session, router.name, ("push",))}
            fresh = [each for each in steps if _content_hash(each) not in known]
            for candidate_hash in sorted({each.candidate_hash for each in fresh if each.candidate_hash}):
                held = read_candidate(context.output / router.name, candidate_hash)
                approved_texts.keep(session, text_entry(held))
            for each in fresh:
                _record(session, router, each)
        waiting.path.unlink()
    return len(steps)


def _record(session: Session, router: Router, made: Step) -> None:
    """Records one step and, after a verified removal, what the router holds since."""
    what = f"removal of {made.pair}" if made.pair else "removal"
    note = f"{what}, {made.time}, {made.who}: {made.step}"
    event = NewEvent("push", router.name, None, made.candidate_hash, outcome=made.step, note=note)
    audit.append(session, replace(event, content_hash=_content_hash(made)))
    if made.step not in _REMOVED:
        return
    if made.candidate_hash is None:
        deliveries.report_removed(session, router.name, _WHO, note)
    else:
        deliveries.report_reduced(session, router.name, made.candidate_hash, _WHO, note)


def _content_hash(made: Step) -> str:
    """A hash of a step, so that it is recorded once."""
    return hashlib.sha256(json.dumps(asdict(made), sort_keys=True).encode()).hexdigest()
