"""The secret of this page as a client of the provider: from the environment, never from the settings."""

import os
from pathlib import Path

from hntes.web.oidc.errors import OidcError

SECRET_VARIABLE = "HNTES_OIDC_CLIENT_SECRET"  # noqa: S105 - the variable's name
SECRET_FILE_VARIABLE = "HNTES_OIDC_CLIENT_SECRET_FILE"  # noqa: S105 - the variable's name


def client_secret() -> str | None:
    """What the variable has, else the first line of the file that the other one names; None without either.

    Raises:
        OidcError: the file cannot be read, or its first line is empty.
    """
    if secret := os.environ.get(SECRET_VARIABLE):
        return secret
    name = os.environ.get(SECRET_FILE_VARIABLE)
    if not name:
        return None
    try:
        first, *_ = Path(name).read_text(encoding="utf-8").splitlines() or [""]
    except (OSError, ValueError):
        # a ValueError of decoding would repeat some of the file's bytes
        raise OidcError(f"{SECRET_FILE_VARIABLE} names {name!r}, which cannot be read as a text in UTF-8") from None
    if not first:
        raise OidcError(f"{SECRET_FILE_VARIABLE} names {name!r}, whose first line is empty; write the secret there")
    return first
