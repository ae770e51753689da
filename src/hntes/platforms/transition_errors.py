"""The error of an impossible transition."""

from hntes.errors import HntesError


class TransitionError(HntesError):
    """Two texts without a transition, such as when one of them was not written by the renderer."""
