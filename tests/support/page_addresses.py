"""Every address of the review page, with examples; a test holds them against the application's own routes."""

from typing import Any
from urllib.parse import quote

from hntes.web.headers import Guard
from tests.support.api_program import operations
from tests.support.installation import Installation
from tests.support.prepared_nights import NIGHT

PAIR = "198.18.10.0/24 > 203.0.113.0/24"
CHANGE = f"/change/r1/{NIGHT}"
# A stored back-test; `keep_backtest` stores one of that name.
BACKTEST = "20261121T000000Z-0000"
_ASKED = f"reason=maintenance&from={NIGHT}&until=2099-12-31"

# Of each route of pages: names of views, and where they are. All but the login need one.
VIEWS = {
    "/": {"morning": "/"},
    "/routers": {"routers": "/routers", "no-router": "/routers?q=nothing"},
    "/change/{name}/{day}": {"change": CHANGE, "groups": f"{CHANGE}?show=all&by=owner"},
    "/change/{name}/{day}/difference": {
        "texts": f"{CHANGE}/difference",
        "texts of a pair": f"{CHANGE}/difference?q={quote(PAIR)}",
    },
    "/pair": {
        "search": "/pair",
        "pairs": "/pair?router=r1&q=203.0.113.0/24",
        "pair": f"/pair?router=r1&q={quote(PAIR)}",
        "no-pair": "/pair?router=r1&q=192.0.2.77",
    },
    "/router/{name}": {"router": "/router/r1"},
    "/explore": {
        "explore": "/explore",
        "explored": f"/explore?by=destination&since={NIGHT}&until={NIGHT}",
        "explored sites": f"/explore?router=r1&by=site&q=198.18.10.0/24&since={NIGHT}&until={NIGHT}",
    },
    "/backtests": {"backtests": "/backtests"},
    "/backtests/{name}": {"backtest": f"/backtests/{BACKTEST}", "no-backtest": "/backtests/none"},
    "/deliveries": {"deliveries": "/deliveries"},
    "/reservations": {"reservations": "/reservations"},
    "/log": {"log": "/log", "no-event": "/log?who=nobody"},
    "/exclude": {"exclusion": "/exclude", "exclude": f"/exclude?router=*&what=203.0.113.0/25&{_ASKED}"},
    "/pin": {
        "to-pin": "/pin?router=r1",
        "pin": f"/pin?router=r1&what={quote('198.18.99.0/24>203.0.113.0/24')}&{_ASKED}",
    },
}
# What is no page of its own: texts, a figure. They need a login, too.
TEXTS = {
    "/change/{name}/{day}/figure/{number}": f"{CHANGE}/figure/1",
    "/change/{name}/{day}/pairs.txt": f"{CHANGE}/pairs.txt",
    "/change/{name}/{day}/difference.txt": f"{CHANGE}/difference.txt",
    "/change/{name}/{day}/transition.txt": f"{CHANGE}/transition.txt",
    "/log.csv": "/log.csv",
}
# What goes on until the browser leaves; tests/integration/web/live has its tests.
STREAMS = {
    "/deliveries/events": "/deliveries/events",
    "/backtests/{name}/events": f"/backtests/{BACKTEST}/events",
}
# Texts at edges, of which the prepared nights have none; tests/integration/web/test_scheduled_page.py has some.
EDGE = f"/change/r1/from/{'0' * 16}/2026-11-24T12:00:00Z"
EDGES = {
    "/change/{name}/from/{base}/{moment}": EDGE,
    "/change/{name}/from/{base}/{moment}/difference": f"{EDGE}/difference",
    "/change/{name}/from/{base}/{moment}/figure/{number}": f"{EDGE}/figure/1",
    "/change/{name}/from/{base}/{moment}/difference.txt": f"{EDGE}/difference.txt",
}
# What programs ask for with a token, by method: what the OpenAPI document says, which tests of the API go through.
PROGRAMS = {
    method: {each.path for each in operations() if each.method == method} for method in ("GET", "POST", "DELETE")
}
# What everybody may ask for.
OPEN = {
    "/login": "/login",
    "/review.css": "/review.css",
    "/live.js": "/live.js",
    "/icon.svg": "/icon.svg",
    "/health": "/health",
    "/api/openapi.json": "/api/openapi.json",
}
# What is told instead of a page: what is not there, and what cannot be meant.
ERRORS = {"not-found": "/nothing", "no-change": "/change/r1/2000-01-01", "bad-request": "/log?kind=x"}
POSTS = {
    "/change/{name}/{day}/{verb}": tuple(
        f"{CHANGE}/{verb}" for verb in ("approve", "reject", "hold", "reopen", "acknowledge")
    ),
    "/approve": ("/approve",),
    "/change/{name}/from/{base}/{moment}/{verb}": tuple(f"{EDGE}/{verb}" for verb in ("approve", "reject")),
    "/exclude": ("/exclude",),
    "/pin": ("/pin",),
    "/backtests": ("/backtests",),
    "/login": ("/login",),
    "/logout": ("/logout",),
}


def keep_backtest(site: Installation, *by: str) -> None:
    """Stores a back-test of the first night with two variants under the name of the example."""
    site.run("backtest", "--from", NIGHT, "--to", NIGHT, "--prefix", "24", "--prefix", "32", "--keep", *by)
    (document,) = (site.output / ".backtests").glob("*.json")
    document.rename(document.with_stem(BACKTEST))


def private_addresses() -> list[str]:
    """An example of each thing that nobody may see without a name."""
    return [*(next(iter(views.values())) for views in VIEWS.values()), *TEXTS.values(), *EDGES.values()]


def routes(made: Guard, method: str) -> set[str]:
    """The paths that the application answers to this method, as it routes them."""
    app: Any = made
    while not hasattr(app, "routes"):
        app = app._app  # what is before the application
    return {each.path for each in app.routes if method in each.methods}
