"""The error of a scenario that no engine runs."""

from hntes.errors import HntesError


class ScenarioError(HntesError, ValueError):
    """A scenario that cannot be run; the message names the key."""
