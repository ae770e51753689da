"""Running the review page until it is told to end."""

from pathlib import Path

import uvicorn

from settings.web import Web
from web.app import made
from web.site import Site

# More people than decide on changes anywhere; the rest are told to come again.
MOST_CONNECTIONS = 100


def serve(settings_path: Path | None, web: Web) -> None:
    """Answers requests at the address of the settings; returns when the process is told to end."""
    site = Site(settings_path, web)
    config = uvicorn.Config(
        made(site),
        host=str(web.listen),
        port=web.port,
        access_log=False,
        log_level="warning",
        # who asks is found out in web/visitor.py, from trusted proxies alone
        proxy_headers=False,
        server_header=False,
        ws="none",
        lifespan="off",
        limit_concurrency=MOST_CONNECTIONS,
        timeout_graceful_shutdown=10,
    )
    try:
        uvicorn.Server(config).run()
    finally:
        site.databases.close()
