"""What Spark's executors get of this program."""

import subprocess
import sys
from pathlib import Path

from hntes.etl.ingest.spark_reader import ROOT, _pack_code

# An executor imports what its tasks refer to; each module of this program must come from the package.
EXECUTOR = """
import sys
from pathlib import Path
package, root = sys.argv[1:]
sys.path.insert(0, package)
import hntes.etl.ingest.spark_reader, hntes.etl.ingest.readers
found = {name: module.__file__ for name, module in sys.modules.items() if name.partition(".")[0] == "hntes"}
elsewhere = {name: path for name, path in found.items() if not path.startswith(package)}
assert "hntes.errors" in found and "hntes.etl.ingest.decode" in found, found
assert not elsewhere, elsewhere
"""


def test_the_package_holds_all_that_a_task_imports(tmp_path: Path) -> None:
    package = tmp_path / "hntes-etl.zip"
    _pack_code(package)
    command = [sys.executable, "-c", EXECUTOR, str(package), str(ROOT)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
