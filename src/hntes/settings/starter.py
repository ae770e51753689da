"""A first settings file from the contents of flow files; missing values are marked by comments."""

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from hntes.format import data_size
from hntes.settings.ingest import Ingest

MOST_PORTS = 12
# Ports that carry less than this share of their router's bytes are left out.
LEAST_SHARE = 0.001
# With more values to be typed, the ports go into a table, which an inventory or a spreadsheet fills.
MOST_VALUES = 10
# A name may have 63 characters; a number may follow.
MOST_CHARACTERS = 56
MARK = "FILL IN"


@dataclass(frozen=True)
class FoundPort:
    """A port by its SNMP index in flow records, with the bytes in the files by direction, and what else is known.

    The index is None for a port that is known by name alone.
    """

    snmp_index: int | None
    left_bytes: int
    entered_bytes: int
    name: str = ""
    unit: int | None = None
    rate_bps: int | None = None
    role: str = ""
    description: str = ""
    logical: str = ""

    @property
    def moved_bytes(self) -> int:
        """Both directions."""
        return self.left_bytes + self.entered_bytes


@dataclass(frozen=True)
class FoundRouter:
    """An exporter of a flow folder. `factor`: it samples 1 packet in `factor`, None if unknown.

    `unannounced_records` of it came without this factor, which it announces for another observation domain. `name` and
    `platform` are "" where nothing else than flow files is known. `looks_sampled`: its records do, without a
    known factor. `is_timeless`: most of them lack start and end times.
    """

    folder: Path
    exporter: str
    factor: int | None
    ports: tuple[FoundPort, ...]
    rotation_s: int | None
    unannounced_records: int = 0
    name: str = ""
    platform: str = ""
    looks_sampled: bool = False
    is_timeless: bool = False


@dataclass(frozen=True)
class Starter:
    """A settings file, and the rows of its table of ports (None: its ports are in the file)."""

    text: str
    rows: tuple[dict[str, Any], ...] | None

    @property
    def values_to_type(self) -> int:
        """How many values the file asks for."""
        return self.text.count(f"  {MARK}: ")


def starter_settings(
    found: Sequence[FoundRouter], looked_at: str, platforms: Sequence[str], ports_file: str,
    zone: tuple[str, int] | None = None,
) -> Starter:  # fmt: skip
    """The settings file: one router per exporter, on one of these platforms.

    Its gaps are comments that begin with "FILL IN"; without them the file is refused, by the name of each key. Where it
    would ask for more than `MOST_VALUES` values the ports are in a table, in the file of that name beside it.

    Args:
        found: The exporters.
        looked_at: What was looked at, for the first line.
        platforms: The installed ones.
        ports_file: The name of the table's file.
        zone: The time zone of the file names, and by how many seconds they are ahead of UTC; None for UTC.
    """
    routers = with_names(found, ())
    rotations = {router.rotation_s for router in routers if router.rotation_s is not None}
    rotation_s = min(rotations) if rotations else Ingest().rotation_s
    head = [
        f"# HNTES settings, created by `hntes init` from {looked_at}.",
        f"# Lines with {MARK} need values that flow files do not contain; `hntes check` lists the missing ones.",
        "# hntes.example.toml explains every key.",
        "",
        "[database]",
        'url = "sqlite:///var/hntes.db"',
        "",
        "[ingest]",
        *_file_timezone(zone),
        f"rotation_s = {rotation_s}  # duration of one file, from the files' names; nfcapd -t",
        "",
        "[plans.recommended]",
        'kind = "two_queue"  # other plans: docs/reference/plans.md',
        "",
    ]

    def whole(*, is_table: bool) -> Starter:
        defaults = _defaults(routers, platforms, ports_file if is_table else None)
        blocks = router_blocks(routers, rotation_s, is_table=is_table)
        rows = tuple(row for router in routers for row in port_rows(router)) if is_table else None
        return Starter("\n".join([*head, *defaults, *blocks]) + "\n", rows)

    inline = whole(is_table=False)
    return inline if inline.values_to_type <= MOST_VALUES else whole(is_table=True)


def router_blocks(routers: Iterable[FoundRouter], rotation_s: int, *, is_table: bool) -> list[str]:
    """The tables of routers, each after an empty line."""
    return [line for router in routers for line in ("", *_router(router, rotation_s, is_table=is_table))]


def port_rows(router: FoundRouter) -> list[dict[str, Any]]:
    """The rows of a router in the table of ports, those with the most traffic first."""
    return [
        {"router": router.name, "exporter": router.exporter, "snmp_index": port.snmp_index, "name": port.name,
         "unit": port.unit, "role": port.role, "rate_bps": rate_text(port.rate_bps), "logical": port.logical,
         "description": port.description,
         "out_mb": f"{port.left_bytes / 1e6:.1f}", "in_mb": f"{port.entered_bytes / 1e6:.1f}"}
        for port in _listed(router)
    ]  # fmt: skip


def with_names(found: Sequence[FoundRouter], taken: Iterable[str]) -> list[FoundRouter]:
    """Each with a name of its own: as it is known, else the folder's, with the address if the folder has several."""
    folders = [router.folder for router in found]
    names = set(taken)
    named = []
    for router in found:
        words = [router.folder.name, router.exporter] if folders.count(router.folder) > 1 else [router.folder.name]
        name = router.name or re.sub(r"[^A-Za-z0-9]+", "-", "-".join(words)).strip("-") or "router"
        name = (name if name[0].isalpha() else f"router-{name}")[:MOST_CHARACTERS]
        name = name if name not in names else f"{name}-{len(names) + 1}"
        names.add(name)
        named.append(replace(router, name=name))
    return named


def rate_text(rate_bps: int | None) -> str:
    """A rate as people write it, "" for None.

    Example:
        >>> rate_text(10_000_000_000), rate_text(2_500_000_000), rate_text(64_000)
        ('10G', '2.5G', '64000')
    """
    if rate_bps is None:
        return ""
    unit, letter = (10**9, "G") if rate_bps >= 10**9 else (10**6, "M")
    return f"{rate_bps / unit:g}{letter}" if rate_bps * 1000 % unit == 0 and rate_bps >= 10**6 else str(rate_bps)


def _defaults(routers: Sequence[FoundRouter], platforms: Sequence[str], ports_file: str | None) -> list[str]:
    lines = ["[defaults]  # of routers and interfaces that do not say otherwise"]
    if any(not router.platform for router in routers):
        lines.append(_gap("platform", f"one of {', '.join(platforms)}"))
    listed = [port for router in routers for port in _asked(router)]
    if any(port.rate_bps is None for port in listed):
        lines.append(_gap("rate_bps", 'of ports without their own, such as "10G"'))
    if any(not port.role for port in listed):
        families = sorted({found[0] for port in listed if (found := re.match(r"[A-Za-z]+", port.name))})
        seen = f"; the ports are named {', '.join(families)}" if families else ""
        lines += [
            "# edge: alpha flows enter, the port gets the filter; core: it gets the queues; both; none: left alone",
            _gap("interfaces", f'roles by names, [{{match = "et-*|ae*", role = "core"}}, ...]{seen}'),
        ]
    if ports_file is not None:
        lines.append(f"ports = {_text(ports_file)}{_how_to_fill(listed)}")
    return lines


def _how_to_fill(listed: Sequence[FoundPort]) -> str:
    nameless = sum(not port.name for port in listed)
    if not nameless:
        return ""
    how = "the column name: by hand, or `hntes init --add` with --snmp-walk, --snmp, --netbox or --ports-csv"
    return f"  # {nameless} of {len(listed)} ports have no name;   {MARK}: {how}"


def _file_timezone(zone: tuple[str, int] | None) -> list[str]:
    if zone is None:
        return []
    name, ahead_s = zone
    side = "ahead of" if ahead_s > 0 else "behind"
    text = f"file_timezone = {_text(name)}  # file names are {abs(ahead_s) / 3600:g} h {side} their records"
    if name.startswith("Etc/"):
        text += "; write the collector's zone, such as Europe/Berlin, if it has daylight saving time"
    return [text]


def _router(router: FoundRouter, rotation_s: int, *, is_table: bool) -> list[str]:
    lines = [
        "[[routers]]",
        f"name = {_text(router.name)}  # any name; used in paths and commands",
        *([f"platform = {_text(router.platform)}"] if router.platform else []),
        f"flow_folder = {_text(str(router.folder))}",
        f"exporters = [{_text(router.exporter)}]  # accepted exporters; add its other addresses and line cards",
    ]
    if router.rotation_s not in (None, rotation_s):
        lines.append(f"rotation_s = {router.rotation_s}")
    if router.is_timeless:
        lines.append('clock = "collector"  # its records have no times; they count when the collector received them')
    lines += _sampling(router)
    if is_table:
        return lines
    if not router.ports:
        lines.append(
            f"# [[routers.interfaces]]   {MARK}: the files contain no interface; at least an edge and a core port"
        )
    listed = _listed(router)
    for port in _asked(router):
        lines += _port(port)
    if unmatched := [port for port in listed if port not in _asked(router)]:
        lines += [
            "  # flow records have these ports by index; the load of a port is measured once it has its snmp_index:",
            *(f"  #   {port.snmp_index}: {_moved(port)}" for port in unmatched),
        ]
    if others := len(router.ports) - len(listed):
        lines.append(f"  # and {others} with less traffic: {_indexes(set(router.ports) - set(listed))}")
    return lines


def _sampling(router: FoundRouter) -> list[str]:
    lines = []
    if router.factor is not None and router.factor > 1:
        lines.append(f"# sampling by its flow files: 1 packet in {router.factor}")
    elif router.factor is None:
        say = f"sampling = [{{exporter = {_text(router.exporter)}, factor = N}}]"
        lines.append(
            f"# {say}   {MARK}: N: 1 packet in N is sampled; no sampling is announced, but most records have 1 packet"
            if router.looks_sampled
            else f"# sampling: not announced in the files looked at; if it samples 1 packet in N: {say}"
        )
    if router.unannounced_records:
        lines += [
            f"# {router.unannounced_records} records came without it: it is announced for another observation domain",
            "# if they are sampled, too:",
            "#   [[routers.sampling]]",
            f"#   exporter = {_text(router.exporter)}",
            f"#   factor = {router.factor or 'N'}",
            "# if not: factor = 1, and the announced one in allowed_factors",
        ]
    return lines


def _listed(router: FoundRouter) -> tuple[FoundPort, ...]:
    """The ports with the most traffic, without those that carry next to nothing, and ports known by name alone."""
    least = LEAST_SHARE * sum(port.moved_bytes for port in router.ports)
    seen = [port for port in router.ports if port.snmp_index is not None and port.moved_bytes >= least]
    return (*seen[:MOST_PORTS], *(port for port in router.ports if port.snmp_index is None))


def _asked(router: FoundRouter) -> tuple[FoundPort, ...]:
    """The ports whose missing values are asked for: not the nameless ones where some are known by name alone."""
    listed = _listed(router)
    return tuple(port for port in listed if port.name) if any(port.snmp_index is None for port in listed) else listed


def _indexes(ports: Iterable[FoundPort]) -> str:
    return ", ".join(str(index) for index in sorted(port.snmp_index for port in ports if port.snmp_index is not None))


def _port(port: FoundPort) -> list[str]:
    index = f"  snmp_index = {port.snmp_index}  # ifIndex; in the newest files {_moved(port)}"
    lines = [
        "  [[routers.interfaces]]",
        *([index] if port.snmp_index is not None else []),
        f"  name = {_text(port.name)}" if port.name else f"  {_gap('name', 'as in the router configuration')}",
    ]
    known = {"unit": port.unit, "logical": port.logical, "rate_bps": rate_text(port.rate_bps), "role": port.role}
    lines += [f"  {key} = {json.dumps(value)}" for key, value in known.items() if value]
    if port.description:
        lines.append(f"  # {json.dumps(port.description)}")
    return lines


def _moved(port: FoundPort) -> str:
    return f"{data_size(port.left_bytes)} out and {data_size(port.entered_bytes)} in"


def _gap(key: str, words: str) -> str:
    return f"# {key} =   {MARK}: {words}"


def _text(value: str) -> str:
    """A basic string of TOML; JSON's escapes are among TOML's."""
    return json.dumps(value, ensure_ascii=False)
