"""Start-up time of commands: CPU seconds of whole processes, in comparison with an empty Python.

python -m benchmarks.startup [RUNS]
"""

import os
import statistics
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RUNS = 10
HNTES = (sys.executable, "-m", "hntes", "--settings")


def main() -> None:
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else RUNS
    os.chdir(ROOT)
    with tempfile.TemporaryDirectory() as folder:
        settings = _settings(Path(folder))
        hntes = (*HNTES, str(settings))
        commands = {
            "an empty Python": (sys.executable, "-c", "pass"),
            "hntes --help": (*hntes, "--help"),
            "hntes why --help": (*hntes, "why", "--help"),
            "hntes no-such-command": (*hntes, "no-such-command"),
            "hntes change list": (*hntes, "change", "list"),
        }
        cpu_s(commands["hntes change list"])  # makes the database, and compiles what was never compiled
        print(f"CPU seconds of {runs} processes\n{'':24}  min   median")
        for name, command in commands.items():
            taken_s = [cpu_s(command) for _ in range(runs)]
            print(f"{name:24}{min(taken_s):5.2f}  {statistics.median(taken_s):5.2f}")


def _settings(folder: Path) -> Path:
    text = (ROOT / "demo" / "hntes.toml").read_text(encoding="utf-8")
    text = text.replace("../var/demo", str(folder)).replace('"flows/', f'"{ROOT / "demo" / "flows"}/')
    path = folder / "hntes.toml"
    path.write_text(text, encoding="utf-8")
    return path


def cpu_s(command: tuple[str, ...]) -> float:
    """User and system time of one process and those it starts, its output thrown away."""
    silent = [(os.POSIX_SPAWN_OPEN, stream, os.devnull, os.O_WRONLY, 0) for stream in (1, 2)]
    pid = os.posix_spawn(command[0], command, os.environ, file_actions=silent)
    _, _, usage = os.wait4(pid, 0)
    return usage.ru_utime + usage.ru_stime


if __name__ == "__main__":
    main()
