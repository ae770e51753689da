"""The settings file: one TOML document, validated on load. Imports none of the other rooms."""

from settings.errors import SettingsError
from settings.load import load_settings
from settings.model import Settings

__all__ = ["Settings", "SettingsError", "load_settings"]
