"""Configuration that cannot be simulated exactly, and is therefore not judged."""

from hntes.errors import HntesError


class NotJudgedError(HntesError):
    """A part of a text that the simulator cannot express exactly; the message names it and says what to do."""
