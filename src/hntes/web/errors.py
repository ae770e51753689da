"""What a person who asks for a page is told instead of it."""

from hntes.errors import HntesError


class WebError(HntesError):
    """The review page cannot be served, or its accounts not be used; the message says what to do."""


class RefusedError(HntesError):
    """A request that is answered with a sentence: `status` is the HTTP status (RFC 9110, section 15)."""

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status


class LoginNeededError(HntesError):
    """Nobody is logged in, and the page is for people whose name is known."""
