"""A first settings file from the contents of flow files; missing values are marked by comments."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from hntes.settings.ingest import Ingest

MOST_PORTS = 12
# A name may have 63 characters; a number may follow.
MOST_CHARACTERS = 56


@dataclass(frozen=True)
class FoundPort:
    """A port by its SNMP index in flow records, with the bytes in the files by direction."""

    snmp_index: int
    left_bytes: int
    entered_bytes: int


@dataclass(frozen=True)
class FoundRouter:
    """An exporter of a flow folder. `factor`: it samples 1 packet in `factor`, None if unknown.

    `unannounced_records` of it came without this factor, which it announces for another observation domain.
    """

    folder: Path
    exporter: str
    factor: int | None
    ports: tuple[FoundPort, ...]
    rotation_s: int | None
    unannounced_records: int = 0


def starter_settings(
    routers: Sequence[FoundRouter], looked_at: str, platforms: Sequence[str], zone: tuple[str, int] | None = None
) -> str:
    """The settings file as text: one router per exporter, on one of these platforms.

    `zone` is the time zone of the file names, and by how many seconds they are ahead of UTC; None for UTC.

    Its gaps are comments that begin with "FILL IN"; without them the file is refused, by the name of each key.
    """
    names = _names(routers)
    rotations = {router.rotation_s for router in routers if router.rotation_s is not None}
    rotation_s = min(rotations) if rotations else Ingest().rotation_s
    head = [
        f"# HNTES settings, created by `hntes init` from {looked_at}.",
        "# Lines with FILL IN need values that flow files do not contain; `hntes check` lists the missing ones.",
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
    ]
    blocks = [
        _router(router, name, rotation_s, platforms) for router, name in zip(routers, names, strict=True)
    ]  # fmt: skip
    return "\n".join([*head, *(line for block in blocks for line in ("", *block))]) + "\n"


def _file_timezone(zone: tuple[str, int] | None) -> list[str]:
    if zone is None:
        return []
    name, ahead_s = zone
    side = "ahead of" if ahead_s > 0 else "behind"
    text = f"file_timezone = {_text(name)}  # file names are {abs(ahead_s) / 3600:g} h {side} their records"
    if name.startswith("Etc/"):
        text += "; write the collector's zone, such as Europe/Berlin, if it has daylight saving time"
    return [text]


def _router(router: FoundRouter, name: str, rotation_s: int, platforms: Sequence[str]) -> list[str]:
    lines = [
        "[[routers]]",
        f"name = {_text(name)}  # any name; used in paths and commands",
        f"# platform =   FILL IN: one of {', '.join(platforms)}",
        f"flow_folder = {_text(str(router.folder))}",
        f"exporters = [{_text(router.exporter)}]  # accepted exporters; add its other addresses and line cards",
    ]
    if router.rotation_s not in (None, rotation_s):
        lines.append(f"rotation_s = {router.rotation_s}")
    if router.factor is not None and router.factor > 1:
        lines.append(f"# sampling by its flow files: 1 packet in {router.factor}")
    if router.unannounced_records:
        lines += [
            f"# {router.unannounced_records} records came without it: it is announced for another observation domain",
            "# if they are sampled, too:",
            "#   [[routers.sampling]]",
            f"#   exporter = {_text(router.exporter)}",
            f"#   factor = {router.factor or 'N'}",
            "# if not: factor = 1, and the announced one in allowed_factors",
        ]
    if not router.ports:
        lines.append(
            "# [[routers.interfaces]]   FILL IN: the files contain no interface; at least an edge and a core port"
        )
    for port in router.ports[:MOST_PORTS]:
        lines += _port(port)
    if len(router.ports) > MOST_PORTS:
        more = ", ".join(str(port.snmp_index) for port in router.ports[MOST_PORTS:])
        lines.append(f"  # and the indexes {more}, with less traffic")
    return lines


def _port(port: FoundPort) -> list[str]:
    moved = f"{port.left_bytes / 1e6:,.1f} MB out and {port.entered_bytes / 1e6:,.1f} MB in"
    return [
        "  [[routers.interfaces]]",
        f"  snmp_index = {port.snmp_index}  # ifIndex; in the newest files {moved}",
        "  # name =   FILL IN: as in the router's configuration",
        "  # role =   FILL IN: edge (alpha flows enter: gets the filter), core (gets the queues) or both",
        "  # rate_bps =   FILL IN: bit/s, such as 10_000_000_000",
    ]


def _names(routers: Sequence[FoundRouter]) -> list[str]:
    """The folder's name, with the exporter's address if the folder has several."""
    folders = [router.folder for router in routers]
    names: list[str] = []
    for router in routers:
        words = [router.folder.name, router.exporter] if folders.count(router.folder) > 1 else [router.folder.name]
        name = re.sub(r"[^A-Za-z0-9]+", "-", "-".join(words)).strip("-") or "router"
        name = (name if name[0].isalpha() else f"router-{name}")[:MOST_CHARACTERS]
        names.append(name if name not in names else f"{name}-{len(names) + 1}")
    return names


def _text(value: str) -> str:
    """A basic string of TOML; JSON's escapes are among TOML's."""
    return json.dumps(value, ensure_ascii=False)
