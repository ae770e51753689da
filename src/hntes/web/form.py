"""Forms of requests: size limit, parsing, and protection against forged requests."""

from dataclasses import dataclass
from urllib.parse import parse_qsl

from starlette.requests import Request

from hntes.web.body import media_type, read_body
from hntes.web.errors import RefusedError
from hntes.web.site import Site
from hntes.web.visitor import Visitor

MOST_BYTES = 262_144
MOST_FIELDS = 5000
CSRF_FIELD = "csrf"
_TYPE = "application/x-www-form-urlencoded"


@dataclass(frozen=True)
class Form:
    """The fields of a form, in their order; a name may occur several times."""

    fields: tuple[tuple[str, str], ...]

    def text(self, name: str) -> str:
        """The field's text, stripped; "" if it was not sent."""
        return next((value.strip() for key, value in self.fields if key == name), "")

    def texts(self, name: str) -> list[str]:
        """The texts of all fields of that name."""
        return [value for key, value in self.fields if key == name]


async def read_form(request: Request) -> Form:
    """The form in a request's body.

    Raises:
        RefusedError: the body is too long, or not a form.
    """
    if media_type(request) != _TYPE:
        raise RefusedError(415, "this URL accepts only a form of the review page")
    body = await read_body(
        request, MOST_BYTES, f"the form is longer than {MOST_BYTES} bytes; decide on fewer changes at once"
    )
    try:
        fields = parse_qsl(body.decode("ascii"), keep_blank_values=True, errors="strict", max_num_fields=MOST_FIELDS)
    except ValueError as cause:  # invalid ASCII, invalid UTF-8 in %XX, or too many fields
        raise RefusedError(400, "the form cannot be read; reload its page") from cause
    return Form(tuple(fields))


def require_own_form(request: Request, site: Site, form: Form, secret: str, name: str) -> None:
    """Refuses a form that was not issued to this session and person.

    Raises:
        RefusedError: another site sent it, or its token is missing, another session's or too old.
    """
    require_own_origin(request, site)
    if not site.tokens.fits(form.text(CSRF_FIELD), secret, name):
        raise RefusedError(
            403, "this form belongs to another session or is too old: reload its page, then send it again"
        )


def require_own_origin(request: Request, site: Site) -> None:
    """Refuses a request from another site, or without Origin (RFC 6454).

    Raises:
        RefusedError: the request is not from a page of this site.
    """
    if request.headers.getlist("origin") not in ([each] for each in site.web.origins):
        expected = " or ".join(site.web.origins)
        raise RefusedError(403, f"this form must come from a page of {expected}; check [web] origin in the settings")


def require_operator(visitor: Visitor) -> None:
    """Refuses visitors who may only read.

    Raises:
        RefusedError: the visitor is not an operator.
    """
    if not visitor.may_decide:
        raise RefusedError(403, f"{visitor.name or 'nobody'} may view but not decide; this needs the role operator")
