"""The native reader on files with changes in their structure; crates/nfcapd/tests/fuzz has what is made."""

import os
import re
import subprocess
from pathlib import Path
from random import Random

import pytest

from tests.support.exports import export_files

ROOT = Path(__file__).resolve().parents[2]
INPUTS = 300_000

pytestmark = [pytest.mark.long, pytest.mark.timeout(3600)]


def test_no_changed_file_makes_it_panic_hang_or_take_much_memory(chance: Random) -> None:
    """HNTES_FUZZ_INPUTS asks for another number of inputs."""
    asked = {"HNTES_FUZZ_INPUTS": str(INPUTS), "HNTES_FUZZ_SEED": str(chance.randrange(1 << 32))}
    if recorded := export_files():
        asked["HNTES_FUZZ_CORPUS"] = os.path.commonpath([file.path for file in recorded])
    done = subprocess.run(
        [
            "scripts/with_rust",
            "cargo",
            "test",
            "--release",
            "--quiet",
            "-p",
            "hntes-nfcapd",
            "--test",
            "fuzz",
            "--",
            "--nocapture",
        ],
        cwd=ROOT,
        env={**asked, **os.environ},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    said = re.search(r"^(\d+) inputs .*: ([0-9.]+)% reached", done.stdout, re.MULTILINE)
    assert said, done.stdout
    assert int(said[1]) == int(os.environ.get("HNTES_FUZZ_INPUTS", INPUTS))
    assert float(said[2]) > 80
