"""A provider of OpenID Connect that others wrote, HNTES_OIDC_SERVER: the example server of the library zitadel/oidc."""

import json
import os
import shutil
import subprocess
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from tests.support.waiting import wait_until

CLIENT, SECRET, PASSWORD = "web", "secret", "not a secret of anyone"


def missing() -> str:
    """Why there is no provider; empty if there is one."""
    made = "go install github.com/zitadel/oidc/v3/example/server@v3.52.0"
    return "" if _program() else f"needs a provider: {made}, and its path in HNTES_OIDC_SERVER"


def _program() -> str | None:
    name = os.environ.get("HNTES_OIDC_SERVER")
    return shutil.which(name) if name else None


def issuer(port: int) -> str:
    """It names itself by another host than the page, with a slash at the end."""
    return f"http://localhost:{port}/"


@contextmanager
def real_provider(folder: Path, port: int, redirect_uri: str, users: Mapping[str, str]) -> Iterator[None]:
    """It runs at the port; users: the address of each name, verified. All have the same password."""
    program = _program()
    assert program, missing()
    known = {
        f"id-{name}": {"ID": f"id-{name}", "Username": name, "Password": PASSWORD, "FirstName": name, "LastName": "x",
                       "Email": email, "EmailVerified": True, "PreferredLanguage": "en"}
        for name, email in users.items()
    }  # fmt: skip
    (folder / "users.json").write_text(json.dumps(known))
    given = {"PORT": str(port), "REDIRECT_URI": redirect_uri, "USERS_FILE": str(folder / "users.json")}
    with (folder / "provider.log").open("ab") as log:
        process = subprocess.Popen([program], env={**os.environ, **given}, stdout=log, stderr=log)
    try:
        wait_until(lambda: _answers(port), "the provider answers", 120)
        yield
    finally:
        process.kill()
        process.wait()


def _answers(port: int) -> bool:
    try:
        with urllib.request.urlopen(f"{issuer(port)}.well-known/openid-configuration", timeout=5):  # noqa: S310 - an address of this test
            return True
    except OSError:
        return False
