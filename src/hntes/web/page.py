"""Pages from templates: all values are escaped for HTML, and control characters are made visible."""

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape
from starlette.responses import HTMLResponse, Response

from hntes.format import gbps, gigabytes, minute
from hntes.sanitize import shown_lines
from hntes.sql.entries import outcome_words
from hntes.version import program_version
from hntes.web.format import short_hashes
from hntes.web.site import Site
from hntes.web.visitor import Visitor

# Of the menu: address and name. A view that stands for one of them names its address.
PAGES = (
    ("/", "Dashboard"), ("/routers", "Routers"), ("/pair", "Pairs"), ("/explore", "Explore"),
    ("/backtests", "Back-tests"),
    ("/deliveries", "Deliveries"), ("/reservations", "Reservations"), ("/log", "Log"),
)  # fmt: skip
_HERE = {
    "dashboard.html.j2": "/", "routers.html.j2": "/routers", "router.html.j2": "/routers", "pair.html.j2": "/pair",
    "explore.html.j2": "/explore", "backtests.html.j2": "/backtests", "backtest.html.j2": "/backtests",
    "deliveries.html.j2": "/deliveries", "reservations.html.j2": "/reservations",
    "log.html.j2": "/log",
}  # fmt: skip
_DATE = re.compile(r"\b[0-9]{4}-[0-9]{2}-[0-9]{2}\b")
_STATIC = Path(__file__).resolve().parent / "static"
STYLE, ICON, LIVE = _STATIC / "review.css", _STATIC / "icon.svg", _STATIC / "live.js"


def page(
    template: str, site: Site, visitor: Visitor, values: Mapping[str, object], *, status: int = 200
) -> HTMLResponse:
    """A page of this template, with the forms that the visitor may send."""
    common = {
        "visitor": visitor,
        "csrf": site.tokens.token(visitor.secret, visitor.name) if visitor.secret else "",
        "here": _HERE.get(template, ""),
        "pages": PAGES,
        "version": program_version(),
    }
    return HTMLResponse(_environment().get_template(template).render({**common, **values}), status)


def part(template: str, values: Mapping[str, object]) -> str:
    """A part of a page that is the same for everybody."""
    return _environment().get_template(template).render(values)


def set_session(response: Response, site: Site, secret: str) -> None:
    """Gives the browser a session's secret, until it is closed."""
    set_cookie(response, site, site.session_cookie, secret)


def set_cookie(response: Response, site: Site, name: str, value: str) -> None:
    """A cookie that scripts cannot read and that browsers send from this site's own pages only."""
    response.set_cookie(name, value, path="/", httponly=True, samesite="strict", secure=site.web.is_secure)


def drop_cookie(response: Response, site: Site, name: str) -> None:
    """Deletes a cookie."""
    response.delete_cookie(name, path="/", httponly=True, samesite="strict", secure=site.web.is_secure)


@cache
def _environment() -> Environment:
    made = Environment(
        loader=PackageLoader("hntes", "templates/web"), autoescape=True, undefined=StrictUndefined, finalize=_harmless,
        trim_blocks=True, lstrip_blocks=True,
    )  # fmt: skip
    made.filters |= {
        "gb": gigabytes, "gbps": gbps, "minute": minute, "outcome": outcome_words, "short_hashes": short_hashes,
        "whole_dates": whole_dates,
    }  # fmt: skip
    return made


def whole_dates(text: str) -> Markup:
    """A text for HTML in which no line ends within a date."""
    # of a Markup the parts would be escaped once more
    return Markup(_DATE.sub(r'<span class="nowrap">\g<0></span>', str(escape(shown_lines(text)))))  # noqa: S704


def _harmless(value: object) -> object:
    """Escapes marks of writing direction and similar; None is empty."""
    if value is None:
        return ""
    return shown_lines(value) if isinstance(value, str) and not isinstance(value, Markup) else value
