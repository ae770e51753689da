"""Errors of a delivery. Each type says what is known of the router's configuration."""

from hntes.errors import HntesError


class DeliveryError(HntesError):
    """The base of these errors."""


class UnreachableError(DeliveryError):
    """No session could be opened: the router was not changed."""


class RefusedError(DeliveryError):
    """The router refused the request, which changed nothing."""


class TrialError(RefusedError):
    """A commit of another session awaits its confirmation, which this session cannot give."""


class UnclearError(DeliveryError):
    """No answer: whether the router acted must be checked."""


class TrialEndedError(UnclearError):
    """The trial ended before its time, with a part of the transition in effect: nothing will roll it back."""


class DriftError(DeliveryError):
    """The running configuration differs from the delivered one; the message shows the statements."""


class NotKeptError(DeliveryError):
    """The new configuration was not confirmed, and the router has rolled back."""


class NotStoredError(DeliveryError):
    """The router holds the new text permanently, but its startup configuration is the earlier one."""


class StuckError(DeliveryError):
    """The router holds an unexpected configuration after its rollback timer: a person has to check it."""


class KeptError(StuckError):
    """It holds the new text, which was to go: somebody confirmed it."""
