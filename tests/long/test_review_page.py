"""The review page in a real browser: an operator's morning, by keyboard and eye, on a desk and on a telephone."""

import re
import shutil
import time
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from hntes.web.accounts import Role
from tests.support.chromium import CHROMIUM, DRIVER, MOST_TABS, PASSWORD, Page, chromium_at
from tests.support.installation import Installation, demo_installation
from tests.support.looks import WINDOWS, Looks
from tests.support.page_addresses import CHANGE, ERRORS, PAIR, VIEWS, keep_backtest
from tests.support.prepared_nights import NIGHT, PreparedNights

pytestmark = [
    pytest.mark.long,
    pytest.mark.timeout(1800),
    pytest.mark.skipif(None in (DRIVER, CHROMIUM), reason="no Chromium: scripts/install_system_packages browser"),
]
ACCOUNTS: dict[str, Role] = {"anna": "operator", "vera": "viewer"}
NEXT = "2026-11-21"
APPROVAL, REJECTION = "form[action$='/approve']", "form[action$='/reject']"


@pytest.fixture
def page(tmp_path: Path, prepared_nights: PreparedNights) -> Iterator[Page]:
    with chromium_at(prepared_nights.site(tmp_path / "site"), ACCOUNTS) as opened:
        yield opened


@pytest.fixture(scope="module")
def second_night(tmp_path_factory: pytest.TempPathFactory, prepared_nights: PreparedNights) -> Installation:
    """After the first night was approved, and the second brought a pinned pair to each router."""
    site = prepared_nights.site(tmp_path_factory.mktemp("second") / "site")
    for change in site.json("change", "list"):
        name = change["router"]
        site.run("change", "approve", "--router", name, "--day", NIGHT, "--hash", change["candidate_hash"])
        pin(site, name, "198.18.99.0/24>203.0.113.0/24")
        site.run("nightly", "--day", NEXT, "--router", name)
    return site


@pytest.fixture
def alike(tmp_path: Path, second_night: Installation) -> Iterator[Page]:
    """Three changes that wait, of routers that are alike."""
    site = demo_installation(tmp_path / "site")
    for source, target in ((second_night.lake, site.lake), (second_night.output, site.output)):
        shutil.copytree(source, target)
    shutil.copyfile(*(each.database_url.removeprefix("sqlite:///") for each in (second_night, site)))
    with chromium_at(site, ACCOUNTS) as opened:
        yield opened


@pytest.fixture
def keeps(request: pytest.FixtureRequest) -> bool:
    return bool(request.config.getoption("--golden-update"))


def pin(site: Installation, router: str, pair: str) -> None:
    site.pin(pair, NIGHT, router=router, owner="bert")


def states(site: Installation) -> dict[str, tuple[str, str | None]]:
    """State and note of each router's newest change."""
    listed = site.json("change", "list", "--all")
    return {each["router"]: (each["state"], each["decision_note"]) for each in sorted(listed, key=lambda e: e["day"])}


@pytest.mark.parametrize(("width", "scheme"), WINDOWS)
def test_an_operators_morning(page: Page, width: int, scheme: str, keeps: bool) -> None:
    look = Looks(page, width, scheme, keeps=keeps)
    page.log_in("anna", "not her password")
    assert "wrong name or password" in page.text
    look("login-refused")
    page.log_in()
    assert "anna, operator" in page.find("header").text
    assert "3 changes wait for a decision" in page.text
    look("waiting")
    page.press(f"a[href='{CHANGE}']")
    # a first configuration asks for a second look
    page.unfold("Approve")
    page.fill(f"{APPROVAL} input[name=confirm]", "r2")
    page.enter(f"{APPROVAL} input[name=note]", "ticket 42")
    assert "Type the router's name, r1" in page.find("[role=alert]").text
    look("confirmation")
    page.unfold("Approve")
    page.fill(f"{APPROVAL} input[name=confirm]", "r1")
    page.enter(f"{APPROVAL} input[name=note]", "ticket 42")
    assert "approved by anna (web:anna)" in page.text
    look("approved")
    page.open(f"/change/r2/{NIGHT}")
    page.unfold("Reject")
    page.fill(f"{REJECTION} input[name=note]", "too early")
    page.press(f"{REJECTION} button")
    assert "rejected by anna (web:anna)" in page.text
    assert states(page.site) == {
        "r1": ("approved", "ticket 42"),
        "r2": ("rejected", "too early"),
        "r3": ("pending", None),
    }
    # r3 is proposed anew, with another candidate, while it is looked at
    page.open(f"/change/r3/{NIGHT}")
    pin(page.site, "r3", "198.18.99.0/24>203.0.113.0/24")
    page.site.run("stage", "propose", "--day", NIGHT, "--router", "r3")
    page.unfold("Reject")
    page.fill(f"{REJECTION} input[name=note]", "too early")
    page.press(f"{REJECTION} button")
    assert "its candidate is" in page.find("[role=alert]").text
    look("refused")
    assert states(page.site)["r3"][0] == "pending"
    page.press("header form button")
    page.open("/")
    assert "/login?next=" in page.chrome.current_url


@pytest.mark.parametrize(("width", "scheme"), WINDOWS)
def test_three_alike_are_approved_together(alike: Page, width: int, scheme: str, keeps: bool) -> None:
    look = Looks(alike, width, scheme, keeps=keeps)
    alike.log_in()
    assert "3 changes wait for a decision" in alike.text
    assert len(alike.find_all("input[name=change]")) == 3
    look("morning")
    # one that changed meanwhile drops out by its name
    alike.find("input[aria-label^='Approve r3']").click()
    pin(alike.site, "r3", "198.18.98.0/24>203.0.113.0/24")
    alike.site.run("nightly", "--day", NEXT, "--router", "r3")
    alike.press("form[action='/approve'] button")
    assert re.search(rf"r3 {NEXT}: not taken\s.*its candidate is", alike.text)
    look("dropped")
    assert {state for state, _ in states(alike.site).values()} == {"pending"}
    alike.follow("Back to the dashboard")
    for box in alike.find_all("input[name=change]"):
        box.click()
    alike.fill("form[action='/approve'] input[name=note]", "the weekly copy")
    alike.press("form[action='/approve'] button")
    assert len(re.findall(r": taken\b", alike.text)) == 3
    look("taken")
    assert states(alike.site) == dict.fromkeys(("r1", "r2", "r3"), ("approved", "the weekly copy"))
    events = [each for each in alike.site.json("audit", "--kind", "decide") if each["day"] == NEXT]
    assert [each["identity"] for each in events] == ["web:anna"] * 3
    alike.open("/")
    assert "No pending changes." in alike.text
    look("quiet")


@pytest.mark.parametrize(("width", "scheme"), WINDOWS)
def test_an_exclusion_and_a_pairs_history(page: Page, width: int, scheme: str) -> None:
    look = Looks(page, width, scheme, keeps=False)
    page.log_in()
    page.open("/pair")
    page.enter("input[name=q]", "198.18.10.0/24")
    assert "matching pairs" in page.text
    page.follow(PAIR)
    assert PAIR in page.find("h2").text
    assert "seen on 2026-11-20: 2 alpha flows" in page.text
    assert page.find("svg.strip").get_attribute("aria-label")
    look("history")
    page.follow("exclude the destination")
    page.fill("input[name=reason]", "maintenance")
    page.fill("input[name=until]", "2099-12-31")
    page.press("form[method=get] button")
    assert "Preview" in page.text
    look("preview")
    assert page.site.json("override", "exclude", "list") == []
    page.press("form[method=post][action='/exclude'] button")
    assert "maintenance" in page.text
    assert page.site.json("override", "exclude", "list")[0]["owner"] == "anna"


@pytest.mark.parametrize(("width", "scheme"), WINDOWS)
def test_every_page_is_readable(page: Page, width: int, scheme: str, keeps: bool) -> None:
    look = Looks(page, width, scheme, keeps=keeps)
    keep_backtest(page.site)
    page.open("/login")
    look("login")
    for name in ACCOUNTS:
        page.log_in(name)
        for views in (*VIEWS.values(), ERRORS):
            for view, address in views.items():
                page.open(address)
                look(view if name == "anna" and view != "morning" else f"{view} of {name}")
        page.chrome.delete_all_cookies()


def test_the_gates_figures_are_drawn(page: Page) -> None:
    page.log_in()
    page.open(CHANGE)
    page.chrome.execute_script("document.querySelectorAll('details').forEach(each => each.open = true)")
    images = page.find_all("figure img")
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


def test_it_can_be_used_by_keyboard(page: Page) -> None:
    page.log_in()
    page.open(CHANGE)
    seen = []
    for _ in range(60):
        focused = page.press_tab()
        outline = focused.value_of_css_property("outline-style")
        seen.append(focused.text or focused.get_attribute("name") or "")
        assert outline != "none", f"no visible focus at {focused.get_attribute('outerHTML')}"
        if focused.text == "Reject":
            break
    assert seen[0] == "Skip to content"
    assert {"Approve", "Reject"} <= set(seen)
    assert not re.search("<script", page.chrome.page_source)
    assert page.chrome.find_elements(By.TAG_NAME, "script") == []


def test_the_keyboard_alone_does_the_morning(page: Page) -> None:
    """Login, overview, an approval, a rejection and a deferral, by Tab, Enter and text; nothing is clicked."""
    page.open("/login")
    page.tab_to("input[name=name]")
    page.type_keys("anna")
    page.tab_to("input[name=password]")
    page.send_by_key(PASSWORD, Keys.ENTER)
    page.tab_to(f"a[href='{CHANGE}']")
    page.send_by_key(Keys.ENTER)
    _unfold_by_key(page, "Approve")
    page.tab_to(f"{APPROVAL} input[name=confirm]")
    page.type_keys("r1")
    page.tab_to(f"{APPROVAL} input[name=note]")
    page.send_by_key("ticket 42", Keys.ENTER)
    assert "approved by anna (web:anna)" in page.text
    # what comes next is in reach of the keyboard
    page.tab_to(".next a[href^='/change/r']")
    page.send_by_key(Keys.ENTER)
    assert f"/change/r2/{NIGHT}" in page.chrome.current_url
    _unfold_by_key(page, "Reject")
    page.tab_to(f"{REJECTION} input[name=note]")
    page.send_by_key("too early", Keys.ENTER)
    assert "rejected by anna (web:anna)" in page.text
    page.tab_to(f".next a[href='/change/r3/{NIGHT}']")
    page.send_by_key(Keys.ENTER)
    _unfold_by_key(page, "Defer")
    page.tab_to("form[action$='/hold'] input[name=until]")
    # the same whether the browser's language writes day or month first; its calendar is one more stop of the field
    page.type_keys("12122098", Keys.TAB)
    page.tab_to("form[action$='/hold'] input[name=note]")
    page.send_by_key("after the conference", Keys.ENTER)
    assert "held until 2098-12-12" in page.text
    assert states(page.site) == {
        "r1": ("approved", "ticket 42"),
        "r2": ("rejected", "too early"),
        "r3": ("pending", None),
    }


def _unfold_by_key(page: Page, words: str) -> None:
    """Opens the part of the decision whose summary has these words."""
    for _ in range(MOST_TABS):
        if page.tab_to("summary.button").text == words:
            page.type_keys(Keys.ENTER)
            return
    pytest.fail(f"{words} was not reached by keyboard")
