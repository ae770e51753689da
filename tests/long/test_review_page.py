"""The review page in a real browser: an operator's morning, by keyboard and eye, on a desk and on a telephone."""

import re
import shutil
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from selenium.webdriver import Chrome, ChromeOptions, ChromeService
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement

from pipeline.context import settings_of
from tests.support.compose import free_port
from tests.support.installation import ROOT, Installation
from tests.support.prepared_nights import NIGHT, PreparedNights
from web.accounts import add_account

DRIVER, CHROMIUM = shutil.which("chromedriver"), shutil.which("chromium")
pytestmark = [
    pytest.mark.long,
    pytest.mark.timeout(1200),
    pytest.mark.skipif(None in (DRIVER, CHROMIUM), reason="no Chromium: scripts/install_system_packages browser"),
]
PASSWORD = "correct horse battery"
PAIR = "198.18.10.0/24 > 203.0.113.0/24"
# Of normal and of large text (WCAG 2.2, success criterion 1.4.3).
LEAST_CONTRAST = 4.5
IMAGES = ROOT / "docs" / "images" / "web"
AXE = find_spec("axe_core_python")  # it brings axe-core's script; see docs/how-to/test.md
CONTRASTS = (Path(__file__).parent / "contrasts.js").read_text(encoding="utf-8")


@dataclass
class Page:
    """The running page and a browser that looks at it."""

    site: Installation
    address: str
    chrome: Chrome

    def open(self, path: str) -> None:
        self.chrome.get(self.address + path)

    def find(self, selector: str) -> WebElement:
        return self.chrome.find_element(By.CSS_SELECTOR, selector)

    @property
    def text(self) -> str:
        return self.find("main").text

    def log_in(self) -> None:
        self.open("/login")
        self.find("input[name=name]").send_keys("anna", Keys.TAB, PASSWORD, Keys.ENTER)
        assert "anna, operator" in self.find("header").text

    def show(self, width: int, scheme: str) -> None:
        """As a window of this width, in light or dark colours."""
        self.chrome.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride",
            {"width": width, "height": 844, "deviceScaleFactor": 1, "mobile": width < 500},
        )
        feature = {"name": "prefers-color-scheme", "value": scheme}
        self.chrome.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [feature]})


@pytest.fixture
def page(tmp_path: Path, prepared_nights: PreparedNights) -> Iterator[Page]:
    site = prepared_nights.site(tmp_path / "site")
    port = free_port()
    site.settings.write_text(f"{site.settings.read_text()}\n[web]\nport = {port}\n")
    add_account(settings_of(site.settings).web.accounts, "anna", "operator", PASSWORD)
    address = f"http://127.0.0.1:{port}"
    options = ChromeOptions()
    options.binary_location = CHROMIUM or ""
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--lang=en-GB"):
        options.add_argument(argument)
    with subprocess.Popen(site.command("web"), cwd=ROOT) as server:
        try:
            _wait_for(address)
            chrome = Chrome(options, ChromeService(DRIVER))
            try:
                yield Page(site, address, chrome)
            finally:
                chrome.quit()
        finally:
            server.terminate()


def _wait_for(address: str) -> None:
    for _ in range(120):
        try:
            with urllib.request.urlopen(f"{address}/health", timeout=5):  # noqa: S310 - an address of this test
                return
        except OSError:
            time.sleep(0.5)
    pytest.fail("the page did not come up within a minute")


def states(site: Installation) -> dict[str, tuple[str, str | None]]:
    return {each["router"]: (each["state"], each["decision_note"]) for each in site.json("changes", "--all")}


def test_an_operators_morning(page: Page) -> None:
    page.log_in()
    assert "3 changes wait for a decision" in page.text
    page.chrome.find_element(By.CSS_SELECTOR, f"a[href='/change/r1/{NIGHT}']").click()
    approval = "form[action$='/approve']"
    page.find(f"{approval} input[name=confirm]").send_keys("r1")
    page.find(f"{approval} input[name=note]").send_keys("ticket 42", Keys.ENTER)
    assert "approved by anna (web:anna)" in page.text
    page.open(f"/change/r2/{NIGHT}")
    rejection = "form[action$='/reject']"
    page.find(f"{rejection} input[name=note]").send_keys("too early")
    page.find(f"{rejection} button").click()
    assert "rejected by anna (web:anna)" in page.text
    assert states(page.site)["r1"] == ("approved", "ticket 42")
    assert states(page.site)["r2"] == ("rejected", "too early")
    # r3 is proposed anew, with another candidate, while it is looked at
    page.open(f"/change/r3/{NIGHT}")
    page.site.run("pin", "add", "198.18.99.0/24>203.0.113.0/24", "--router", "r3", "--owner", "bert", "--reason",
                  "weekly", "--from-day", NIGHT)  # fmt: skip
    page.site.run("propose", "--day", NIGHT, "--router", "r3")
    page.find(f"{rejection} button").click()
    assert "its candidate is" in page.find("[role=alert]").text
    assert states(page.site)["r3"][0] == "pending"


def test_an_exclusion_and_a_pairs_history(page: Page) -> None:
    page.log_in()
    page.open("/pair")
    page.find("input[name=q]").send_keys("198.18.10.5", Keys.ENTER)
    assert "203.0.113.0/24" in page.text
    if "pairs are meant" in page.text:
        page.chrome.find_element(By.PARTIAL_LINK_TEXT, PAIR).click()
    assert PAIR in page.find("h2").text
    assert page.find("svg.strip").get_attribute("aria-label")
    page.chrome.find_element(By.LINK_TEXT, "exclude the destination").click()
    page.find("input[name=reason]").send_keys("maintenance")
    page.chrome.execute_script("document.querySelector('input[name=until]').value = '2026-12-31'")
    page.find("form[method=get] button").click()
    assert "What it would do" in page.text
    assert page.site.json("exclude", "list") == []
    page.find("form[method=post][action='/exclude'] button").click()
    assert "maintenance" in page.text
    assert page.site.json("exclude", "list")[0]["owner"] == "anna"


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_every_page_is_readable(page: Page, width: int, scheme: str, request: pytest.FixtureRequest) -> None:
    page.log_in()
    page.show(width, scheme)
    views = {
        "morning": "/", "change": f"/change/r1/{NIGHT}", "pair": f"/pair?router=r1&q={PAIR}", "router": "/router/r1",
        "log": "/log", "exclude": f"/exclude?router=*&what=203.0.113.0/25&reason=test&from={NIGHT}&until=2026-12-31",
    }  # fmt: skip
    for name, path in views.items():
        page.open(path)
        wide = page.chrome.execute_script("return document.documentElement.scrollWidth")
        assert wide <= width, f"{name} is {wide} pixels wide"
        low = [each for each in page.chrome.execute_script(CONTRASTS) if each["ratio"] < LEAST_CONTRAST]
        assert low == [], name
        unlabelled = page.chrome.execute_script(
            "return [...document.querySelectorAll('input:not([type=hidden]), select')]"
            ".filter(e => !e.labels.length && !e.getAttribute('aria-label')).map(e => e.outerHTML)"
        )
        assert unlabelled == [], name
        assert page.chrome.execute_script("return document.querySelectorAll('h1').length") == 1
        assert page.chrome.execute_script("return document.querySelectorAll('thead th:not([scope])').length") == 0
        assert violations_in(page) == [], name
        if (name, width, scheme) in SHOWN and request.config.getoption("--golden-update"):
            with Image.open(BytesIO(page.chrome.get_screenshot_as_png())) as picture:
                picture.convert("RGB").quantize(64).save(IMAGES / f"{name}-{width}-{scheme}.png", optimize=True)


def violations_in(page: Page) -> list[str]:
    """What axe-core has to say of the page with all that is folded opened; nothing where it is not installed."""
    if AXE is None or AXE.origin is None:
        return []
    page.chrome.execute_script("document.querySelectorAll('details').forEach(each => each.open = true)")
    page.chrome.execute_script((Path(AXE.origin).parent / "axe.min.js").read_text(encoding="utf-8"))
    found = page.chrome.execute_async_script("axe.run(document).then(arguments[arguments.length - 1])")
    assert len(found["passes"]) > 20, "it has looked at the page"
    page.chrome.execute_script("document.querySelectorAll('details').forEach(each => each.open = false)")
    return [f"{each['id']}: {node['html']}" for each in found["violations"] for node in each["nodes"]]


def test_the_gates_figures_are_drawn(page: Page) -> None:
    page.log_in()
    page.open(f"/change/r1/{NIGHT}")
    page.chrome.execute_script("document.querySelectorAll('details').forEach(each => each.open = true)")
    images = page.chrome.find_elements(By.CSS_SELECTOR, "figure img")
    assert len(images) == 2
    for image in images:
        page.chrome.execute_script("arguments[0].scrollIntoView()", image)
        for _ in range(50):
            width = page.chrome.execute_script("return arguments[0].complete ? arguments[0].naturalWidth : 0", image)
            if width:
                break
            time.sleep(0.1)
        assert width == 864  # 9 inches of 96 pixels
        with Image.open(BytesIO(image.screenshot_as_png)) as picture:
            red, green, blue = np.asarray(picture.convert("RGB"), dtype=int).transpose(2, 0, 1)
        plan = int(((blue > red + 60) & (blue > green + 20)).sum())
        assert plan > 20, "the plan's line is blue: the figure's own styles hold"


# The pictures of docs/how-to/review-page.md, taken with --golden-update.
SHOWN = {("morning", 1280, "light"), ("change", 1280, "light"), ("change", 390, "dark"), ("pair", 1280, "dark"),
         ("morning", 390, "light"), ("exclude", 1280, "light")}  # fmt: skip


def test_it_can_be_used_by_keyboard(page: Page) -> None:
    page.log_in()
    page.open(f"/change/r1/{NIGHT}")
    seen = []
    for _ in range(60):
        page.chrome.switch_to.active_element.send_keys(Keys.TAB)
        focused = page.chrome.switch_to.active_element
        outline = focused.value_of_css_property("outline-style")
        seen.append(focused.text or focused.get_attribute("name") or "")
        assert outline != "none", f"no visible focus at {focused.get_attribute('outerHTML')}"
        if focused.text == "Reject":
            break
    assert seen[0] == "To the content"
    assert {"Approve", "Reject"} <= set(seen)
    assert not re.search("<script", page.chrome.page_source)
