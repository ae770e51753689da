"""The application: its addresses, what guards them, and what a person is told when something cannot be shown."""

import logging
from http import HTTPStatus
from urllib.parse import quote

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import FileResponse, PlainTextResponse, RedirectResponse, Response

from hntes.sanitize import shown
from hntes.web import (
    change,
    change_files,
    dashboard,
    decisions,
    log,
    login,
    overrides,
    pair,
    reservations,
    reservations_api,
    router,
)
from hntes.web.errors import LoginNeededError, RefusedError, WebError
from hntes.web.headers import UNASKED, Guard
from hntes.web.page import STYLE, page
from hntes.web.problem import API
from hntes.web.problem import problem as problem_answer
from hntes.web.site import Site, site_of
from hntes.web.visitor import Visitor
from hntes.workflow.errors import expected, is_missing, is_mistake, message

_LOG = logging.getLogger("hntes.web")
_UNKNOWN = "the page failed by a fault of the program; its log has the details"


def made(site: Site) -> Guard:
    """The review page as an ASGI application."""
    # no redirection to an address without its last slash: behind a proxy it would lead to plain HTTP
    app = FastAPI(openapi_url=None, docs_url=None, redoc_url=None, redirect_slashes=False, title="HNTES")
    app.state.site = site
    for part in (dashboard, change, change_files, decisions, pair, router, log, overrides, login, reservations):
        app.include_router(part.routes)
    app.include_router(reservations_api.routes)
    app.add_api_route("/review.css", _style, methods=["GET"], response_class=FileResponse)
    app.add_api_route(UNASKED, _health, methods=["GET"], response_class=PlainTextResponse)
    # all errors that a person can mend, of all rooms, and the framework's own
    for kind in {*expected(), HTTPException, RequestValidationError}:
        app.add_exception_handler(kind, _explained)
    app.add_exception_handler(ClientDisconnect, _gone)
    app.add_exception_handler(Exception, _failed)
    # around all of it, the framework's own answer to a defect included
    return Guard(app, site.web)


def _style() -> Response:
    return FileResponse(STYLE, media_type="text/css")


def _health() -> Response:
    return PlainTextResponse("up\n")


def _explained(request: Request, problem: Exception) -> Response:
    """A sentence in the place of the page."""
    if isinstance(problem, LoginNeededError):
        wanted = request.url.path + (f"?{request.url.query}" if request.url.query else "")
        return RedirectResponse(f"/login?next={quote(wanted)}", 303)
    status, told = _status(problem), _told(problem)
    if request.url.path.startswith(API) and is_missing(problem):
        status = HTTPStatus.NOT_FOUND
    if status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        _LOG.warning("%s: %s", shown(request.url.path), told)
    return _answer(request, status, told)


def _gone(_request: Request, _problem: Exception) -> Response:
    """Whoever asked has gone in the midst of it, which is no defect here: nobody reads this."""
    return Response(status_code=HTTPStatus.BAD_REQUEST)


def _failed(request: Request, _problem: Exception) -> Response:
    """A defect: its traceback goes to the log alone."""
    return _answer(request, HTTPStatus.INTERNAL_SERVER_ERROR, _UNKNOWN)


def _status(problem: Exception) -> int:
    if isinstance(problem, RefusedError):
        return problem.status
    if isinstance(problem, HTTPException):
        return problem.status_code
    if isinstance(problem, RequestValidationError) or is_mistake(problem):
        return HTTPStatus.BAD_REQUEST
    return HTTPStatus.SERVICE_UNAVAILABLE


def _told(problem: Exception) -> str:
    if isinstance(problem, HTTPException):
        missing = problem.status_code == HTTPStatus.NOT_FOUND
        return "there is no such page" if missing else f"this cannot be asked so: {problem.detail}"
    if isinstance(problem, RequestValidationError):
        return "the address or the form has a field that cannot be read"
    if isinstance(problem, WebError):
        return f"the review page is not set up: {problem}"
    return message(problem)


def _answer(request: Request, status: int, told: str) -> Response:
    """For people a page, for programs a problem."""
    if not request.url.path.startswith(API):
        return _page(request, status, told)
    is_unknown = status == HTTPStatus.UNAUTHORIZED
    return problem_answer(status, told, headers={"WWW-Authenticate": "Bearer"} if is_unknown else None)


def _page(request: Request, status: int, told: str) -> Response:
    values = {"told": told, "status": int(status), "phrase": HTTPStatus(status).phrase}
    return page("error.html.j2", site_of(request), Visitor(), values, status=status)
