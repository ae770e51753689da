"""A browser without a window: asks the review page in this process, keeps cookies, and sends forms as they stand."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from unittest.mock import patch

from argon2 import PasswordHasher
from starlette.testclient import TestClient

from hntes.settings.web import Web
from hntes.web.accounts import add_account
from hntes.web.app import made
from hntes.web.site import Site
from hntes.workflow.context import settings_of

ORIGIN = "http://127.0.0.1:8440"
PASSWORD = "correct horse battery"


@dataclass
class Browser:
    """One person's browser. `headers` go with each request; a proxy would add them."""

    client: TestClient
    server: Site
    headers: dict[str, str] = field(default_factory=dict)

    def get(self, address: str, **headers: str) -> Any:
        return self.client.get(address, headers=self.headers | headers)

    def post(self, address: str, fields: Mapping[str, object], *, origin: str | None = ORIGIN, **headers: str) -> Any:
        sent = self.headers | ({} if origin is None else {"Origin": origin}) | headers
        return self.client.post(address, data=dict(fields), headers=sent)

    def log_in(self, name: str, password: str = PASSWORD) -> Any:
        return self.post("/login", {"csrf": self.token("/login"), "name": name, "password": password})

    def token(self, address: str) -> str:
        """The token of the forms at this address."""
        return token_in(self.get(address).text)

    def send(self, address: str, action: str, **changed: object) -> Any:
        """Sends the form of this action at this address with its hidden fields, and these over them."""
        (found,) = [form for form in forms_in(self.get(address).text) if (form.action, form.method) == (action, "post")]
        return self.post(action, {**found.fields, **changed})


@dataclass
class Form:
    """A form of a page: where it goes, and the fields that hold something."""

    action: str
    method: str
    fields: dict[str, str] = field(default_factory=dict)


class _Forms(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.forms: list[Form] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag == "form":
            self.forms.append(Form(given["action"], given["method"]))
        elif tag == "input" and self.forms and given.get("type") == "hidden":
            self.forms[-1].fields[given["name"]] = given.get("value", "")


def forms_in(page: str) -> list[Form]:
    """The forms of a page."""
    found = _Forms()
    found.feed(page)
    return found.forms


def token_in(page: str) -> str:
    """The first form's token."""
    found = re.search(r'name="csrf" value="(\w+)"', page)
    assert found, page
    return found[1]


def words_in(page: str) -> str:
    """A page's text without tags, blanks as one."""
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", page)).split())


def browser(settings: Path, *, peer: str = "127.0.0.1", server: Site | None = None, **headers: str) -> Browser:
    """A new browser; `peer` is the address from which it connects."""
    served = server or site(settings)
    client = TestClient(made(served), base_url=ORIGIN, follow_redirects=False, client=(peer, 40_000))
    return Browser(client, served, dict(headers))


SITES: list[Site] = []


def close_sites() -> None:
    """Ends the connections of all sites that were made here, as the end of the page does."""
    while SITES:
        SITES.pop().close()


def site(settings: Path, **changed: object) -> Site:
    """The page of an installation with this in its settings, and one account a role: anna decides, vera looks."""
    web = settings_of(settings).web.model_copy(update=changed)
    if not web.accounts.exists():
        # a hash names its own parameters: these cost a thousandth of the real ones
        with patch("hntes.web.accounts._HASHER", PasswordHasher(time_cost=1, memory_cost=64, parallelism=1)):
            add_account(web.accounts, "anna", "operator", PASSWORD)
            add_account(web.accounts, "vera", "viewer", PASSWORD)
    SITES.append(Site(settings, Web.model_validate(web.model_dump())))
    return SITES[-1]
