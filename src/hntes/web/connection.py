"""A browser's connection: requests have to arrive and answers to be taken in time, so that slow ones hold no places."""

import asyncio
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

# From the connection, or the answer before, to the last byte of the request. A form of the greatest length takes as
# long at 10 kB/s; a browser that only keeps a connection is let go after 5 s.
RECEIVE_S = 30.0
# From when some of an answer waits here to when none does. What the kernel's buffers hold is not counted: a text of a
# megabyte is taken in time at 20 kB/s.
SEND_S = 60.0
_LOOK_EVERY_S = 2.0
_STILL_RECEIVING = (h11.IDLE, h11.SEND_BODY)


class Connection(H11Protocol):
    """HTTP/1.1 by uvicorn, and an end to connections on which a request takes longer than `RECEIVE_S`, or its answer
    is not taken within `SEND_S`.
    """

    receive_s, send_s = RECEIVE_S, SEND_S

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override] # as in uvicorn
        """A browser has connected."""
        super().connection_made(transport)
        self._since_s = self.loop.time()
        self._untaken_since_s: float | None = None
        self._look = self.loop.call_later(_LOOK_EVERY_S, self._end_if_slow)

    def connection_lost(self, exc: Exception | None) -> None:
        """The browser, or this side, has ended it."""
        self._look.cancel()
        super().connection_lost(exc)

    def on_response_complete(self) -> None:
        """An answer is sent; the time for the next request begins."""
        self._since_s = self.loop.time()
        super().on_response_complete()

    def _end_if_slow(self, *_: Any) -> None:
        now_s = self.loop.time()
        is_late = self.conn.their_state in _STILL_RECEIVING and now_s - self._since_s > self.receive_s
        if not self.transport.get_write_buffer_size():
            self._untaken_since_s = None
        elif self._untaken_since_s is None:
            self._untaken_since_s = now_s
        # a connection that is closed on this side, too, waits for its answer to be taken, for ever
        if is_late or (self._untaken_since_s is not None and now_s - self._untaken_since_s > self.send_s):
            self.transport.abort()
        else:
            self._look = self.loop.call_later(_LOOK_EVERY_S, self._end_if_slow)
