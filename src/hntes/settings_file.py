"""Where the settings file is."""

import os
from pathlib import Path

SETTINGS_VARIABLE = "HNTES_SETTINGS"
DEFAULT_SETTINGS = Path("hntes.toml")


def settings_file(given: Path | None) -> Path:
    """The given file, else that of $HNTES_SETTINGS, else the hntes.toml here or in the nearest folder above."""
    if given is not None:
        return given
    if named := os.environ.get(SETTINGS_VARIABLE):
        return Path(named)
    above = (folder / DEFAULT_SETTINGS for folder in Path.cwd().parents)
    return next((each for each in (DEFAULT_SETTINGS, *above) if each.is_file()), DEFAULT_SETTINGS)
