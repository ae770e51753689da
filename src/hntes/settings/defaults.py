"""What routers and interfaces have that do not say otherwise: values, and roles by the names of ports."""

from fnmatch import fnmatchcase
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field

from hntes.settings.names import FilePath, Name, PlatformName
from hntes.settings.plans import RateBps
from hntes.settings.section import Section

# Keys of `[defaults]` that interfaces have; the others are routers'.
_OF_INTERFACES = ("rate_bps",)
_OWN = ("interfaces", "ports")


class PortPattern(Section):
    """Ports by their names: `match` has alternatives such as "xe-*|et-*"; the first pattern that matches counts."""

    match: Annotated[str, Field(min_length=1, max_length=500)]
    """shell patterns of port names, separated by |"""
    role: Literal["edge", "core", "both", "none"]
    """role of these ports; "none": HNTES leaves them alone"""
    rate_bps: RateBps | None = None
    """rate of these ports, bit/s"""


class Defaults(Section):
    """Values of all routers and interfaces that do not have their own.

    `interfaces` gives ports a role by their names, "none" to those that HNTES leaves alone. `ports` is a table of the
    routers' ports (CSV: router, name, snmp_index, and perhaps unit, role, rate_bps).
    """

    platform: PlatformName | None = None
    """platform of routers that name none"""
    plan: Name | None = None
    """plan of routers that name none"""
    term_budget: Annotated[int, Field(ge=1, le=100_000)] | None = None
    """filter terms for HNTES of routers without a number of their own"""
    port_buffer_ms: Annotated[int | float, Field(ge=0.1, le=1_000)] | None = None
    """egress buffer of the ports of routers without their own, at a port's rate"""
    simulate_with_running_config: bool | None = None
    """whether routers that do not say so are judged with their running configuration"""
    sampling_error_pct: Annotated[int, Field(ge=0, le=100)] | None = None
    """systematic error of sampled counters of routers without their own"""
    clock: Literal["exporter", "collector"] | None = None
    """whose clock times the flows of routers without a setting of their own"""
    rate_bps: RateBps | None = None
    """rate of interfaces without their own, bit/s"""
    interfaces: tuple[PortPattern, ...] = ()
    ports: FilePath | None = None


def with_defaults(document: dict[str, Any], ports: dict[str, list[dict[str, Any]]]) -> dict[str, Any]:
    """The settings as written, with the defaults in the routers and interfaces that lack them.

    `ports` are rows of the table of ports by router; they come after the interfaces of the settings. Interfaces that a
    pattern gives the role "none" are left out, as are those of the table that have no role. What is not of the expected
    form stays as it is, for the checks that follow.
    """
    defaults, routers = document.get("defaults"), document.get("routers")
    if not isinstance(defaults, dict) or not isinstance(routers, list):
        return document
    of_router = {name: value for name, value in defaults.items() if name not in (*_OWN, *_OF_INTERFACES)}
    return document | {
        "routers": [
            {**of_router, **router, **_interfaces(router, defaults, ports)} if isinstance(router, dict) else router
            for router in routers
        ]
    }


def _interfaces(
    router: dict[str, Any], defaults: dict[str, Any], ports: dict[str, list[dict[str, Any]]]
) -> dict[str, Any]:
    """The `interfaces` of a router, none if it has none."""
    own, rows = router.get("interfaces", []), ports.get(str(router.get("name")), [])
    if not isinstance(own, list):
        return {}
    listed = {port.get("name") for port in own if isinstance(port, dict)}
    found = [_completed(port, defaults) for port in own]
    more = [_completed(row, defaults) for row in rows if row.get("name") not in listed]
    chosen = [each for each in found if not isinstance(each, dict) or each.get("role") != "none"]
    chosen += [each for each in more if each.get("role", "none") != "none"]
    return {"interfaces": chosen} if "interfaces" in router or chosen else {}


def _completed(port: Any, defaults: dict[str, Any]) -> Any:
    if not isinstance(port, dict):
        return port
    of_all = {name: defaults[name] for name in _OF_INTERFACES if name in defaults}
    return {**of_all, **_of_pattern(str(port.get("name", "")), defaults), **port}


def _of_pattern(name: str, defaults: dict[str, Any]) -> dict[str, Any]:
    patterns = defaults.get("interfaces")
    for pattern in patterns if isinstance(patterns, list) else ():
        if not isinstance(pattern, dict) or not isinstance(pattern.get("match"), str):
            continue
        if any(fnmatchcase(name, each.strip()) for each in pattern["match"].split("|")):
            return {key: value for key, value in pattern.items() if key != "match"}
    return {}


def ports_path(document: dict[str, Any], base: Path) -> Path | None:
    """The file of the table of ports, None if the settings name none."""
    defaults = document.get("defaults")
    given = defaults.get("ports") if isinstance(defaults, dict) else None
    return base / given if isinstance(given, str) and "\0" not in given else None
