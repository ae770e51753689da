"""What an installation gets of requirements.lock."""

import re
import subprocess
import tomllib

from tests.support.installation import ROOT


def test_the_image_has_what_its_spark_asks_for() -> None:
    """Pandas is in no module of ours, and pyspark's own requirements leave it out."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extra = {re.split(r"[<>=]", each)[0] for each in project["optional-dependencies"]["spark"]}
    assert extra == {"pandas", "pyspark"}
    pinned = subprocess.run((ROOT / "scripts" / "pins", "image"), capture_output=True, text=True, check=True).stdout
    assert extra <= set(re.findall(r"^([a-z0-9-]+)==", pinned, re.MULTILINE))
