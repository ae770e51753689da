"""`make bench`, `python -m benchmarks [NAME ...]`: measures speed and prints tables. Never part of the tests."""

import argparse
import ast
import platform
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
# They take a commit, what another command wrote, or a service that runs.
NEED_ARGUMENTS = {"compare", "object_store", "reproduction_page"}


def main() -> None:
    """Runs every benchmark of this folder, or those named, each in a process of its own."""
    scripts = {path.stem: _first_line(path) for path in sorted(HERE.glob("*.py")) if not path.stem.startswith("_")}
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks",
        description="Runs benchmarks with their defaults. Each is a program of its own, whose options are listed by "
        "python -m benchmarks.NAME --help.",
        epilog="\n".join(f"  {name:18} {says}" for name, says in scripts.items()),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help="of the list below (default: all but those that need "
                        f"arguments: {', '.join(sorted(NEED_ARGUMENTS))})")  # fmt: skip
    names = parser.parse_args().names or [name for name in scripts if name not in NEED_ARGUMENTS]
    if unknown := sorted(set(names) - set(scripts)):
        parser.error(f"no benchmark {', '.join(unknown)}; there are {', '.join(scripts)}")
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False)
    print(f"machine: {platform.machine()}, Python {platform.python_version()}, commit {commit.stdout.strip()}")
    for name in names:
        print(f"\n== {name}", flush=True)
        subprocess.run([sys.executable, "-m", f"benchmarks.{name}"], check=True, cwd=HERE.parent)


def _first_line(path: Path) -> str:
    text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    return text.partition("\n")[0]


if __name__ == "__main__":
    main()
