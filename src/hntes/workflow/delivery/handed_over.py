"""What was put into a router's `approved` folder last, read without the database."""

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from pydantic import StringConstraints, TypeAdapter, ValidationError

from hntes.platforms.transition import withdrawal
from hntes.settings.model import Router
from hntes.workflow.errors import CommandError


@dataclass(frozen=True)
class _Named:
    """What a withdrawal needs of a manifest."""

    platform: str
    sha256: Annotated[str, StringConstraints(pattern="^[0-9a-f]{64}$")]


_NAMED = TypeAdapter(_Named)


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
