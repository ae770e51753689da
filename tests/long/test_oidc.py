"""Login at a provider that others wrote, in a real browser, from one site to another and back."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from selenium.webdriver.common.by import By
from selenium.webdriver.support.wait import WebDriverWait

from hntes.web.oidc.secret import SECRET_VARIABLE
from tests.support import real_provider as provider
from tests.support.chromium import CHROMIUM, DRIVER, LOAD_S, Page, chromium_at
from tests.support.compose import free_port
from tests.support.installation import installation_in

pytestmark = [
    pytest.mark.long,
    pytest.mark.timeout(900),
    pytest.mark.skipif(None in (DRIVER, CHROMIUM), reason="no Chromium: scripts/install_system_packages browser"),
    pytest.mark.skipif(bool(provider.missing()), reason=provider.missing()),
]
USERS = {"olga": "olga@example.net", "vito": "vito@example.net", "nora": "nora@example.net"}


@pytest.fixture
def port() -> int:
    return free_port()


@pytest.fixture
def page(tmp_path: Path, port: int, monkeypatch: pytest.MonkeyPatch) -> Iterator[Page]:
    monkeypatch.setenv(SECRET_VARIABLE, provider.SECRET)
    site = installation_in(tmp_path / "site")
    # this provider says name and address in its userinfo alone
    text = f"""
[web.oidc]
issuer = "{provider.issuer(port)}"
client_id = "{provider.CLIENT}"
title = "the staff login"
scopes = ["openid", "profile", "email"]
role_claim = "email"
operators = ["{USERS["olga"]}"]
viewers = ["{USERS["vito"]}"]
"""
    site.settings.write_text(site.settings.read_text() + text)
    with chromium_at(site, {"anna": "operator"}) as opened:
        yield opened


def log_in(page: Page, port: int, name: str, password: str = provider.PASSWORD) -> None:
    page.open("/log?kind=pin")
    page.chrome.delete_all_cookies()
    page.open("/log?kind=pin")
    page.follow("Log in with the staff login")
    assert page.chrome.current_url.startswith(f"http://localhost:{port}/login/")
    page.fill("input[name=username]", name)
    page.fill("input[name=password]", password)
    page.find("button[type=submit]").click()


def arrives(page: Page, path: str) -> None:
    WebDriverWait(page.chrome, LOAD_S).until(lambda chrome: chrome.current_url == page.address + path)


def who(page: Page) -> str:
    return page.chrome.find_element(By.CSS_SELECTOR, "header .who span").text


def test_people_log_in_at_the_provider(page: Page, port: int, tmp_path: Path) -> None:
    page.open("/login")
    assert "the staff login cannot be used at present: localhost does not answer" in page.text
    page.log_in("anna")
    assert who(page) == "anna, operator", "accounts of the page need no provider"
    with provider.real_provider(tmp_path, port, f"{page.address}/login/oidc/callback", USERS):
        WebDriverWait(page.chrome, LOAD_S, 1).until(lambda _: is_usable(page))
        for name, role in (("olga", "operator"), ("vito", "viewer")):
            log_in(page, port, name)
            arrives(page, "/log?kind=pin")
            assert who(page) == f"{name}, {role}"
            page.open("/pair")
            assert who(page) == f"{name}, {role}", "the session is the page's own"
        page.press("form[action='/logout'] button")
        assert "You are logged out here" in page.text
        assert page.find_all("a[href$='/end_session?client_id=web']")
        page.open("/log")
        assert "/login" in page.chrome.current_url
        log_in(page, port, "nora")
        WebDriverWait(page.chrome, LOAD_S).until(lambda _: "nora has no role here" in page.text)
        page.open("/log")
        assert "/login" in page.chrome.current_url


def is_usable(page: Page) -> bool:
    page.chrome.delete_all_cookies()
    page.open("/login")
    return "cannot be used" not in page.text
