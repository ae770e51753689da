"""Errors of the review page."""

from hntes.errors import HntesError


class WebError(HntesError):
    """The review page cannot be served, or its accounts are unusable; the message has the remedy."""


class RefusedError(HntesError):
    """A refused request: `status` is the HTTP status (RFC 9110, section 15)."""

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status


class LoginNeededError(HntesError):
    """The page needs a login."""
