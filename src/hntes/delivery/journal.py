"""The write-ahead journal of pushes: each step is on disk before it is done, for the next call after a kill.

One file per router, replaced atomically at each step. The steps of one push, in order:

- `trial`: a commit with timed rollback is about to be requested. Nothing was changed before.
- `confirm`: all checks have passed; the trial is about to be confirmed.
- `kept`: the router holds the new text permanently. Only the record is missing.

An ended push has no file. The history is in the audit log, not in the journal.
"""

from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import Annotated, Literal

from pydantic import StringConstraints, TypeAdapter, ValidationError

from hntes.files import write_text
from hntes.platforms.device_errors import DeliveryError

Step = Literal["trial", "confirm", "kept"]
Sha256 = Annotated[str, StringConstraints(pattern="^[0-9a-f]{64}$")]


@dataclass(frozen=True)
class Entry:
    """An unfinished push. Hashes are those of the texts; None is nothing of HNTES.

    `day` is that of the approval, None for a removal.
    """

    router: str
    step: Step
    before_sha256: Sha256 | None
    after_sha256: Sha256 | None
    day: date | None


_ENTRY = TypeAdapter(Entry)


class Journal:
    """The journal of one router; its caller holds the router's lock."""

    def __init__(self, path: Path) -> None:
        self._path = path

    @property
    def has_begun(self) -> bool:
        """Whether a push has begun and not ended, also in a journal that cannot be read."""
        return self._path.exists()

    def entry(self) -> Entry | None:
        """The unfinished push, None if there is none.

        Raises:
            DeliveryError: the file is not a journal.
        """
        try:
            return _ENTRY.validate_json(self._path.read_bytes())
        except FileNotFoundError:
            return None
        except ValidationError as cause:
            raise DeliveryError(
                f"{self._path}: not a journal of a push; check the router (`hntes router drift`), then delete the file"
            ) from cause

    def write(self, entry: Entry) -> None:
        write_text(self._path, _ENTRY.dump_json(entry, indent=2).decode() + "\n")

    def step(self, entry: Entry, step: Step) -> Entry:
        """Moves the push to its next step."""
        later = replace(entry, step=step)
        self.write(later)
        return later

    def end(self) -> None:
        self._path.unlink(missing_ok=True)
