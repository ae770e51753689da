"""What the commands that fetch flows say of their settings."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.settings_file import MINIMAL

TWO = '[kafka]\nbrokers = ["127.0.0.1:1"]\n[kafka.topics]\na = "a"\nb = "b"\n'


@pytest.mark.parametrize(
    ("section", "command", "said"),
    [
        ("", ("consume",), "no section [kafka]"),
        ("", ("fetch-flows",), "no section [clickhouse]"),
        (TWO, ("consume",), "name one of the topics in kafka.topics: a, b"),
        (TWO, ("consume", "c"), "kafka.topics has no topic c; there are: a, b"),
    ],
)
def test_settings_that_are_missing_are_named(tmp_path: Path, section: str, command: tuple[str, ...], said: str) -> None:
    (tmp_path / "hntes.toml").write_text(section + MINIMAL, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "hntes", "data", *command], cwd=tmp_path, check=False, capture_output=True, text=True
    )
    assert done.returncode == 1
    assert said in done.stderr
    assert "Traceback" not in done.stderr
