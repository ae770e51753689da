"""Errors of a delivery. Each says what the router holds, as far as it is known."""

from hntes.errors import HntesError


class DeliveryError(HntesError):
    """The root of these errors."""


class UnreachableError(DeliveryError):
    """No session was opened: nothing was asked of the router."""


class RefusedError(DeliveryError):
    """The router answered, and refused: this request changed nothing."""


class TrialError(RefusedError):
    """A commit of another session waits there for its confirmation, which this session cannot give."""


class UnclearError(DeliveryError):
    """No answer came: whether the router acted is to be asked anew."""


class DriftError(DeliveryError):
    """The router holds something else than what was delivered to it; the message shows the statements."""


class NotKeptError(DeliveryError):
    """The new configuration was not confirmed, and the router was seen to hold the earlier one again."""


class NotStoredError(DeliveryError):
    """The router holds the new text and does not go back from it, but would start with the earlier one."""


class StuckError(DeliveryError):
    """The router holds something else than it should after its time to go back: a person has to look."""
