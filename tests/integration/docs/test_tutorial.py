"""The tutorial is run line by line: each command in its order, and what it prints is what stands below it."""

import re
import shlex
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest
from click.testing import CliRunner

from hntes.cli.cli import main
from tests.support.databases import migrated_sqlite
from tests.support.installation import ROOT
from tests.support.shared_runs import make_demonstration_runs

TEXT = (ROOT / "docs" / "tutorial.md").read_text(encoding="utf-8")
SHOWN_HASH = "707c88d50230"


@dataclass(frozen=True)
class Step:
    """A command with the lines that it is said to print, or a file's content under its language."""

    command: str
    printed: tuple[str, ...] = ()
    content: str = ""


def steps(text: str) -> list[Step]:
    """The tutorial's commands and files, in their order."""
    found: list[Step] = []
    for block in re.finditer(r"^```(\w+)\n((?:(?!```).*\n)*)```$|((?:^    .*\n|^\n(?=    ))+)", text, re.MULTILINE):
        if block[1]:
            found.append(Step(block[1], content=block[2]))
            continue
        for part in re.split(r"^    \$ ", block[3], flags=re.MULTILINE)[1:]:
            command, *printed = part.rstrip().split("\n")
            found.append(Step(command, tuple(line[4:] for line in printed)))
    return found


# Told where a stage takes long, as on a machine with other load.
_PROGRESS = re.compile(r"^(?:simulating|reading) .*: \d+ of \d+\n", re.MULTILINE)


def matches(printed: str, wanted: tuple[str, ...]) -> bool:
    """`...` stands for any text, and alone in a line for any lines; spaces at a line's end do not count."""
    printed = _PROGRESS.sub("", printed)
    parts = [r"(?:.*\n)*?" if line == "..." else re.escape(line).replace(r"\.\.\.", ".*") + " *\n" for line in wanted]
    return re.fullmatch("".join(parts), printed) is not None


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty clone: what it needs of the repository, and the runs that all tests share."""
    (tmp_path / "demo").symlink_to(ROOT / "demo")
    monkeypatch.setenv("PATH", f"{ROOT / '.venv' / 'bin'}:/usr/bin:/bin")
    monkeypatch.delenv("HNTES_SETTINGS", raising=False)
    make_demonstration_runs()
    return tmp_path


def test_what_the_commands_print_is_what_the_tutorial_says(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hash_, commands = SHOWN_HASH, 0
    monkeypatch.chdir(folder)
    for step in steps(TEXT):
        if step.command == "toml":
            _write_settings(Path.cwd(), step.content)
        elif step.command == "sh":
            Path("load-r1").write_text(step.content)
        else:
            printed = run(step.command.replace(SHOWN_HASH, hash_))
            hash_ = _candidate(printed) or hash_
            wanted = tuple(line.replace(SHOWN_HASH, hash_) for line in step.printed)
            assert matches(printed, wanted), f"{step.command}:\n{printed}"
            commands += 1
            if (folder / "tutorial").exists():
                monkeypatch.chdir(folder / "tutorial")
    assert commands == 14
    assert (folder / "tutorial" / "running-on-r1.conf").read_text().startswith("## HNTES candidate for router r1")


def run(command: str) -> str:
    """What it prints, on both streams: commands of HNTES in this process, others by the shell."""
    if command.startswith("hntes "):
        done = CliRunner().invoke(main, shlex.split(command)[1:])
        assert done.exit_code == (1 if done.output.startswith("hntes: ") else 0), done.output
        return done.output
    ran = subprocess.run(["bash", "-ec", command], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout + ran.stderr


def _candidate(printed: str) -> str | None:
    found = re.search(r"state: pending, candidate ([0-9a-f]{12})$", printed, re.MULTILINE)
    return found[1] if found else None


def _write_settings(here: Path, block: str) -> None:
    """What the reader fills in; and that simulations and their digests are those of the other tests."""
    settings = here / "hntes.toml"
    begun = settings.read_text().partition("[defaults]")[0]
    shared = f'[paths]\nsimulations = "{ROOT / "var" / "simulations"}"\n\n'
    settings.write_text(begun + shared + block)
    (here / "var").mkdir()
    migrated_sqlite(here / "var" / "hntes.db")


@pytest.mark.parametrize(
    ("printed", "wanted", "holds"),
    [
        ("a b\n", ("a ...",), True),
        ("a\nb\nc\n", ("a", "...", "c"), True),
        ("a\n", ("b",), False),
        ("a\nb\n", ("a",), False),
    ],
)
def test_a_difference_is_seen(printed: str, wanted: tuple[str, ...], holds: bool) -> None:
    assert matches(printed, wanted) is holds
