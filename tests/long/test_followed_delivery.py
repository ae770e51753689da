"""A delivery to an emulated router is followed in a real browser: by events, and by reloads where scripts are off."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from selenium.webdriver.support.wait import WebDriverWait

from tests.support.chromium import CHROMIUM, DRIVER, LOAD_S, Page, chromium_at
from tests.support.delivery import Site, junos_site
from tests.support.devices.farm import Farm
from tests.support.prepared_nights import PreparedNights

pytestmark = [
    pytest.mark.long,
    pytest.mark.timeout(1800),
    pytest.mark.skipif(None in (DRIVER, CHROMIUM), reason="no Chromium: scripts/install_system_packages browser"),
]


@pytest.fixture
def approved(tmp_path: Path, prepared_nights: PreparedNights, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    monkeypatch.setenv("HNTES_ROUTER_PASSWORD", "secret")
    with Farm() as farm:
        site = junos_site(farm, prepared_nights.site(tmp_path / "site", router="r1"))
        site.approve()
        yield site


@pytest.fixture
def page(approved: Site) -> Iterator[Page]:
    with chromium_at(approved.installation, {"anna": "operator"}) as opened:
        opened.log_in()
        yield opened


def deliver(site: Site) -> None:
    site.installation.run("router", "deliver", "--router", "r1", "--commit")


def comes_to_say(page: Page, words: str) -> None:
    WebDriverWait(page.chrome, LOAD_S, ignored_exceptions=[Exception]).until(lambda _: words in page.text)


def test_the_page_changes_without_a_reload(approved: Site, page: Page) -> None:
    page.open("/deliveries")
    page.follow("Follow the progress")
    comes_to_say(page, "This page follows the progress.")
    assert "r1 approved, not delivered" in page.text.replace("\n", " ")
    page.chrome.execute_script("window.isBefore = true")
    deliver(approved)
    comes_to_say(page, "loaded")
    assert "approved, not delivered" not in page.text
    page.find("details > summary").click()
    assert page.find_all("details[open]") == []
    settings = approved.installation.settings
    settings.write_text(settings.read_text().replace("confirm_minutes = 5\n", "confirm_minutes = 7\n", 1))
    comes_to_say(page, "trials of 7 min")
    assert page.find_all("details[open]") == [], "what a reader has folded stays so"
    assert page.chrome.execute_script("return window.isBefore"), "the same document"
    told = page.chrome.get_log("browser")  # type: ignore[no-untyped-call]
    assert told == [], "nothing was refused by the policy"
    page.follow("Stop")
    assert page.find_all("[data-events]") == []


def test_without_scripts_the_page_is_loaded_again(approved: Site, page: Page) -> None:
    page.chrome.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    page.open("/deliveries?follow=1")
    assert "This page asks again every 5 seconds." in page.text
    assert "approved, not delivered" in page.text
    deliver(approved)
    comes_to_say(page, "loaded")
    assert "This page asks again every 5 seconds." in page.text
