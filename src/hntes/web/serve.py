"""Running the review page until it is told to end."""

import gc
from pathlib import Path

import uvicorn

from hntes.settings.web import Web
from hntes.web.app import made
from hntes.web.connection import Connection
from hntes.web.headers import MOST_HEAD_BYTES
from hntes.web.site import Site

# More people than decide on changes anywhere; the rest are told to come again.
MOST_CONNECTIONS = 100


def serve(settings_path: Path | None, web: Web) -> None:
    """Answers requests at the address of the settings; returns when the process is told to end."""
    site = Site(settings_path, web)
    try:
        server = uvicorn.Server(server_config(site))
        _keep_loaded()
        server.run()
    finally:
        site.databases.close()


def _keep_loaded() -> None:
    """What is loaded stays: garbage collection would go through it again, 60 ms in the midst of somebody's request."""
    gc.collect()
    gc.freeze()


def server_config(site: Site) -> uvicorn.Config:
    """How the server runs."""
    return uvicorn.Config(
        made(site),
        host=str(site.web.listen),
        port=site.web.port,
        access_log=False,
        log_level="warning",
        # the other parser that uvicorn takes where it is installed sets no limit to headers
        http=Connection,
        h11_max_incomplete_event_size=MOST_HEAD_BYTES,
        # who asks is found out in web/visitor.py, from trusted proxies alone
        proxy_headers=False,
        server_header=False,
        ws="none",
        lifespan="off",
        limit_concurrency=MOST_CONNECTIONS,
        timeout_graceful_shutdown=10,
    )
