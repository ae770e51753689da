"""Build what is written in Rust with cargo and put it where it is imported: `python -m simulator.build`.

One workspace, so that both modules share what they are built upon: the engines (simulator/) and the decoder of flow
files (etl/nfcapd/).
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from base.files import replacing

HERE = Path(__file__).parent
LIBRARY = {"darwin": "lib{}.dylib", "win32": "{}.dll"}.get(sys.platform, "lib{}.so")
SUFFIX = ".pyd" if sys.platform == "win32" else ".abi3.so"
# cargo package -> name and folder of its module
MODULES = {"hntes-sim-python": ("_core", HERE), "hntes-nfcapd-python": ("_native", HERE.parent / "etl" / "nfcapd")}


def build() -> list[Path]:
    """Compile in release mode; the paths of the modules."""
    command = [os.environ.get("CARGO", "cargo"), "build", "--release"]
    subprocess.run([*command, *(f"--package={name}" for name in MODULES)], cwd=HERE, check=True)
    target = Path(os.environ.get("CARGO_TARGET_DIR", HERE / "target"))
    return [
        _put(target / "release" / LIBRARY.format(name), folder / f"{name}{SUFFIX}") for name, folder in MODULES.values()
    ]


def _put(library: Path, module: Path) -> Path:
    module.parent.mkdir(parents=True, exist_ok=True)  # an image is built before the rest of the program is there
    # Replaced, not overwritten: a running process may still have the old one mapped.
    with replacing(module, mode=0o755) as fresh:
        shutil.copyfile(library, fresh)
    return module


if __name__ == "__main__":
    print(*build(), sep="\n")
