"""Build the packet engine with cargo and put it beside this file: `python -m simulator.build`."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from base.files import replacing

HERE = Path(__file__).parent
LIBRARY = {"darwin": "lib_core.dylib", "win32": "_core.dll"}.get(sys.platform, "lib_core.so")
MODULE = HERE / ("_core.pyd" if sys.platform == "win32" else "_core.abi3.so")


def build() -> Path:
    """Compile the engine in release mode; the path of the module."""
    command = [os.environ.get("CARGO", "cargo"), "build", "--release", "--package", "hntes-sim-python"]
    subprocess.run(command, cwd=HERE, check=True)
    target = Path(os.environ.get("CARGO_TARGET_DIR", HERE / "target"))
    # Replaced, not overwritten: a running process may still have the old one mapped.
    with replacing(MODULE, mode=0o755) as fresh:
        shutil.copyfile(target / "release" / LIBRARY, fresh)
    return MODULE


if __name__ == "__main__":
    print(build())
