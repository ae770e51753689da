"""What a login by OpenID Connect fails on."""

from hntes.errors import HntesError


class OidcError(HntesError):
    """The login was refused; the sentence says why, and holds nothing secret."""


class ProviderAwayError(OidcError):
    """The provider does not answer, or not as one: others may log in in other ways."""
