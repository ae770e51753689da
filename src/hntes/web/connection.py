"""Time limits of a connection for requests and responses, so that slow clients do not occupy slots."""

import asyncio
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

# From the connection, or the previous response, to the last byte of the request: a form of maximum size at 10 kB/s.
# An idle connection is closed after 5 s.
RECEIVE_S = 30.0
# Time until a response has left this process, not counting kernel buffers: a text of 1 MB at 20 kB/s.
SEND_S = 60.0
_LOOK_EVERY_S = 2.0
_STILL_RECEIVING = (h11.IDLE, h11.SEND_BODY)


class Connection(H11Protocol):
    """HTTP/1.1 of uvicorn that closes connections if a request takes longer than `RECEIVE_S`, or sending its response
    longer than `SEND_S`.
    """

    receive_s, send_s = RECEIVE_S, SEND_S

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override] # as in uvicorn
        """A browser has connected."""
        super().connection_made(transport)
        self._since_s = self.loop.time()
        self._untaken_since_s: float | None = None
        self._look = self.loop.call_later(_LOOK_EVERY_S, self._end_if_slow)

    def connection_lost(self, exc: Exception | None) -> None:
        """The browser or this side has closed it."""
        self._look.cancel()
        super().connection_lost(exc)

    def on_response_complete(self) -> None:
        """A response was sent; the time for the next request starts."""
        self._since_s = self.loop.time()
        super().on_response_complete()

    def _end_if_slow(self, *_: Any) -> None:
        now_s = self.loop.time()
        is_late = self.conn.their_state in _STILL_RECEIVING and now_s - self._since_s > self.receive_s
        if not self.transport.get_write_buffer_size():
            self._untaken_since_s = None
        elif self._untaken_since_s is None:
            self._untaken_since_s = now_s
        # a connection closed on this side would also wait forever for its response to be read
        if is_late or (self._untaken_since_s is not None and now_s - self._untaken_since_s > self.send_s):
            self.transport.abort()
        else:
            self._look = self.loop.call_later(_LOOK_EVERY_S, self._end_if_slow)
