"""[web.oidc]: what would trust anybody, or say a secret, is refused."""

import pytest
from pydantic import ValidationError

from hntes.settings.oidc import Oidc
from hntes.settings.web import Web

GIVEN: dict[str, object] = {"issuer": "https://idp.example.net/realms/noc", "client_id": "hntes", "operators": ["noc"]}


@pytest.mark.parametrize(
    "given",
    [
        {"issuer": "http://idp.example.net"},
        {"issuer": "http://127.0.0.1.example.net"},
        {"issuer": "http://localhost@idp.example.net"},
        {"issuer": "https://user:password@idp.example.net"},
        {"issuer": "https://idp.example.net/#x"},
        {"issuer": "https://idp.example.net:x"},
        {"issuer": "https://idp.example.net\\@x"},
        {"issuer": "https://[idp"},
        {"issuer": "https://"},
        {"issuer": "file:///etc/passwd"},
        {"issuer": "idp.example.net"},
        {"client_id": ""},
        {"client_id": "a b"},
        {"client_secret": "in the clear"},
        {"scopes": ["profile"]},
        {"scopes": ["openid", "a b"]},
        {"name_claim": " "},
        {"role_claim": "a\nb"},
        {"operators": []},
        {"operators": ["*"]},
        {"operators": ["noc\n"]},
        {"title": ""},
    ],
)
def test_what_is_refused(given: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        Oidc.model_validate(GIVEN | given)


@pytest.mark.parametrize("issuer", ["https://idp.example.net", "http://localhost:9998/", "http://[::1]:5556/dex"])
def test_an_issuer_is_https_or_on_this_machine(issuer: str) -> None:
    assert Oidc.model_validate(GIVEN | {"issuer": issuer}).issuer == issuer


def test_without_the_section_there_is_no_provider() -> None:
    assert Web().oidc is None
    assert Web.model_validate({"oidc": GIVEN}).oidc == Oidc.model_validate(GIVEN)
