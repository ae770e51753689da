"""Commands that render and read no configuration import no platform; names of platforms cost no import either."""

import subprocess
import sys
from pathlib import Path

import pytest

from hntes.platforms.registry import installed_platforms
from tests.support.installation import ROOT, demo_installation

LOADED = """
import sys
from hntes.cli.cli import main
try:
    main(sys.argv[1:])
except SystemExit as ended:
    print("status", ended.code, file=sys.stderr)
print("loaded", *(name for name in sys.modules if name.startswith("hntes.")), file=sys.stderr)
"""
PAIR = "198.18.10.0/24>203.0.113.0/24"


@pytest.mark.parametrize(
    "arguments",
    [("--help",), ("stage", "judge", "--help"), ("change", "list"), ("why", PAIR, "--router", "r1")],
    ids=lambda given: " ".join(given[:2]),
)
def test_no_platform_is_imported(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    site = demo_installation(tmp_path / "site")
    given = arguments if "--help" in arguments else ("--settings", str(site.settings), *arguments)
    done = subprocess.run([sys.executable, "-c", LOADED, *given], cwd=ROOT, capture_output=True, text=True, check=True)
    *_, line = done.stderr.splitlines()
    loaded = set(line.split()[1:])
    assert loaded
    assert not {name for name in loaded for each in installed_platforms() if name.startswith(f"hntes.platforms.{each}")}
    assert not {name for name in loaded if name.startswith("hntes.platforms.cisco")}
