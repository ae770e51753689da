"""An installation as version 0.1.0 left it: its database, its lake and its candidates, in tests/data/v0.1.0.

They were made once, by that version, and are not made again: later versions must go on reading them. Three nights of
the demonstration: r2's first change is rejected, every other one approved; a pin makes one of r1 wait after the third
night. `nights.json` holds what that version said of them.

Run, with the program of that version and an empty folder that the ledger then names:
python -m tests.support.old_installation /srv/hntes
"""

import json
import shutil
import sqlite3
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent.parent
STORED = ROOT / "tests" / "data" / "v0.1.0"
FLOWS = Path("/srv/hntes/flows")
NIGHTS = ("2026-11-20", "2026-11-21", "2026-11-22")
# The third night has a file that was cut off.
_SET_ASIDE = 3
_PIN = ("198.18.99.0/24>203.0.113.0/24", "--router", "r1", "--owner", "anna", "--reason", "weekly copy")


@dataclass(frozen=True)
class OldInstallation:
    """A copy of the stored installation, and what its own version said of its nights."""

    settings: Path
    database_url: str
    nights: dict[str, Any]


def old_installation(folder: Path) -> OldInstallation:
    """Copies the stored installation; its flow files are gone, as they are after some weeks."""
    shutil.copytree(STORED, folder)
    settings = folder / "hntes.toml"
    nights = json.loads((folder / "nights.json").read_text(encoding="utf-8"))
    return OldInstallation(settings, f"sqlite:///{folder / 'hntes.db'}", nights)


def main() -> None:
    """Makes what is stored; the folder must be the parent of FLOWS."""
    folder = Path(sys.argv[1])
    shutil.copytree(ROOT / "demo" / "flows", folder / "flows")
    settings = folder / "hntes.toml"
    settings.write_text(_settings(), encoding="utf-8")
    for number, night in enumerate(NIGHTS):
        if number == 2:
            _hntes(settings, "pin", "add", *_PIN, "--from-day", night)
        _hntes(settings, "nightly", "--day", night, expect=_SET_ASIDE if number == 2 else 0)
        if number < 2:
            _decide_all(settings, number)
    said = {
        "changes": _json(settings, "changes", "--all"),
        "alphas": {night: _json(settings, "alphas", "--day", night) for night in NIGHTS},
        "files": _json(settings, "files"),
    }
    (folder / "nights.json").write_text(json.dumps(said, indent=1) + "\n", encoding="utf-8")
    _store(folder)


def _settings() -> str:
    text = (ROOT / "demo" / "hntes.toml").read_text(encoding="utf-8")
    exchanges = {
        "# Settings of `make demo`": "# Settings of an installation of version 0.1.0, from those of `make demo`",
        "../var/demo/lake": "lake",
        "../var/demo/output": "output",
        "../var/simulations": "simulations",
        "sqlite:///../var/demo/hntes.db": "sqlite:///hntes.db",
        '"flows/': f'"{FLOWS}/',
        "[plans.recommended]": "[review]\nexpiry_hours = 876000\n\n[plans.recommended]",
    }
    for old, new in exchanges.items():
        assert old in text, old
        text = text.replace(old, new)
    return text


def _decide_all(settings: Path, number: int) -> None:
    for entry in _json(settings, "changes"):
        verb = "reject" if number == 0 and entry["router"] == "r2" else "approve"
        of = ("--router", entry["router"], "--day", entry["day"], "--hash", entry["candidate_hash"])
        _hntes(settings, verb, *of, "--who", "anna", "--note", f"night {number + 1}")


def _store(folder: Path) -> None:
    shutil.rmtree(STORED, ignore_errors=True)
    STORED.mkdir(parents=True)
    with sqlite3.connect(folder / "hntes.db") as database:
        database.execute("PRAGMA journal_mode=DELETE")
        database.execute("VACUUM")
    for name in ("hntes.db", "hntes.toml", "nights.json"):
        shutil.copy(folder / name, STORED / name)
    shutil.copytree(folder / "lake" / "flows", STORED / "lake" / "flows")
    for candidates in (folder / "output").glob("*/candidates"):
        shutil.copytree(candidates, STORED / candidates.relative_to(folder))


def _json(settings: Path, *arguments: str) -> Any:
    return json.loads(_hntes(settings, *arguments, "--json"))


def _hntes(settings: Path, *arguments: str, expect: int = 0) -> str:
    command = [sys.executable, "-m", "hntes", "--settings", str(settings), *arguments]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == expect, f"{arguments}: {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout


if __name__ == "__main__":
    main()
