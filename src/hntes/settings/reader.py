"""Reading the settings file."""

import os
import tomllib
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from hntes.format import counted
from hntes.settings.errors import SettingsError
from hntes.settings.model import Router, Settings
from hntes.settings.unknown_keys import line_of, meant


def read_settings(path: Path) -> Settings:
    """Settings from a TOML file; relative paths in it are taken from the file's own folder.

    Raises:
        SettingsError: the file is missing, is not TOML, or a key is unknown, missing or out of range.
    """
    try:
        text = path.read_text(encoding="utf-8")
        document = tomllib.loads(text)
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
        raise SettingsError(_explain(path, text, document, cause)) from cause
    absolute = _with_absolute_paths(settings, path.resolve().parent)
    try:
        # once more: only now are a relative and an absolute name of one folder the same
        absolute.check_shared_folders()
    except ValueError as cause:
        raise SettingsError(f"{path}: 1 setting cannot be used:\n  {cause}") from cause
    return absolute


def _explain(path: Path, text: str, document: dict[str, Any], error: ValidationError) -> str:
    problems = error.errors(include_url=False)
    causes = [p["loc"] for p in problems if p["type"] != "too_short"]
    # a list whose entries were refused is also reported as too short: say the cause only
    problems = [
        p for p in problems if p["type"] != "too_short" or not any(c[: len(p["loc"])] == p["loc"] for c in causes)
    ]
    lines = [f"{path}: {counted(len(problems), 'setting')} cannot be used:"]
    for problem in problems:
        key, said = _key(document, problem["loc"]), _said(problem)
        line = line_of(text, str(problem["loc"][-1])) if problem["loc"] and problem["type"] != "missing" else None
        where = f"line {line}, {key}" if line else key
        lines.append(f"  {where}: {said}" if key else f"  {said}")
    return "\n".join(lines)


def _said(problem: ErrorDetails) -> str:
    """What is wrong, in words; the value given too, unless it may be a secret: a password under an unknown key."""
    if problem["type"] == "extra_forbidden":
        alike = meant(Settings, problem["loc"])
        return f"there is no such key; did you mean {alike}?" if alike else "there is no such key"
    if problem["type"] == "missing":
        return "is missing"
    said = problem["msg"].removeprefix("Value error, ")
    return said if problem["type"] == "value_error" else f"{said} (given: {problem['input']!r})"


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
    routers = tuple(r.model_copy(update=_router_paths(base, r)) for r in settings.routers)
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
            "web": settings.web.model_copy(
                update={name: _from(base, getattr(settings.web, name)) for name in ("accounts", "tokens")}
            ),
            "routers": routers,
        }
    )


def _router_paths(base: Path, router: Router) -> dict[str, Path]:
    found = {"flow_folder": router.flow_folder, "running_config": router.running_config}
    return {name: _from(base, path) for name, path in found.items() if path is not None}


def _from(base: Path, path: Path) -> Path:
    """An absolute path without `..`; symbolic links stay as the operator made them."""
    return Path(os.path.normpath(base / path))
