"""Faults of an emulated router, on request of a test."""

from dataclasses import dataclass, field


@dataclass
class Faults:
    """Requests (NETCONF) or lines (CLI) are counted from 1 over all sessions of a router, from when the router starts.

    delay_s: before each answer. cut_before: the connection ends instead of this request being acted on. cut_after: it
    ends when the request has been acted on, before the answer. silent_after: no answer from this request on, while the
    connection stays. refused: number of a request, and the message with which it is refused without being acted on.
    """

    delay_s: float = 0.0
    cut_before: int | None = None
    cut_after: int | None = None
    silent_after: int | None = None
    refused: dict[int, str] = field(default_factory=dict)
    authentication_refused: bool = False
    seen: int = 0

    def next_request(self) -> int:
        self.seen += 1
        return self.seen

    def cuts_before(self, number: int) -> bool:
        return self.cut_before is not None and number == self.cut_before

    def cuts_after(self, number: int) -> bool:
        return self.cut_after is not None and number == self.cut_after

    def silences(self, number: int) -> bool:
        return self.silent_after is not None and number >= self.silent_after
