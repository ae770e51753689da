"""What a push was about to do, on disk before it is done: after a kill the next call reads it.

One file per router, replaced as a whole at each step. The steps of one push, in their order:

- `trial`: a commit that the router takes back by itself is about to be asked for. Before this, nothing was changed.
- `confirm`: all checks have passed; the trial is about to be confirmed.
- `kept`: the router was seen to hold the new text, and no longer on trial. It remains to be recorded.

A push that ended has no file. What happened is told by the audit log, not by the journal.
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
    """One push that has not ended. Hashes are those of the texts; None is nothing of HNTES.

    `day` is that of the approval, None for a withdrawal.
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

    def entry(self) -> Entry | None:
        """The push that has not ended, None if there is none.

        Raises:
            DeliveryError: the file is not one that was written here.
        """
        try:
            return _ENTRY.validate_json(self._path.read_bytes())
        except FileNotFoundError:
            return None
        except ValidationError as cause:
            raise DeliveryError(
                f"{self._path}: not a journal of a push as HNTES writes it; see what the router holds (`hntes "
                f"router drift`), "
                "then remove it"
            ) from cause

    def write(self, entry: Entry) -> None:
        write_text(self._path, _ENTRY.dump_json(entry, indent=2).decode() + "\n")

    def step(self, entry: Entry, step: Step) -> Entry:
        """The same push, at its next step."""
        later = replace(entry, step=step)
        self.write(later)
        return later

    def end(self) -> None:
        self._path.unlink(missing_ok=True)
