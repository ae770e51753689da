"""What leads a router from the text that was delivered last to another one, and what removes all of it."""

import hashlib
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Annotated

from pydantic import StringConstraints, TypeAdapter, ValidationError

from hntes.platforms.transition import transition, withdrawal
from hntes.rules.changeset.candidate import PARSED, Candidate
from hntes.settings.model import Router
from hntes.sql import audit
from hntes.sql.change import Change
from hntes.sql.deliveries import REMOVAL, REPORTS, delivered_last
from hntes.sql.session import reading
from hntes.workflow.candidates import known_candidate
from hntes.workflow.context import Context
from hntes.workflow.errors import CommandError


@dataclass(frozen=True)
class _Named:
    """What a withdrawal needs of a manifest."""

    platform: str
    sha256: Annotated[str, StringConstraints(pattern="^[0-9a-f]{64}$")]


_NAMED = TypeAdapter(_Named)


@dataclass(frozen=True)
class Transition:
    """Commands for a router; `from_hash` is that of the text it is to have before, None for nothing of HNTES."""

    text: str
    from_hash: str | None

    @cached_property
    def identity(self) -> str:
        """SHA-256 over the text before, by its hash, and the commands, which on Junos are the same from any text."""
        return hashlib.sha256(f"{self.from_hash or 'nothing'}\n{self.text}".encode()).hexdigest()

    def __str__(self) -> str:
        return short(self.identity, self.from_hash)


def short(identity: str, from_hash: str | None) -> str:
    """A transition for people: the first digits of its identity and of the text before."""
    return f"{identity[:12]} from {(from_hash or 'nothing')[:12]}"


def transition_to(context: Context, router: Router, entry: Change) -> Transition:
    """From what was delivered last to a change set's candidate.

    What was delivered last is what was reported last (`hntes router loaded`) of another approval, nothing after a
    removal. Without any report it is what was in force when the change set was proposed, but nothing where HNTES itself
    delivers, since it reports each time. A text for another platform was another device's.

    Raises:
        CandidateStoreError: one of the texts is lost, on disk and in the database.
        TransitionError: one of them is not as it is rendered.
    """
    candidate = known_candidate(context, router, entry.candidate_hash)
    from_hash = _delivered_last(context, router, entry)
    base = known_candidate(context, router, from_hash) if from_hash else None
    if base is not None and base.model.platform != candidate.model.platform:
        base = None
    return _leading(base, candidate)


@lru_cache(maxsize=PARSED)
def _leading(base: Candidate | None, candidate: Candidate) -> Transition:
    text = transition(candidate.model.platform, base.text if base else None, candidate.text)
    return Transition(text, base.hash if base else None)


def last_withdrawal(output: Path, router: Router) -> str:
    """The commands that remove what was put into a router's `approved` folder last; asks no database.

    Raises:
        CommandError: as `last_text`.
        TransitionError: the text is not as it is rendered.
    """
    return withdrawal(*last_text(output, router))


def was_handed_over(output: Path, router: Router) -> bool:
    """Whether a text was ever put into a router's `approved` folder."""
    return _manifest(output, router).exists()


def last_text(output: Path, router: Router) -> tuple[str, str]:
    """What was put into a router's `approved` folder last; asks no database.

    Raises:
        CommandError: nothing was put there, or the text is not the one that the manifest names.
    """
    manifest = _manifest(output, router)
    try:
        named = _NAMED.validate_json(manifest.read_bytes())
        path = manifest.parent / f"{named.sha256}.conf"
        content = path.read_bytes()
    except FileNotFoundError as cause:
        raise CommandError(
            f"router {router.name}: {cause.filename} is not there, so it is not known what was delivered; run "
            "`hntes router deliver` first"
        ) from cause
    except (OSError, ValidationError) as cause:
        raise CommandError(
            f"{manifest}: names no delivered text ({cause}); run `hntes router deliver` first"
        ) from cause
    if hashlib.sha256(content).hexdigest() != named.sha256:
        raise CommandError(f"{path}: is not the text of the manifest; run `hntes router deliver`")
    return named.platform, content.decode("utf-8")


def _manifest(output: Path, router: Router) -> Path:
    return output / router.name / "approved" / "manifest.json"


def _delivered_last(context: Context, router: Router, entry: Change) -> str | None:
    with reading(context.database) as session:
        events = audit.events(session, entry.router, (*REPORTS, REMOVAL))
    last = delivered_last(events, entry)
    if last is not None:
        return last.candidate_hash
    return None if router.is_reached else entry.base_hash
