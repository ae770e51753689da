"""One request: its visitor, settings, database, and response."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import date

from starlette.requests import Request
from starlette.responses import HTMLResponse

from hntes.days import day_problem
from hntes.settings.model import Router
from hntes.web.errors import RefusedError
from hntes.web.form import Form, require_operator, require_own_form
from hntes.web.page import page, set_session
from hntes.web.sessions import new_secret
from hntes.web.site import Site, site_of
from hntes.web.visitor import Visitor, required_visitor, visitor_of
from hntes.workflow.context import Context, one_moment, opened


@dataclass(frozen=True)
class Visit:
    """A request whose sender may see the page. `has_new_secret`: the response sets `visitor.secret`."""

    site: Site
    visitor: Visitor
    context: Context
    has_new_secret: bool = False

    def page(self, template: str, values: Mapping[str, object], *, status: int = 200) -> HTMLResponse:
        """The response."""
        response = page(template, self.site, self.visitor, values, status=status)
        if self.has_new_secret:
            set_session(response, self.site, self.visitor.secret)
        return response

    def router(self, name: str) -> Router:
        """The router of that name.

        Raises:
            RefusedError: the settings have none.
        """
        try:
            return self.context.settings.router(name)
        except KeyError:
            raise RefusedError(404, f"there is no router {name!r} in the settings") from None


@contextmanager
def visiting(request: Request, *, is_watching: bool = False) -> Iterator[Visit]:
    """A request for a page; it opens settings and database of its own, like a command.

    `is_watching`: the browser may have sent it by itself, so it is no use of the session.

    Raises:
        LoginNeededError, RefusedError: the visitor may not see the page.
    """
    site = site_of(request)
    visitor = required_visitor(request, site, is_watching=is_watching)
    # The user of a proxy is logged in; the browser still needs a secret for bound forms.
    is_new = visitor.source == "proxy" and not visitor.secret
    if is_new:
        visitor = replace(visitor, secret=new_secret())
    with opened(site.settings_path, site.databases) as context, one_moment(context):
        yield Visit(site, visitor, context, is_new)


@contextmanager
def acting(request: Request, form: Form) -> Iterator[Visit]:
    """A request that changes something: by an operator, from a form of this session.

    Raises:
        RefusedError: it is not.
    """
    site = site_of(request)
    visitor = visitor_of(request, site)
    if not visitor.name:
        raise RefusedError(403, "not logged in: log in, and reload the page")
    require_own_form(request, site, form, visitor.secret, visitor.name)
    require_operator(visitor)
    with opened(site.settings_path, site.databases) as context:
        yield Visit(site, visitor, context)


def parsed_day(text: str, *, status: int = 404) -> date:
    """A day, YYYY-MM-DD.

    Raises:
        RefusedError: it is invalid or out of range.
    """
    try:
        day = date.fromisoformat(text)
    except ValueError:
        raise RefusedError(status, f"{text!r} is not a day; write YYYY-MM-DD") from None
    if text != day.isoformat():
        raise RefusedError(status, f"{text!r} is not a day; write YYYY-MM-DD")
    if problem := day_problem(day):
        raise RefusedError(status, problem)
    return day
