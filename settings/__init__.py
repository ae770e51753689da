"""The settings file: one TOML document, validated on load. Of the other rooms it imports base only."""

from settings.errors import SettingsError
from settings.model import Settings
from settings.reader import read_settings

__all__ = ["Settings", "SettingsError", "read_settings"]
