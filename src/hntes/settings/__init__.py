"""The settings file: one TOML document, validated on load. Of the other rooms it imports base only."""

from hntes.settings.errors import SettingsError
from hntes.settings.model import Settings
from hntes.settings.reader import read_settings

__all__ = ["Settings", "SettingsError", "read_settings"]
