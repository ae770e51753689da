"""A first settings file, from what flow files say; what they cannot say is left out and named in a comment."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from hntes.settings.model import Ingest

MOST_PORTS = 12
# A name may have 63; a number may follow.
MOST_CHARACTERS = 56


@dataclass(frozen=True)
class FoundPort:
    """A port by the SNMP index that records name, and bytes of the files looked at, by direction."""

    snmp_index: int
    left_bytes: int
    entered_bytes: int


@dataclass(frozen=True)
class FoundRouter:
    """An exporter of a flow folder. `factor`: it samples 1 packet in so many, None if the files do not say."""

    folder: Path
    exporter: str
    factor: int | None
    ports: tuple[FoundPort, ...]
    rotation_s: int | None


def starter_settings(routers: Sequence[FoundRouter], looked_at: str, platforms: Sequence[str]) -> str:
    """The settings file as text: one router for each exporter, of one of these platforms.

    Its gaps are comments that begin with "FILL IN"; without them the file is refused, by the name of each key.
    """
    names = _names(routers)
    rotations = {router.rotation_s for router in routers if router.rotation_s is not None}
    rotation_s = min(rotations) if rotations else Ingest().rotation_s
    head = [
        f"# HNTES settings, begun by `hntes init` from {looked_at}.",
        "# Lines with FILL IN are what flow files do not say; `hntes check` names those that are left.",
        "# hntes.example.toml explains every key.",
        "",
        "[database]",
        'url = "sqlite:///var/hntes.db"',
        "",
        "[ingest]",
        f"rotation_s = {rotation_s}  # the time that one file covers, from the files' names; nfcapd -t",
        "",
        "[plans.recommended]",
        'kind = "two_queue"  # other plans: docs/reference/plans.md',
    ]
    blocks = [
        _router(router, name, rotation_s, platforms) for router, name in zip(routers, names, strict=True)
    ]  # fmt: skip
    return "\n".join([*head, *(line for block in blocks for line in ("", *block))]) + "\n"


def _router(router: FoundRouter, name: str, rotation_s: int, platforms: Sequence[str]) -> list[str]:
    lines = [
        "[[routers]]",
        f"name = {_text(name)}  # any name; it stands in paths and commands",
        f"# platform =   FILL IN: one of {', '.join(platforms)}",
        f"flow_folder = {_text(str(router.folder))}",
        f"exporters = [{_text(router.exporter)}]  # whose records are believed; add its other addresses and line cards",
    ]
    if router.rotation_s not in (None, rotation_s):
        lines.append(f"rotation_s = {router.rotation_s}")
    if router.factor is not None and router.factor > 1:
        lines.append(f"# its flow files say that 1 packet in {router.factor} is sampled")
    if not router.ports:
        lines.append(
            "# [[routers.interfaces]]   FILL IN: the files name no interface; an edge and a core port at least"
        )
    for port in router.ports[:MOST_PORTS]:
        lines += _port(port)
    if len(router.ports) > MOST_PORTS:
        more = ", ".join(str(port.snmp_index) for port in router.ports[MOST_PORTS:])
        lines.append(f"  # and the indexes {more}, by which less left")
    return lines


def _port(port: FoundPort) -> list[str]:
    moved = f"{port.left_bytes / 1e6:,.1f} MB left and {port.entered_bytes / 1e6:,.1f} MB entered by it"
    return [
        "  [[routers.interfaces]]",
        f"  snmp_index = {port.snmp_index}  # ifIndex; in the newest files {moved}",
        "  # name =   FILL IN: as the router's configuration has it",
        "  # role =   FILL IN: edge (alpha flows enter: gets the filter), core (gets the queues) or both",
        "  # rate_bps =   FILL IN: bit/s, say 10_000_000_000",
    ]


def _names(routers: Sequence[FoundRouter]) -> list[str]:
    """The folder's name; with the exporter's address where a folder has several."""
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
