"""The error of a transition that cannot be written."""

from hntes.errors import HntesError


class TransitionError(HntesError):
    """Two texts between which no commands are written: one of them is not as the renderer writes it."""
