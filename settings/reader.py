"""Reading the settings file."""

import os
import tomllib
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from settings.errors import SettingsError
from settings.model import Settings


def read_settings(path: Path) -> Settings:
    """Settings from a TOML file; relative paths in it are taken from the file's own folder.

    Raises:
        SettingsError: the file is missing, is not TOML, or a key is unknown, missing or out of range.
    """
    try:
        document = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as cause:
        raise SettingsError(
            f"{path}: no such settings file; copy hntes.example.toml and name it with --settings"
        ) from cause
    except OSError as cause:
        raise SettingsError(f"{path}: the settings file cannot be read: {cause.strerror}") from cause
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as cause:
        raise SettingsError(f"{path}: not valid TOML: {cause}") from cause
    try:
        settings = Settings.model_validate(document)
    except ValidationError as cause:
        raise SettingsError(_explain(path, document, cause)) from cause
    absolute = _with_absolute_paths(settings, path.resolve().parent)
    try:
        # once more: only now are a relative and an absolute name of one folder the same
        absolute.check_shared_folders()
    except ValueError as cause:
        raise SettingsError(f"{path}: 1 setting(s) cannot be used:\n  {cause}") from cause
    return absolute


def _explain(path: Path, document: dict[str, Any], error: ValidationError) -> str:
    problems = error.errors(include_url=False)
    causes = [p["loc"] for p in problems if p["type"] != "too_short"]
    # a list whose entries were refused is also reported as too short: say the cause only
    problems = [
        p for p in problems if p["type"] != "too_short" or not any(c[: len(p["loc"])] == p["loc"] for c in causes)
    ]
    lines = [f"{path}: {len(problems)} setting(s) cannot be used:"]
    for problem in problems:
        key = _key(document, problem["loc"])
        message = problem["msg"].removeprefix("Value error, ")
        # an unknown key may be a password that someone put where none belongs
        told = problem["type"] not in ("missing", "value_error", "extra_forbidden")
        given = f" (given: {problem['input']!r})" if told else ""
        lines.append(f"  {key}: {message}{given}" if key else f"  {message}")
    return "\n".join(lines)


def _key(document: Any, location: tuple[int | str, ...]) -> str:
    """`routers[r1].interfaces[0].rate_bps`: list entries by their name where they have one; union tags left out."""
    text, here = "", document
    for part in location:
        if isinstance(part, int):
            here = here[part] if isinstance(here, list) and part < len(here) else None
            label = here.get("name", part) if isinstance(here, dict) else part
            text += f"[{label}]"
        elif isinstance(here, dict) and here.get("kind") == part and part not in here:
            continue
        else:
            here = here.get(part) if isinstance(here, dict) else None
            text += f".{part}" if text else part
    return text


def _with_absolute_paths(settings: Settings, base: Path) -> Settings:
    url = settings.database.url
    if url.startswith("sqlite:///") and not url.startswith("sqlite:////"):
        url = f"sqlite:///{_from(base, Path(url.removeprefix('sqlite:///')))}"
    lake = settings.paths.lake
    routers = tuple(r.model_copy(update={"flow_folder": _from(base, r.flow_folder)}) for r in settings.routers)
    return settings.model_copy(
        update={
            "paths": settings.paths.model_copy(
                update={
                    "lake": lake if isinstance(lake, str) else _from(base, lake),
                    "output": _from(base, settings.paths.output),
                    "simulations": _from(base, settings.paths.simulations),
                }
            ),
            "database": settings.database.model_copy(update={"url": url}),
            "routers": routers,
        }
    )


def _from(base: Path, path: Path) -> Path:
    """An absolute path without `..`; symbolic links stay as the operator made them."""
    return Path(os.path.normpath(base / path))
