"""A real Chromium that looks at a running review page."""

import shutil
import subprocess
import time
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from selenium.webdriver import Chrome, ChromeOptions, ChromeService
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.wait import WebDriverWait

from hntes.web.accounts import Role, add_account
from hntes.workflow.context import settings_of
from tests.support.compose import free_port
from tests.support.installation import ROOT, Installation

DRIVER, CHROMIUM = shutil.which("chromedriver"), shutil.which("chromium")
PASSWORD = "correct horse battery"
ARGUMENTS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--lang=en-GB",
    "--hide-scrollbars",
)
# Of a loaded machine.
LOAD_S = 120.0
COLOURS, AREA_COLOURS, TALLEST = 128, 64, 1400
HEIGHT, PHONE_HEIGHT = 900, 844
MOST_TABS = 80


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

    def find_all(self, selector: str) -> list[WebElement]:
        return self.chrome.find_elements(By.CSS_SELECTOR, selector)

    @property
    def text(self) -> str:
        return self.find("main").text

    def press(self, selector: str) -> None:
        """Presses a button or follows a link, and waits for the page behind it."""
        with self._another_page():
            self.find(selector).click()

    def follow(self, words: str) -> None:
        """Follows the link that has these words in its text."""
        with self._another_page():
            self.chrome.find_element(By.PARTIAL_LINK_TEXT, words).click()

    def unfold(self, words: str) -> None:
        """Opens the folded part whose summary is these words."""
        for each in self.find_all("details:not([open]) > summary"):
            if each.text == words:
                each.click()

    def press_tab(self) -> WebElement:
        """What has the focus after a press of the tab key, which a busy machine moves only after it was sent."""
        before = self.chrome.switch_to.active_element
        before.send_keys(Keys.TAB)
        WebDriverWait(self.chrome, 10).until(lambda chrome: chrome.switch_to.active_element != before)
        return self.chrome.switch_to.active_element

    def tab_to(self, wanted: str) -> WebElement:
        """Presses the tab key until the focus is on what the selector finds; fails without a visible focus."""
        for _ in range(MOST_TABS):
            focused = self.press_tab()
            assert focused.value_of_css_property("outline-style") != "none", focused.get_attribute("outerHTML")
            if self.chrome.execute_script("return arguments[0].matches(arguments[1])", focused, wanted):
                return focused
        pytest.fail(f"{wanted} was not reached by {MOST_TABS} presses of the tab key")

    def type_keys(self, *keys: str) -> None:
        """Types into what has the focus; the page stays."""
        self.chrome.switch_to.active_element.send_keys(*keys)

    def send_by_key(self, *keys: str) -> None:
        """The same, the last key leading to another page."""
        with self._another_page():
            self.type_keys(*keys)

    def enter(self, selector: str, text: str) -> None:
        """Types a text into a field and sends its form by the Enter key."""
        with self._another_page():
            self.find(selector).send_keys(text, Keys.ENTER)

    def fill(self, selector: str, text: str) -> None:
        """Gives a field a text; a day as YYYY-MM-DD, whatever the browser's own way to write it."""
        field = self.find(selector)
        if field.get_attribute("type") == "date":
            self.chrome.execute_script("arguments[0].value = arguments[1]", field, text)
        else:
            field.clear()
            field.send_keys(text)

    def log_in(self, name: str = "anna", password: str = PASSWORD) -> None:
        self.open("/login")
        self.fill("input[name=name]", name)
        self.enter("input[name=password]", password)

    def show(self, width: int, scheme: str) -> None:
        """As a window of this width, in light or dark colours."""
        self._size(width, HEIGHT if width > 500 else PHONE_HEIGHT)
        feature = {"name": "prefers-color-scheme", "value": scheme}
        self.chrome.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [feature]})

    def picture(self, path: Path, width: int) -> None:
        """Saves the view as it is, to its end or as far as a reader looks at a picture, in few colours."""
        height = self.chrome.execute_script("return document.documentElement.scrollHeight")
        self._size(width, min(height, TALLEST))
        with Image.open(BytesIO(self.chrome.get_screenshot_as_png())) as seen:
            _in_few_colours(seen.convert("RGB")).save(path, optimize=True)
        self._size(width, HEIGHT if width > 500 else PHONE_HEIGHT)

    def _size(self, width: int, height: int) -> None:
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500}
        self.chrome.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)

    @contextmanager
    def _another_page(self) -> Iterator[None]:
        """Waits until the document that is there now was replaced and is loaded."""
        self.chrome.execute_script("window.isBefore = true")
        yield
        ready = "return document.readyState === 'complete' && !window.isBefore"
        WebDriverWait(self.chrome, LOAD_S).until(lambda chrome: chrome.execute_script(ready))


@contextmanager
def chromium_at(site: Installation, accounts: Mapping[str, Role]) -> Iterator[Page]:
    """The review page of an installation, and a browser before it. accounts: the role of each name."""
    port = free_port()
    site.settings.write_text(f"{site.settings.read_text()}\n[web]\nport = {port}\n")
    for name, role in accounts.items():
        add_account(settings_of(site.settings).web.accounts, name, role, PASSWORD)
    address = f"http://127.0.0.1:{port}"
    with subprocess.Popen(site.command("web"), cwd=ROOT) as server:
        try:
            _wait_for(address)
            with started_chromium() as chrome:
                yield Page(site, address, chrome)
        finally:
            server.terminate()


@contextmanager
def started_chromium() -> Iterator[Chrome]:
    """A browser without a window."""
    options = ChromeOptions()
    options.binary_location = CHROMIUM or ""
    for argument in ARGUMENTS:
        options.add_argument(argument)
    chrome = Chrome(options, ChromeService(DRIVER))
    try:
        yield chrome
    finally:
        chrome.quit()


def _in_few_colours(seen: Image.Image) -> Image.Image:
    """With its areas in their own colours, however small, such as a legend's; letters have the shades that are left."""
    codes = np.asarray(seen, dtype=np.int32) @ np.array([1 << 16, 1 << 8, 1], dtype=np.int32)
    known, place = np.unique(codes, return_inverse=True)
    inner = codes[1:, 1:]
    is_inside = (inner == codes[:-1, 1:]) & (inner == codes[1:, :-1])
    count = np.bincount(np.searchsorted(known, inner[is_inside]), minlength=len(known))
    all_colours = np.stack([known >> 16, known >> 8 & 255, known & 255], axis=1)
    by_area = np.argsort(-count)
    kept, others = all_colours[by_area[:AREA_COLOURS]], all_colours[by_area[AREA_COLOURS:]]
    if len(others):
        shades = Image.fromarray(others[None].astype(np.uint8)).quantize(COLOURS - AREA_COLOURS)
        kept = np.concatenate([kept, np.reshape(shades.getpalette() or [], (-1, 3))])
    nearest = ((all_colours[:, None] - kept[None]) ** 2).sum(axis=2).argmin(axis=1).astype(np.uint8)
    made = Image.fromarray(nearest[place].reshape(codes.shape))
    made.putpalette(kept.astype(np.uint8).tobytes())
    return made


def _wait_for(address: str) -> None:
    for _ in range(240):
        try:
            with urllib.request.urlopen(f"{address}/health", timeout=5):  # noqa: S310 - an address of this test
                return
        except OSError:
            time.sleep(0.5)
    pytest.fail("the page did not come up within two minutes")
