"""The ASGI application: its routes, its guards, and its error pages."""

import logging
from http import HTTPStatus
from urllib.parse import quote

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import FileResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Match

from hntes.sanitize import shown
from hntes.web import (
    backtests,
    change,
    change_difference,
    change_files,
    dashboard,
    decisions,
    deliveries,
    explore,
    log,
    login,
    overrides,
    pair,
    reservations,
    router,
    routers,
)
from hntes.web.api import openapi
from hntes.web.api.bodies import problems_of
from hntes.web.api.problem import API
from hntes.web.api.problem import problem as problem_answer
from hntes.web.api.resources import RESOURCES
from hntes.web.errors import LoginNeededError, RefusedError, WebError
from hntes.web.head import Head
from hntes.web.headers import UNASKED, Guard
from hntes.web.page import ICON, LIVE, STYLE, page
from hntes.web.site import Site, site_of
from hntes.web.visitor import Visitor
from hntes.workflow.errors import expected, is_missing, is_mistake, message

_LOG = logging.getLogger("hntes.web")
_UNKNOWN = "internal error; the server's log has the details"


def made(site: Site) -> Guard:
    """The review page as an ASGI application."""
    # no redirect to an address without trailing slash: behind a proxy it would lead to plain HTTP
    app = FastAPI(openapi_url=None, docs_url=None, redoc_url=None, redirect_slashes=False, title="HNTES")
    app.state.site = site
    of_changes = (change, change_difference, change_files, decisions)
    of_traffic = (dashboard, pair, router, routers, explore, backtests)
    pages = (*of_changes, *of_traffic, deliveries, log, overrides, login, reservations)
    for routes in (*(each.routes for each in pages), openapi.routes, *RESOURCES):
        app.include_router(routes)
    if site.oidc is not None:
        from hntes.web import oidc_login  # its library is installed where somebody uses it

        app.include_router(oidc_login.routes)
    app.add_api_route("/review.css", _style, methods=["GET"], response_class=FileResponse)
    app.add_api_route("/live.js", _live, methods=["GET"], response_class=FileResponse)
    app.add_api_route("/icon.svg", _icon, methods=["GET"], response_class=FileResponse)
    app.add_api_route(UNASKED, _health, methods=["GET"], response_class=PlainTextResponse)
    # all expected errors of HNTES, and those of the framework
    for kind in {*expected(), HTTPException, RequestValidationError}:
        app.add_exception_handler(kind, _explained)
    app.add_exception_handler(ClientDisconnect, _gone)
    app.add_exception_handler(Exception, _failed)
    # outermost, so that it also covers the framework's answer to a defect
    return Guard(Head(app), site.web)


def _style() -> Response:
    return FileResponse(STYLE, media_type="text/css")


def _live() -> Response:
    return FileResponse(LIVE, media_type="text/javascript")


def _icon() -> Response:
    return FileResponse(ICON, media_type="image/svg+xml")


def _health() -> Response:
    return PlainTextResponse("up\n")


def _explained(request: Request, problem: Exception) -> Response:
    """An error page with one sentence."""
    if isinstance(problem, LoginNeededError):
        wanted = request.url.path + (f"?{request.url.query}" if request.url.query else "")
        return RedirectResponse(f"/login?next={quote(wanted)}", 303)
    status, message = _status(problem), _message(problem)
    if request.url.path.startswith(API) and is_missing(problem):
        status = HTTPStatus.NOT_FOUND
    if status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        _LOG.warning("%s: %s", shown(request.url.path), message)
    return _answer(request, status, message, problem)


def _gone(_request: Request, _problem: Exception) -> Response:
    """The client disconnected; the response is discarded."""
    return Response(status_code=HTTPStatus.BAD_REQUEST)


def _failed(request: Request, _problem: Exception) -> Response:
    """A defect: its traceback goes to the log only."""
    return _answer(request, HTTPStatus.INTERNAL_SERVER_ERROR, _UNKNOWN)


def _status(problem: Exception) -> int:
    if isinstance(problem, RefusedError):
        return problem.status
    if isinstance(problem, HTTPException):
        return problem.status_code
    if isinstance(problem, RequestValidationError) or is_mistake(problem):
        return HTTPStatus.BAD_REQUEST
    return HTTPStatus.SERVICE_UNAVAILABLE


def _message(problem: Exception) -> str:
    if isinstance(problem, HTTPException):
        missing = problem.status_code == HTTPStatus.NOT_FOUND
        return "no such page" if missing else f"bad request: {problem.detail}"
    if isinstance(problem, RequestValidationError):
        return f"the URL or the form has an invalid field: {problems_of(problem.errors())}"
    if isinstance(problem, WebError):
        return f"the review page is not set up: {problem}"
    return message(problem)


def _answer(request: Request, status: int, message: str, cause: Exception | None = None) -> Response:
    """For people a page, for programs a problem; a method that is not allowed names those that are (RFC 9110)."""
    headers = {"Allow": _methods(request)} if status == HTTPStatus.METHOD_NOT_ALLOWED else {}
    if not request.url.path.startswith(API):
        answer = _page(request, status, message)
        answer.headers.update(headers)
        return answer
    if status == HTTPStatus.UNAUTHORIZED:
        headers["WWW-Authenticate"] = "Bearer"
    if not isinstance(cause, RefusedError):
        return problem_answer(status, message, headers=headers)
    return problem_answer(status, message, more=cause.members, headers={**headers, **cause.headers})


def _methods(request: Request) -> str:
    """The methods of an address: each has a route of its own, but HEAD, which is answered as GET."""
    routes = [each for each in request.app.routes if each.matches(request.scope)[0] is not Match.NONE]
    methods = {method for each in routes for method in getattr(each, "methods", None) or ()}
    return ", ".join(sorted(methods | ({"HEAD"} if "GET" in methods else set())))


def _page(request: Request, status: int, message: str) -> Response:
    values = {"message": message, "status": int(status), "phrase": HTTPStatus(status).phrase}
    return page("error.html.j2", site_of(request), Visitor(), values, status=status)
