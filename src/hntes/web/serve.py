"""The server process of the review page."""

import gc
import socket
from pathlib import Path

import uvicorn

from hntes.settings.web import Web
from hntes.web.app import made
from hntes.web.connection import Connection
from hntes.web.headers import MOST_HEAD_BYTES
from hntes.web.site import Site

# Limit of parallel connections; further ones get status 503.
MOST_CONNECTIONS = 100


def serve(settings_path: Path | None, web: Web) -> None:
    """Serves requests at the address in the settings; returns when the process is terminated."""
    site = Site(settings_path, web)
    try:
        server = Server(site)
        _keep_loaded()
        server.run()
    finally:
        site.close()


class Server(uvicorn.Server):
    """The server of a page; it ends the streams of those who follow something, which would otherwise delay its stop."""

    def __init__(self, site: Site) -> None:
        super().__init__(server_config(site))
        self._site = site

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Stops the page."""
        await self._site.live.close()
        await super().shutdown(sockets)


def _keep_loaded() -> None:
    """Exempts loaded objects from garbage collection, which would take 60 ms during a request."""
    gc.collect()
    gc.freeze()


def server_config(site: Site) -> uvicorn.Config:
    """The server's configuration."""
    return uvicorn.Config(
        made(site),
        host=str(site.web.listen),
        port=site.web.port,
        access_log=False,
        log_level="warning",
        # uvicorn's alternative parser, if installed, does not limit headers
        http=Connection,
        h11_max_incomplete_event_size=MOST_HEAD_BYTES,
        # web/visitor.py determines the visitor, from trusted proxies only
        proxy_headers=False,
        server_header=False,
        ws="none",
        lifespan="off",
        limit_concurrency=MOST_CONNECTIONS,
        timeout_graceful_shutdown=10,
    )
