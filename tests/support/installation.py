"""A throw-away installation on the demonstration's flow files, driven as a person would: by the command line."""

import json
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from click.testing import CliRunner, Result

from hntes.cli.cli import main
from tests.support.databases import migrate, migrated_sqlite
from tests.support.shared_runs import make_demonstration_runs
from tests.support.state import State, state_of

ROOT = Path(__file__).resolve().parent.parent.parent
# Of the demonstration's: what a test asks of a night is asked of these; the other two have the flows of the third.
ROUTERS = 3
ALL_ROUTERS = 5


@dataclass(frozen=True)
class Installation:
    """Settings file, database and folders of one installation."""

    settings: Path
    database_url: str
    lake: Path
    output: Path

    def command(self, *arguments: str) -> list[str]:
        """The command line of a process of its own."""
        return [sys.executable, "-m", "hntes", "--settings", str(self.settings), *arguments]

    def run(self, *arguments: str, expect: int = 0) -> Result:
        """Runs one command in this process; another exit status than `expect` fails the test."""
        done = CliRunner().invoke(main, ["--settings", str(self.settings), *arguments])
        if done.exception is not None and not isinstance(done.exception, SystemExit):
            raise done.exception
        assert done.exit_code == expect, f"{arguments}: {done.exit_code}\n{done.stdout}{done.stderr}"
        return done

    def json(self, *arguments: str, expect: int = 0) -> Any:
        return json.loads(self.run(*arguments, "--json", expect=expect).stdout)

    def pin(
        self, pair: str, from_day: str, *, router: str = "r1", owner: str = "anna", reason: str = "weekly copy"
    ) -> None:
        """Pins a pair, so that its router's next change has something to decide on."""
        by = ("--owner", owner, "--reason", reason, "--from-day", from_day)
        self.run("override", "pin", "add", pair, "--router", router, *by)

    def state(self) -> State:
        return state_of(self.database_url, self.lake, self.output)


def demo_installation(
    folder: Path, database_url: str | None = None, *, routers: int = ROUTERS, **replaced: str
) -> Installation:
    """An installation in `folder` with the demonstration's first routers; `replaced` exchanges texts in its settings.

    Its database vouches for the runs of the demonstration's plans: no night simulates them again.
    """
    make_demonstration_runs()
    return installation_in(folder, database_url, routers=routers, **replaced)


def installation_in(
    folder: Path, database_url: str | None = None, *, routers: int = ROUTERS, **replaced: str
) -> Installation:
    """As `demo_installation`, with the first `routers` routers; its database vouches for what runs there are."""
    if database_url is not None:
        migrate(database_url)
    url = database_url or migrated_sqlite(folder / "hntes.db")
    text = _first_routers((ROOT / "demo" / "hntes.toml").read_text(encoding="utf-8"), routers)
    exchanges = {
        "../var/demo/audit-anchors.log": str(folder / "var" / "audit-anchors.log"),
        "../var/demo/lake": str(folder / "lake"),
        "../var/demo/output": str(folder / "output"),
        # shared by all tests, and by content: a scenario runs once
        "../var/simulations": str(ROOT / "var" / "simulations"),
        "sqlite:///../var/demo/hntes.db": url,
        '"flows/': f'"{ROOT / "demo" / "flows"}{os.sep}',
        # a section for keys that tests add
        "[plans.recommended]": "[review]\n\n[plans.recommended]",
        **replaced,
    }
    for old, new in exchanges.items():
        assert old in text, f"demo/hntes.toml no longer holds {old!r}"
        text = text.replace(old, new)
    folder.mkdir(parents=True, exist_ok=True)
    settings = folder / "hntes.toml"
    settings.write_text(text, encoding="utf-8")
    return Installation(settings, url, folder / "lake", folder / "output")


def _first_routers(text: str, count: int) -> str:
    head, *tables = text.split("[[routers]]\n")
    assert len(tables) == ALL_ROUTERS, f"demo/hntes.toml has {len(tables)} routers"
    return "[[routers]]\n".join([head, *tables[:count]])
