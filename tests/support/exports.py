"""Recorded exports of other people's routers: the table of what each file holds, made by other means than ours."""

import json
import os
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.support.transfers import data_folder


@dataclass(frozen=True)
class ExportFile:
    """One nfcapd file of the table; counts are nfdump's own statistics (-I), as the collector stored them."""

    case: str
    name: str
    records: int
    bytes: int
    first: str
    last: str

    @property
    def folder(self) -> Path:
        return data_folder() / "exports" / self.case

    @property
    def path(self) -> Path:
        return self.folder / self.name


def export_files() -> list[ExportFile]:
    table = data_folder() / "exports" / "manifest.json"
    if not table.is_file():
        return []
    return list(_files(json.loads(table.read_text(encoding="utf-8"))))


def _files(cases: list[dict[str, Any]]) -> Iterator[ExportFile]:
    for case in cases:
        for one in case["nfcapd"]:
            yield ExportFile(
                case["case"], one["name"], one["flows"], one["bytes"], one["record_first"], one["record_last"]
            )


def listed_octets_of_tos(path: Path) -> list[int]:
    """The ToS of each record, from nfdump's text for people."""
    command = ["nfdump", "-r", str(path), "-q", "-o", "fmt:%tos"]
    done = subprocess.run(command, capture_output=True, check=True, text=True)
    return [int(line) for line in done.stdout.splitlines() if line.strip().isdecimal()]


def listed_records(path: Path) -> list[dict[str, Any]]:
    """A file's records as nfdump lists them, parsed by Python's own JSON."""
    command = ["nfdump", "-r", str(path), "-q", "-N", "-o", "json"]
    done = subprocess.run(command, capture_output=True, check=True, env={**os.environ, "TZ": "UTC"})
    text = done.stdout.decode("utf-8", "replace").strip().removeprefix("No matching flows").strip("[]").rstrip(",\n")
    found: list[dict[str, Any]] = json.loads(f"[{text}]", strict=False)
    return found
