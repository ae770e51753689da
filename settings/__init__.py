"""The settings file: one TOML document, validated on load. Of the other rooms it imports base only."""

from settings.errors import SettingsError
from settings.load import load_settings
from settings.model import Settings

__all__ = ["Settings", "SettingsError", "load_settings"]
