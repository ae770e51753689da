"""`make bench`: measures speed and prints a table. Never part of the tests."""

import platform
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent


def main() -> None:
    """Runs every benchmark of this folder in a process of its own."""
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False)
    print(f"machine: {platform.machine()}, Python {platform.python_version()}, commit {commit.stdout.strip()}")
    for script in sorted(HERE.glob("*.py")):
        if script.name.startswith("_"):
            continue
        print(f"\n== {script.stem}", flush=True)
        subprocess.run([sys.executable, "-m", f"benchmarks.{script.stem}"], check=True, cwd=HERE.parent)


if __name__ == "__main__":
    main()
