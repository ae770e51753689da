"""A browser's connection: a request has to arrive whole in time, so that slow senders cannot hold all places."""

import asyncio
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

# From the connection, or the answer before, to the last byte of the request. A form of the greatest length takes as
# long at 10 kB/s; a browser that only keeps a connection is let go after 5 s.
RECEIVE_S = 30.0
_LOOK_EVERY_S = 2.0
_STILL_RECEIVING = (h11.IDLE, h11.SEND_BODY)


class Connection(H11Protocol):
    """HTTP/1.1 by uvicorn, and an end to connections on which a request takes longer than `RECEIVE_S`."""

    receive_s = RECEIVE_S

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override] # as in uvicorn
        """A browser has connected."""
        super().connection_made(transport)
        self._since_s = self.loop.time()
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
        waited_s = self.loop.time() - self._since_s
        if self.conn.their_state in _STILL_RECEIVING and waited_s > self.receive_s:
            self.transport.abort()
        else:
            self._look = self.loop.call_later(_LOOK_EVERY_S, self._end_if_slow)
