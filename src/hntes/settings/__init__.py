"""The settings file: one TOML document, validated on load. It imports no other package."""

from hntes.settings.errors import SettingsError
from hntes.settings.model import Settings
from hntes.settings.reader import read_settings

__all__ = ["Settings", "SettingsError", "read_settings"]
