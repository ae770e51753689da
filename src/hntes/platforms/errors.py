"""The error of a text that cannot be parsed."""

from hntes.errors import HntesError


class ParseError(HntesError):
    """A refused text: the statement at `line` (from 1; 0 for the text as a whole) cannot be parsed.

    Example:
        >>> str(ParseError(12, "protocol tcp", "match condition protocol is not understood"))
        'line 12: `protocol tcp`: match condition protocol is not understood'
    """

    def __init__(self, line: int, text: str, reason: str) -> None:
        super().__init__(f"line {line}: `{text}`: {reason}" if line else reason)
        self.line = line
        self.text = text
        self.reason = reason
