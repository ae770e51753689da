"""The simulated runs of the demonstration's plans, made once for all test processes and the databases of all tests."""

import fcntl
import tempfile
from functools import cache
from pathlib import Path

from hntes.simulator import engine_version

ROOT = Path(__file__).resolve().parent.parent.parent
# Beside the runs: who deletes them deletes the mark, too.
FOLDER = ROOT / "var" / "simulations"
NIGHT = "2026-11-20"


@cache
def make_demonstration_runs() -> None:
    """Runs what the demonstration's nights need, unless this engine has run it; one process does, the others wait.

    A database vouches for the runs that there are when it is made. Without this, each of the tests that begin side by
    side would simulate all of them.
    """
    done = FOLDER / f"demonstration-{engine_version()}.made"
    FOLDER.mkdir(parents=True, exist_ok=True)
    with (FOLDER / "demonstration.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not done.exists():
            _run_first_night()
            done.touch()


def _run_first_night() -> None:
    from tests.support.installation import ALL_ROUTERS, installation_in

    with tempfile.TemporaryDirectory(prefix="hntes-runs-") as folder:
        installation_in(Path(folder) / "site", routers=ALL_ROUTERS).run("nightly", "--day", NIGHT)


if __name__ == "__main__":
    make_demonstration_runs()
