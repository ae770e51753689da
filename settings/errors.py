"""What can be wrong with a settings file."""


class SettingsError(Exception):
    """The settings file cannot be used; the message names the file, the key and the remedy."""
