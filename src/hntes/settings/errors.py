"""Errors of the settings file."""

from hntes.errors import HntesError


class SettingsError(HntesError):
    """The settings file cannot be used; the message names the file, the key and the remedy."""
