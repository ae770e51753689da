"""Compares the speed of this work tree and another commit; exits with 1 if a command became slower.

python -m benchmarks.compare COMMIT [--rounds 5] [--cases ingest judge ...] [--limit-percent 5] [--json]

COMMIT gets its own work tree and virtual environment below var/compare, which are kept. Each round runs the stages of
a night of one router in both trees, alternating which tree goes first, on the same flow files and with an empty lake,
database and store of simulations. It counts CPU seconds of all processes of a command, so other work on the machine
matters little. The table gives the median of the rounds' ratios, with the least and the greatest. A case is slower if
that median is beyond the limit and at least four fifths of the rounds agree. Both trees need `make setup`, the command
`hntes stage` and the settings that are in use here.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from statistics import median

from benchmarks._process import CommandFailedError, compile_modules, used_by
from benchmarks.night import DAY, ROOT, SOURCES, make_flows, settings_text

STAGES = ("ingest", "detect", "measure", "propose", "judge")
CASES = ("start", *STAGES, "simulate")
AGREEING = 0.8


@dataclass(frozen=True)
class Compared:
    """CPU seconds of a case in the other tree and in this one, a pair a round."""

    case: str
    pairs: tuple[tuple[float, float], ...]

    @property
    def ratios(self) -> list[float]:
        """This tree's over the other's, in the order of the rounds."""
        return [here / other for other, here in self.pairs]

    def is_slower(self, limit_percent: float) -> bool:
        """Whether the median of the ratios is beyond the limit and enough pairs say so."""
        slower = sum(ratio > 1 for ratio in self.ratios)
        return median(self.ratios) > 1 + limit_percent / 100 and slower >= AGREEING * len(self.ratios)


def main() -> int:
    """Compares, and prints one line a case."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("commit", help="the other commit, by any name that git knows")
    parser.add_argument("--rounds", type=int, default=5, help="pairs of each case (default: 5)")
    parser.add_argument("--cases", nargs="+", choices=CASES, default=list(CASES), help="default: all")
    parser.add_argument("--records", type=int, default=500_000, help="in the flow files (default: 500000)")
    parser.add_argument("--limit-percent", type=float, default=5.0, help="slower than this fails (default: 5)")
    parser.add_argument("--json", action="store_true", help="print the pairs as JSON")
    asked = parser.parse_args()
    # a stage needs what those before it have left
    last = max((STAGES.index(case) for case in asked.cases if case in STAGES), default=-1)
    cases = [case for case in CASES if case in asked.cases or case in STAGES[: last + 1]]
    other = _tree_of(asked.commit)
    for tree in (other, ROOT):
        compile_modules(tree)
    with tempfile.TemporaryDirectory() as scratch:
        if last >= 0:
            make_flows(Path(scratch), 1, asked.records, *SOURCES["ingress"])
        rounds = []
        for number in range(asked.rounds):
            print(f"round {number + 1} of {asked.rounds}", file=sys.stderr, flush=True)
            order = [other, ROOT] if number % 2 == 0 else [ROOT, other]
            taken_s = {tree: _round(tree, Path(scratch), cases) for tree in order}
            rounds.append((taken_s[other], taken_s[ROOT]))
    found = [
        Compared(case, tuple((there[case], here[case]) for there, here in rounds))
        for case in cases
        if case in asked.cases
    ]
    print(_as_json(found) if asked.json else _as_table(found, asked.commit, asked.limit_percent))
    return 1 if any(case.is_slower(asked.limit_percent) for case in found) else 0


def _tree_of(commit: str) -> Path:
    """A work tree of a commit with all that it needs to run."""
    git = ("git", "-C", str(ROOT))
    found = subprocess.run(
        [*git, "rev-parse", "--verify", "--quiet", f"{commit}^{{commit}}"], capture_output=True, text=True, check=False
    )
    if found.returncode:
        sys.exit(f"{commit}: no such commit here; give a hash, a tag or a branch")
    tree = ROOT / "var" / "compare" / found.stdout.strip()[:12]
    if not tree.exists():
        # one that was removed by hand is still known to git
        subprocess.run([*git, "worktree", "prune"], check=True)
        subprocess.run([*git, "worktree", "add", "--detach", "--quiet", str(tree), found.stdout.strip()], check=True)
    _check_unchanged(tree, found.stdout.strip())
    print(f"setting up {commit} in {tree}", file=sys.stderr, flush=True)
    # the same packages as here: pyarrow loads pandas wherever it is installed, which takes 0.3 CPU s
    target = "everything" if find_spec("pyspark") else "setup"
    # the other tree's environment is its own, whatever make runs this program
    own = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS", "VIRTUAL_ENV"))}
    subprocess.run(["make", "--no-print-directory", "-C", tree, target], check=True, stdout=sys.stderr, env=own)
    return tree


def _check_unchanged(tree: Path, commit: str) -> None:
    """Ends the program if a kept work tree is not the commit's any more: edited, moved on, or made by a killed run."""
    head, changes = (
        subprocess.run(["git", "-C", str(tree), *asked], capture_output=True, text=True, check=False).stdout.strip()
        for asked in (("rev-parse", "HEAD"), ("status", "--porcelain"))
    )
    if head != commit or changes:
        sys.exit(f"{tree}: is not {commit[:12]} as committed; remove it: git worktree remove --force {tree}")


def _round(tree: Path, scratch: Path, cases: list[str]) -> dict[str, float]:
    """CPU seconds of each case, all in one empty folder."""
    taken_s = {}
    with tempfile.TemporaryDirectory(dir=scratch) as night:
        folder = Path(night)
        settings = folder / "hntes.toml"
        settings.write_text(settings_text(folder, scratch / "flows", 1), encoding="utf-8")
        for case in cases:
            try:
                taken_s[case] = used_by(command(tree, case, settings), tree, scratch / f"{tree.name}-{case}").cpu_s
            except CommandFailedError as failed:
                sys.exit(f"{tree}: {failed}\n{_last_line(scratch / f'{tree.name}-{case}.2')}")
    return taken_s


def command(tree: Path, case: str, settings: Path) -> tuple[str, ...]:
    """The command of a case, run by the tree's own Python: any other would import the packages of its own tree."""
    programs = tree / ".venv" / "bin"
    if case == "simulate":
        return str(programs / "python"), "-m", "benchmarks.simulator", "20", "--json"
    arguments = ("--help",) if case == "start" else ("stage", case, "--day", str(DAY))
    return str(programs / "hntes"), "--settings", str(settings), *arguments


def _last_line(path: Path) -> str:
    lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    return lines[-1] if lines else ""


def _as_json(found: list[Compared]) -> str:
    return json.dumps({each.case: [list(pair) for pair in each.pairs] for each in found}, indent=2)


def _as_table(found: list[Compared], commit: str, limit_percent: float) -> str:
    lines = [
        f"CPU seconds, medians of {len(found[0].pairs)}; ratio of this work tree to {commit}, its least and greatest"
    ]
    for each in found:
        other_s, here_s = (median(values) for values in zip(*each.pairs, strict=True))
        verdict = f"slower by more than {limit_percent:g} %" if each.is_slower(limit_percent) else ""
        least, greatest = min(each.ratios), max(each.ratios)
        ratio = f"{median(each.ratios):8.3f} ({least:.3f} to {greatest:.3f})"
        lines.append(f"{each.case:10}{other_s:9.2f}{here_s:9.2f}{ratio}  {verdict}".rstrip())
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
