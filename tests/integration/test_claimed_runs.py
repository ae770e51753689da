"""The claim of a run ends with the process that has it, however that ends."""

import os
import subprocess
import sys
import time
from pathlib import Path

from hntes.files import sweep_leftovers
from hntes.simulator.runs.claims import claim

HOLDER = """
import sys, time
from pathlib import Path
from hntes.simulator.runs.claims import claim
with claim(Path(sys.argv[1]), "key"):
    print("held", flush=True)
    time.sleep(60)
"""


def test_a_holder_that_is_killed_leaves_no_lock_behind(tmp_path: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", HOLDER, tmp_path], stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        assert claim(tmp_path, "key") is None
        holder.kill()
        holder.wait()
    (left,) = tmp_path.iterdir()
    _age(left)
    again = claim(tmp_path, "key")
    assert again is not None
    with again:
        assert not sweep_leftovers(tmp_path), "it is of now"
    assert not list(tmp_path.iterdir())
    left.touch()
    _age(left)
    assert sweep_leftovers(tmp_path) == 1


def _age(path: Path) -> None:
    hours_ago = time.time() - 7200
    os.utime(path, (hours_ago, hours_ago))
