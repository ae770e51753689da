"""What withdrawals did, in a file until it is recorded: a withdrawal must not wait for a database.

The file is `output/ROUTER/delivery/withdrawals.json`.
"""

import json
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated

from pydantic import StringConstraints, TypeAdapter, ValidationError

from hntes import clock
from hntes.etl.locks import locked
from hntes.files import write_text
from hntes.format import rfc3339
from hntes.identity import process_identity
from hntes.workflow.errors import CommandError


@dataclass(frozen=True)
class Step:
    """One step of a withdrawal, not recorded yet: when, by whom (the process' identity), and what.

    Of a pair's withdrawal also the pair, and the hash of the text without it; None where all is withdrawn.
    """

    time: str
    who: str
    step: str
    pair: str | None = None
    candidate_hash: Annotated[str, StringConstraints(pattern="^[0-9a-f]{64}$")] | None = None


_STEPS = TypeAdapter(list[Step])


@dataclass(frozen=True)
class WithdrawalSteps:
    """Of one router, below the folder of the output."""

    output: Path
    router: str

    @property
    def path(self) -> Path:
        return self.output / self.router / "delivery" / "withdrawals.json"

    def locked(self) -> AbstractContextManager[None]:
        """Nobody else reads or writes the file."""
        return locked(self.path.parent / ".lock", f"withdrawals of {self.router}")

    def add(self, step: str, pair: str | None = None, candidate_hash: str | None = None) -> None:
        """Writes a step behind those that wait.

        Raises:
            CommandError: as `read`.
        """
        with self.locked():
            made = Step(rfc3339(clock.now_ms()), process_identity(), step, pair, candidate_hash)
            write_text(self.path, json.dumps([asdict(each) for each in [*self.read(), made]], indent=2) + "\n")

    def read(self) -> list[Step]:
        """The steps that wait, under the lock.

        Raises:
            CommandError: the file is not one that was written here.
        """
        try:
            return _STEPS.validate_json(self.path.read_bytes())
        except FileNotFoundError:
            return []
        except ValidationError as cause:
            raise CommandError(f"{self.path}: holds no steps of a withdrawal; look at it, then remove it") from cause
