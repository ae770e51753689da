"""[web]: what would put passwords on a network in the clear, or believe anybody, is refused."""

import pytest
from pydantic import ValidationError

from hntes.settings.web import Web

EVERYWHERE = "0.0.0.0"  # noqa: S104 - what is to be refused


@pytest.mark.parametrize(
    "given",
    [
        {"listen": EVERYWHERE},
        {"origin": "http://hntes.example.net"},
        {"origin": "https://hntes.example.net/"},
        {"origin": "https://anna@hntes.example.net"},
        {"origin": "https://HNTES.example.net"},
        {"origin": "ftp://hntes.example.net"},
        {"origin": "https://"},
        {"trusted_proxies": ["192.0.2.1/24"]},
        {"trusted_proxies": ["anybody"]},
        {"user_header": "X-User\r\nX: y"},
        {"operators": ["anna\nbert"]},
        {"operators": [" "]},
        {"port": 0},
        {"session_hours": 0},
    ],
)
def test_what_is_refused(given: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        Web.model_validate(given)


@pytest.mark.parametrize("port", [":443", ":0443", ":"])
@pytest.mark.parametrize("host", ["hntes.example.net", "[2001:db8::443]"])
def test_the_default_port_is_left_out_as_browsers_do(host: str, port: str) -> None:
    with pytest.raises(ValidationError, match="leave out :443"):
        Web.model_validate({"origin": f"https://{host}{port}"})
    for origin in (f"https://{host}", f"https://{host}:8443"):
        assert Web.model_validate({"origin": origin}).origins == (origin,)


def test_on_this_machine_alone_it_has_several_names_and_no_https() -> None:
    web = Web(port=9000)
    assert web.origins == ("http://127.0.0.1:9000", "http://localhost:9000", "http://[::1]:9000")
    assert not web.is_secure


def test_behind_a_proxy_there_is_one_origin() -> None:
    web = Web.model_validate({"listen": EVERYWHERE, "origin": "https://hntes.example.net"})
    assert web.origins == ("https://hntes.example.net",)
    assert web.is_secure


def test_whom_it_trusts() -> None:
    web = Web.model_validate({"trusted_proxies": ["192.0.2.1", "2001:db8::/64"]})
    assert web.trusts("192.0.2.1")
    assert web.trusts("2001:db8::5")
    assert not web.trusts("192.0.2.2")
    assert not web.trusts("")
    assert not Web().trusts("127.0.0.1")
