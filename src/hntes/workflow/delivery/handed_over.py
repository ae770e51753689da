"""The configuration last written to a router's `approved` folder, read without the database."""

import hashlib
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Annotated

from pydantic import StringConstraints, TypeAdapter, ValidationError

from hntes.platforms.transition import removal
from hntes.settings.model import Router
from hntes.workflow.errors import CommandError


@dataclass(frozen=True)
class NamedText:
    """What a manifest says of the text that it names. `day` is that of its rules; a removal needs the others alone."""

    platform: str
    sha256: Annotated[str, StringConstraints(pattern="^[0-9a-f]{64}$")]
    day: date | None = None


_NAMED = TypeAdapter(NamedText)


def last_removal(output: Path, router: Router) -> str:
    """The commands that remove the configuration last handed over; needs no database.

    Raises:
        CommandError: as `last_text`.
        TransitionError: the text was not written by this version's renderer.
    """
    return removal(*last_text(output, router))


def was_handed_over(output: Path, router: Router) -> bool:
    """Whether a configuration was ever handed over for a router."""
    return manifest_of(output, router).exists()


def last_named(output: Path, router: Router) -> NamedText | None:
    """What the manifest of the last hand-over names; None without a manifest, or if it is damaged."""
    try:
        return _NAMED.validate_json(manifest_of(output, router).read_bytes())
    except (OSError, ValidationError):
        return None


def last_text(output: Path, router: Router) -> tuple[str, str]:
    """The configuration last handed over, as platform and text; needs no database.

    Raises:
        CommandError: nothing was handed over, or the text is not the one that the manifest names.
    """
    manifest = manifest_of(output, router)
    try:
        named = _NAMED.validate_json(manifest.read_bytes())
        path = manifest.parent / f"{named.sha256}.conf"
        content = path.read_bytes()
    except FileNotFoundError as cause:
        raise CommandError(
            f"router {router.name}: {cause.filename} is missing, so the delivered configuration is unknown; run "
            "`hntes router deliver` first"
        ) from cause
    except (OSError, ValidationError) as cause:
        raise CommandError(
            f"{manifest}: names no delivered text ({cause}); run `hntes router deliver` first"
        ) from cause
    if hashlib.sha256(content).hexdigest() != named.sha256:
        raise CommandError(f"{path}: not the text that the manifest names; run `hntes router deliver`")
    return named.platform, content.decode("utf-8")


def manifest_of(output: Path, router: Router) -> Path:
    """The manifest of a router's last hand-over, below the output folder."""
    return output / router.name / "approved" / "manifest.json"
