"""The person whom the provider's claims name, and the role that they give."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from hntes.sanitize import text_problem
from hntes.settings.oidc import EVERYBODY, Oidc
from hntes.web.oidc.errors import OidcError

MOST_NAME_CHARACTERS = 200


@dataclass(frozen=True)
class Person:
    """Who has logged in."""

    name: str
    role: Literal["viewer", "operator"]


def lacks_claims(chosen: Oidc, claims: Mapping[str, Any]) -> bool:
    """Whether a claim that decides is not there, so that the provider has to be asked for more."""
    return any(_claim(claims, name) is None for name in (chosen.name_claim, chosen.role_claim))


def person_of(chosen: Oidc, *claims: Mapping[str, Any]) -> Person:
    """The person of these claims, the first ones before the others.

    Raises:
        OidcError: the claims have no usable name, or give no role.
    """
    name = _first(claims, chosen.name_claim)
    if name is None:
        raise OidcError(f"the provider says no {chosen.name_claim} of you that counts")
    if not isinstance(name, str) or not name.strip() or len(name) > MOST_NAME_CHARACTERS or text_problem(name):
        raise OidcError(f"what the provider says as {chosen.name_claim} is not a name")
    given = _first(claims, chosen.role_claim)
    values = {given} if isinstance(given, str) else {each for each in _list(given) if isinstance(each, str)}
    if values & {*chosen.operators}:
        return Person(name.strip(), "operator")
    if EVERYBODY in chosen.viewers or values & {*chosen.viewers}:
        return Person(name.strip(), "viewer")
    raise OidcError(f"{name.strip()} has no role here: {chosen.role_claim} has no value of operators or viewers")


def _first(sources: Sequence[Mapping[str, Any]], name: str) -> object:
    return next((found for each in sources if (found := _claim(each, name)) is not None), None)


def _claim(claims: Mapping[str, Any], name: str) -> object:
    """A claim of this name, or along it; None without. Anybody may enter any address: an unverified one is none."""
    if name == "email" and claims.get("email_verified") is not True:
        return None
    if name in claims:
        return claims[name]
    found: object = claims
    for part in name.split("."):
        found = found.get(part) if isinstance(found, dict) else None
    return found


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []
