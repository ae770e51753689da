"""Reading the settings file."""

import os
import re
import tomllib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from hntes.format import counted
from hntes.settings.announced import Announced
from hntes.settings.counters import Counters
from hntes.settings.defaults import ports_path, with_defaults
from hntes.settings.errors import SettingsError
from hntes.settings.former_keys import with_current_keys
from hntes.settings.model import Router, Settings
from hntes.settings.ports_table import PortRow, interfaces_by_router, read_ports
from hntes.settings.unknown_keys import line_of, meant


@dataclass(frozen=True)
class KeyProblem:
    """An invalid key of one router, by its name below `[[routers]]`, and the reason."""

    key: str
    reason: str


# The check of a router's platform; platforms are a layer above settings, so it is passed in.
RouterCheck = Callable[[Router], Iterable[KeyProblem]]


def _any_router(_: Router) -> Iterable[KeyProblem]:
    return ()


def read_settings(path: Path, router_check: RouterCheck = _any_router) -> Settings:
    """Settings from a TOML file; relative paths in it start at the file's folder.

    Args:
        path: The file.
        router_check: Finds invalid keys of each router, after the checks of all single keys.

    Raises:
        SettingsError: the file is missing, is not TOML, or a key is unknown, missing or out of range.
    """
    try:
        text = path.read_text(encoding="utf-8")
        document = with_current_keys(tomllib.loads(text))
    except FileNotFoundError as cause:
        raise SettingsError(
            f"{path}: no such settings file, here or in a folder above; go to its folder, name it with --settings, or "
            "write one with `hntes init FLOW_FOLDER`"
        ) from cause
    except OSError as cause:
        raise SettingsError(f"{path}: the settings file cannot be read: {cause.strerror}") from cause
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as cause:
        raise SettingsError(f"{path}: not valid TOML: {cause}") from cause
    ports = ports_path(document, path.resolve().parent)
    rows = read_ports(ports) if ports else []
    document = with_defaults(document, interfaces_by_router(rows))
    try:
        settings = Settings.model_validate(document)
    except ValidationError as cause:
        raise SettingsError(_explain(path, text, document, cause, rows)) from cause
    lines = [
        _line(text, f"routers[{router.name}].{each.key}", each.key.rpartition(".")[2], each.reason)
        for router in settings.routers
        for each in router_check(router)
    ]
    if lines:
        raise SettingsError(_unusable(path, lines))
    absolute = _with_absolute_paths(settings, path.resolve().parent)
    try:
        # again: only now do relative and absolute names of one folder compare equal
        absolute.check_shared_folders()
    except ValueError as cause:
        raise SettingsError(_unusable(path, [f"  {cause}"])) from cause
    return absolute


def _explain(path: Path, text: str, document: dict[str, Any], error: ValidationError, rows: Iterable[PortRow]) -> str:
    problems = error.errors(include_url=False)
    causes = [p["loc"] for p in problems if p["type"] != "too_short"]
    # a list with refused entries is also reported as too short: report the cause only
    problems = [
        p for p in problems if p["type"] != "too_short" or not any(c[: len(p["loc"])] == p["loc"] for c in causes)
    ]
    alike: dict[tuple[str, str], list[str]] = {}
    for problem in problems:
        key = _key(document, problem["loc"])
        said = _no_name(document, problem, rows) or _said(problem)
        name = str(problem["loc"][-1]) if problem["loc"] and problem["type"] != "missing" else None
        line = _line(text, key, name, said) if key else f"  {said}"
        alike.setdefault((re.sub(r"\[[^\]]*\]", "", key), said), []).append(line)
    return _unusable(path, [line for lines in alike.values() for line in _few(lines)], len(problems))


def _no_name(document: dict[str, Any], problem: ErrorDetails, rows: Iterable[PortRow]) -> str | None:
    """Where a router has ports in the table of ports alone, and all without a name: that they lack it."""
    match problem["loc"]:
        case ("routers", int(number), "interfaces") if problem["type"] == "missing":
            router = document["routers"][number].get("name")
        case _:
            return None
    nameless = sum(row.router == router and not row.name for row in rows)
    if not nameless:
        return None
    ports = counted(nameless, "port")
    return f"{ports} in the table of ports, none with a name; write it there, or `hntes init --add --snmp-walk FILE`"


def _few(lines: list[str]) -> list[str]:
    """The lines of one problem in many places, shortened."""
    if len(lines) <= _MOST_ALIKE:
        return lines
    return [*lines[: _MOST_ALIKE - 1], f"    and the same in {len(lines) - _MOST_ALIKE + 1} more places"]


# A missing default shows in every router.
_MOST_ALIKE = 5


def _unusable(path: Path, lines: list[str], count: int | None = None) -> str:
    return "\n".join([f"{path}: {counted(count or len(lines), 'setting')} cannot be used:", *lines])


def _line(text: str, key: str, name: str | None, said: str) -> str:
    """The problem with a key, with its line number if `name`, its last part, is on one line only."""
    line = line_of(text, name) if name is not None else None
    return f"  line {line}, {key}: {said}" if line else f"  {key}: {said}"


def _said(problem: ErrorDetails) -> str:
    """The problem in words, with the value unless it may be secret, such as a password under an unknown key."""
    if problem["type"] == "extra_forbidden":
        alike = meant(Settings, problem["loc"])
        return f"unknown key; did you mean {alike}?" if alike else "unknown key"
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
                    "audit_anchors": _from(base, settings.paths.audit_anchors),
                }
            ),
            "lake_store": settings.lake_store
            and settings.lake_store.model_copy(
                update={"ca_file": settings.lake_store.ca_file and _from(base, settings.lake_store.ca_file)}
            ),
            "database": settings.database.model_copy(update={"url": url}),
            "counters": _counters_with_absolute_path(base, settings.counters),
            "ingest": settings.ingest.model_copy(
                update={
                    "folders": tuple(
                        each.model_copy(update={"folder": _from(base, each.folder)}) for each in settings.ingest.folders
                    )
                }
            ),
            "announced": _announced_with_absolute_paths(base, settings.announced),
            "autonomous_systems": settings.autonomous_systems.model_copy(
                update={"tables": tuple(_from(base, each) for each in settings.autonomous_systems.tables)}
            ),
            "git": settings.git
            and settings.git.model_copy(update={"repository": _from(base, settings.git.repository)}),
            "web": settings.web.model_copy(
                update={name: _from(base, getattr(settings.web, name)) for name in ("accounts", "tokens")}
            ),
            "routers": routers,
        }
    )


def _counters_with_absolute_path(base: Path, counters: Counters | None) -> Counters | None:
    if counters is None:
        return None
    file, snmp = counters.file, counters.snmp
    return counters.model_copy(
        update={
            "file": file and file.model_copy(update={"path": _from(base, file.path)}),
            "snmp": snmp and snmp.model_copy(update={"folder": _from(base, snmp.folder)}),
        }
    )


def _announced_with_absolute_paths(base: Path, announced: Announced | None) -> Announced | None:
    if announced is None:
        return None
    paths = {name: getattr(announced, name) for name in ("folder", "experiments", "endpoints")}
    return announced.model_copy(
        update={name: _from(base, path) for name, path in paths.items() if path is not None}
    )  # fmt: skip


def _router_paths(base: Path, router: Router) -> dict[str, Path]:
    found = {"flow_folder": router.flow_folder, "running_config": router.running_config}
    return {name: _from(base, path) for name, path in found.items() if path is not None}


def _from(base: Path, path: Path) -> Path:
    """An absolute path without `..`; symbolic links stay as the operator made them."""
    return Path(os.path.normpath(base / path))
