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
    if DEFAULT_SETTINGS.is_file():
        return DEFAULT_SETTINGS
    above = (folder / DEFAULT_SETTINGS for folder in Path.cwd().parents)
    return next((each for each in above if _is_own(each)), DEFAULT_SETTINGS)


def _is_own(path: Path) -> bool:
    """Whether it is a file of this user or of root: settings name programs, and anybody can write one into /tmp."""
    try:
        return path.is_file() and path.stat().st_uid in (os.getuid(), 0)
    except OSError:
        return False
