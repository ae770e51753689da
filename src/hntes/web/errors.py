"""Errors of the review page."""

from collections.abc import Mapping

from hntes.errors import HntesError


class WebError(HntesError):
    """The review page cannot be served, or its accounts are unusable; the message has the remedy."""


class RefusedError(HntesError):
    """A refused request: `status` is the HTTP status (RFC 9110, section 15).

    `members` and `headers` are what a problem document and its response have beside it, for programs.
    """

    def __init__(
        self,
        status: int,
        sentence: str,
        *,
        members: Mapping[str, object] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(sentence)
        self.status = status
        self.members = members or {}
        self.headers = headers or {}


class LoginNeededError(HntesError):
    """The page needs a login."""
