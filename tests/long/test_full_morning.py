"""Mornings of forty routers in a browser: much to decide on, a change of 1,600 pairs with it; and nothing to do."""

import time
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from urllib.parse import quote

import pytest
from selenium.webdriver.common.keys import Keys

from hntes.web.accounts import Role
from tests.support.chromium import CHROMIUM, DRIVER, PASSWORD, Page, chromium_at
from tests.support.full_morning import (
    ALIKE,
    DAY,
    DEFERRED,
    FAILED,
    FIRST,
    QUIET,
    TICKABLE,
    WIDE,
    WIDE_PAIRS,
    copied,
    full_morning,
    quiet_morning,
)
from tests.support.full_state import destination_of, source_of
from tests.support.installation import Installation
from tests.support.looks import WINDOWS, Looks
from tests.support.readable import covered

pytestmark = [
    pytest.mark.long,
    pytest.mark.timeout(3600),
    pytest.mark.skipif(None in (DRIVER, CHROMIUM), reason="no Chromium: scripts/install_system_packages browser"),
]
ACCOUNTS: dict[str, Role] = {"anna": "operator"}
MOVING = 40
MOST_BYTES = 300_000
# What one decides by and with, on the first screen of a change.
VERDICT, BUTTONS = ".summary strong.good, .summary strong.bad", ".decision > details > summary"
# All that a view took from the server, its own headers included unless they came from the browser's cache.
TRANSFERRED = """
return ['navigation', 'resource'].flatMap(kind => performance.getEntriesByType(kind))
  .map(each => Math.max(each.transferSize, each.encodedBodySize)).reduce((sum, each) => sum + each, 0)
"""
ROWS = "[aria-label='Table of pairs'] tbody th a"
GROUPS = "[aria-label='Groups of pairs']"
FOCUSED = "return document.activeElement.id || document.activeElement.tagName"
UNTIL = str(DAY + timedelta(days=400))


@pytest.fixture(scope="module")
def full(tmp_path_factory: pytest.TempPathFactory) -> Installation:
    return full_morning(tmp_path_factory.mktemp("full") / "site")


@pytest.fixture
def page(tmp_path: Path, full: Installation) -> Iterator[Page]:
    with chromium_at(copied(full, tmp_path / "site"), ACCOUNTS) as opened:
        yield opened


@pytest.fixture(scope="module")
def quiet(tmp_path_factory: pytest.TempPathFactory, full: Installation) -> Iterator[Page]:
    with chromium_at(quiet_morning(full, tmp_path_factory.mktemp("quiet") / "site"), ACCOUNTS) as opened:
        opened.log_in()
        yield opened


@pytest.fixture
def keeps(request: pytest.FixtureRequest) -> bool:
    return bool(request.config.getoption("--golden-update"))


def change(router: str) -> str:
    return f"/change/{router}/{DAY}"


def states(site: Installation) -> dict[str, tuple[str, str | None]]:
    """State and note of each router's change of the day."""
    listed = site.json("change", "list", "--all")
    return {each["router"]: (each["state"], each["decision_note"]) for each in listed if each["day"] == str(DAY)}


def assert_light(page: Page, view: str) -> None:
    taken = page.chrome.execute_script(TRANSFERRED)
    assert 1000 < taken < MOST_BYTES, f"{view}: {taken} bytes"


@pytest.mark.parametrize(("width", "scheme"), WINDOWS)
def test_a_morning_with_much_to_decide_on(page: Page, width: int, scheme: str, keeps: bool) -> None:
    look = Looks(page, width, scheme, keeps=keeps)
    page.log_in()
    assert f"{3 + len(ALIKE)} changes wait for a decision" in page.find("h1").text
    assert "40 of 40 routers complete" in page.find(".chain").text
    assert len(page.find_all("figure.plot-of")) == 3
    look("overview")
    assert_light(page, "overview")
    _read_the_large_change(page, look)
    _decide_alone(page, look)
    _approve_together(page, look)
    decided = states(page.site)
    assert decided[WIDE] == ("approved", "as every week")
    assert decided[FIRST] == ("pending", None)
    assert {decided[name] for name in TICKABLE[1:]} == {("approved", "the usual ones")}
    assert decided[TICKABLE[0]] == ("pending", None)  # rejected, taken back, deferred


def _read_the_large_change(page: Page, look: Looks) -> None:
    page.press(f"a[href='{change(WIDE)}']")
    assert covered(page, VERDICT) == covered(page, BUTTONS) == []
    assert [each.text for each in page.find_all(BUTTONS)] == ["Approve", "Reject", "Defer"]
    look("large")
    assert_light(page, "large")
    choose(page, show="all")
    assert f"{WIDE_PAIRS + MOVING} pairs" in page.text
    assert covered(page, VERDICT) == covered(page, BUTTONS) == []
    assert_light(page, "all pairs")
    choose(page, show="all", sort="pair")
    # in the order of prefixes, of the pairs that the filter has or had
    known = [*range(WIDE_PAIRS), *range(WIDE_PAIRS + 100, WIDE_PAIRS + 100 + MOVING)]
    assert [each.text for each in page.find_all(ROWS)] == [prefixes(number) for number in known[:100]]
    page.follow("Next 100")
    assert [each.text for each in page.find_all(ROWS)] == [prefixes(number) for number in known[100:200]]
    choose(page, show="all", sort="pair", q="10.1.0.0/16")
    assert "256 pairs" in page.text
    assert page.find(ROWS).text == prefixes(256)
    choose(page, show="all", by="site", q="")
    rows = [row.text for row in page.find_all(f"{GROUPS} tbody tr")]
    # of 512 pairs from 10.0.0.0/15 those to the lower half of 172.16.0.0/12
    assert len(rows) == 4
    assert any("north > store" in row and "=256" in row for row in rows), rows
    look("sites")
    choose(page, show="added", by="owner")
    assert f"+{MOVING}" in page.find(GROUPS).text
    assert "30% of the rate" in page.find("figure.queues").text  # of the plan's alpha queue
    measures = page.find(".summary a[href='#gate']").text
    page.unfold(f"All {measures}")
    assert "throughput" in page.find("#gate ~ details table").text
    page.open(f"{change(WIDE)}/difference")
    look("large-texts")
    assert_light(page, "texts")


def _decide_alone(page: Page, look: Looks) -> None:
    page.open(change(WIDE))
    page.unfold("Approve")
    page.enter("form[action$='/approve'] input[name=note]", "as every week")
    assert "approved by anna (web:anna)" in page.text
    page.open(change(FIRST))
    assert covered(page, VERDICT) == covered(page, BUTTONS) == []
    assert [each.text for each in page.find_all(BUTTONS)] == ["Acknowledge", "Reject", "Defer"]
    assert "It can be approved once its new pairs are acknowledged." in page.find(".decision").text
    look("first", unfolded="Acknowledge")
    page.open(change(FAILED))
    assert covered(page, VERDICT) == covered(page, BUTTONS) == []
    assert page.find(VERDICT).text == "Not passed"
    assert [each.text for each in page.find_all(BUTTONS)] == ["Reject", "Defer"]
    look("failed")
    page.open(change(DEFERRED))
    assert "Deferred until" in page.find(".next").text
    look("deferred")
    again = change(TICKABLE[0])
    page.open(again)
    page.unfold("Reject")
    page.enter(f"form[action='{again}/reject'] input[name=note]", "not before the conference")
    assert "rejected by anna (web:anna)" in page.text
    look("rejected")
    page.unfold("Take it back")
    page.enter("form[action$='/reopen'] input[name=note]", "it was another router")
    page.unfold("Defer")
    page.fill("form[action$='/hold'] input[name=until]", UNTIL)
    page.enter("form[action$='/hold'] input[name=note]", "after the conference")
    assert f"Deferred until {UNTIL}" in page.text


def _approve_together(page: Page, look: Looks) -> None:
    page.open("/")
    page.follow(f"Tick all {len(TICKABLE) - 1}")
    assert [box.is_selected() for box in page.find_all("input[name=change]")] == [True] * (len(TICKABLE) - 1)
    page.fill("form[action='/approve'] input[name=note]", "the usual ones")
    page.press("form[action='/approve'] button")
    assert page.text.count(": taken") == len(TICKABLE) - 1
    look("together")


@pytest.mark.parametrize(("width", "scheme"), WINDOWS)
def test_the_other_views_of_forty_routers(page: Page, width: int, scheme: str, keeps: bool) -> None:
    look = Looks(page, width, scheme, keeps=keeps)
    page.log_in()
    pin = quote("10.6.250.0/24>172.16.1.0/24")
    views = {
        "list": ("/routers", "40 routers"),
        "traffic": (f"/router/{WIDE}", "Rules and what they queue"),
        "by-router": ("/explore", "By router"),
        "explore-sites": (f"/explore?router={WIDE}&by=site", "south > store"),
        "explore-as": (f"/explore?router={WIDE}&by=as", "AS64501 Institute of the South > AS64510 National Store"),
        "explore-pairs": (f"/explore?router={WIDE}&by=pair&q=10.6.0.0/16", "10.6.0.0/16 > 172.20.0.0/16"),
        "one-pair": (f"/pair?router={WIDE}&q={source_of(1720)}", "in the candidate, which is not in force yet"),
        "some-pairs": (f"/pair?router={WIDE}&q=10.6.160.0/20", "16 matching pairs"),
        "pin-preview": (f"/pin?router={WIDE}&what={pin}&reason=copies&from={DAY}&until=2099-12-31", "1 rule added"),
        "exclude-preview": (
            f"/exclude?router=*&what=172.16.0.0/16&reason=maintenance&from={DAY}&until=2099-12-31", "on 40 routers",
        ),
        "rounds": ("/deliveries", "approved, not delivered"),
        "events": ("/log", "after the maintenance of its core port"),
        "events-of-one": (f"/log?router={WIDE}&kind=decide", "usual"),
    }  # fmt: skip
    for view, (address, words) in views.items():
        page.open(address)
        assert words in page.text, view
        look(view)
        assert_light(page, view)
    page.open("/backtests")
    page.unfold("Start a back-test")
    page.fill("input[name=first]", str(DAY - timedelta(days=13)))
    page.fill("input[name=last]", str(DAY))
    page.find("select[name=router]").send_keys(QUIET[-1])
    page.fill("input[name=budgets]", "50 100 200")
    look("started", unfolded="Start a back-test")
    page.press("form[action='/backtests'] button")
    for _ in range(600):
        page.open(page.chrome.current_url.removeprefix(page.address))
        if "Variants" in page.text:
            break
        time.sleep(1)
    assert "Variants" in page.text
    look("variants")
    assert_light(page, "variants")


@pytest.mark.parametrize(("width", "scheme"), WINDOWS)
def test_a_morning_with_nothing_to_do(quiet: Page, width: int, scheme: str, keeps: bool) -> None:
    look = Looks(quiet, width, scheme, keeps=keeps)
    quiet.open("/")
    assert quiet.find("h1").text == "No change waits for a decision"
    assert len(quiet.find_all(".chain > .well")) == 5
    assert "40 of 40 as delivered" in quiet.find(".chain").text
    assert "40 of 40 verified" in quiet.find(".chain").text
    assert covered(quiet, ".chain > div") == []
    look("nothing-to-do")
    assert_light(quiet, "nothing to do")
    quiet.open("/deliveries")
    assert "approved, not delivered" not in quiet.text
    look("all-verified")


def test_the_keyboard_alone_does_the_large_morning(page: Page) -> None:
    """Tab, Enter, Space, arrows and text; nothing is clicked, the focus is always seen, and stays after a decision."""
    page.show(1280, "light")
    page.open("/login")
    page.tab_to("input[name=name]")
    page.type_keys("anna")
    page.tab_to("input[name=password]")
    page.send_by_key(PASSWORD, Keys.ENTER)
    assert page.press_tab().text == "Skip to content"
    page.type_keys(Keys.ENTER)
    page.tab_to(f"a[href='{change(WIDE)}']")
    page.send_by_key(Keys.ENTER)
    page.tab_to("select[name=show]")
    page.type_keys(Keys.END)  # the last choice: all
    page.tab_to(".filter button")
    page.send_by_key(Keys.SPACE)
    assert f"{WIDE_PAIRS + MOVING} pairs" in page.text
    page.open(change(WIDE))
    unfold_by_key(page, "Approve", Keys.SPACE)
    page.tab_to("form[action$='/approve'] input[name=note]")
    page.send_by_key("as every week", Keys.ENTER)
    assert_focus(page, "decided")
    page.tab_to(f".next a[href='{change(FIRST)}']")
    page.send_by_key(Keys.ENTER)
    unfold_by_key(page, "Acknowledge", Keys.ENTER)
    page.tab_to("form[action$='/acknowledge'] input[name=new_pairs]")
    page.send_by_key(str(WIDE_PAIRS), Keys.ENTER)
    assert_focus(page, "deciding")
    unfold_by_key(page, "Approve", Keys.ENTER)
    page.tab_to("form[action$='/approve'] input[name=confirm]")
    page.type_keys(FIRST)
    page.tab_to("form[action$='/approve'] button")
    page.send_by_key(Keys.SPACE)
    assert_focus(page, "decided")
    page.open(change(FAILED))
    unfold_by_key(page, "Reject", Keys.ENTER)
    page.tab_to("form[action$='/reject'] input[name=note]")
    page.send_by_key("the port is too full", Keys.ENTER)
    assert_focus(page, "decided")
    unfold_by_key(page, "Take it back", Keys.ENTER, "summary")
    page.tab_to("form[action$='/reopen'] input[name=note]")
    page.send_by_key("a second look", Keys.ENTER)
    assert_focus(page, "deciding")
    page.open("/")
    for name in TICKABLE[:2]:
        page.tab_to(f"input[aria-label^='Approve {name} ']")
        page.type_keys(Keys.SPACE)
    page.tab_to("form[action='/approve'] input[name=note]")
    page.send_by_key("two of them", Keys.ENTER)
    assert page.chrome.switch_to.active_element.text == "Results of the ticked changes"
    decided = states(page.site)
    assert decided[WIDE] == ("approved", "as every week")
    assert decided[FIRST] == ("approved", None)
    assert decided[FAILED] == ("pending", None)
    assert {name for name in ALIKE if decided[name][0] == "approved"} == set(TICKABLE[:2])
    assert set(QUIET) <= {name for name, (state, _) in decided.items() if state == "approved"}


def choose(page: Page, **wanted: str) -> None:
    """Fills the form of the pairs and sends it."""
    for name, value in wanted.items():
        if name == "q":
            page.fill(".filter input[name=q]", value)
        else:
            page.find(f".filter select[name={name}] option[value={value}]").click()
    page.press(".filter button")


def unfold_by_key(page: Page, words: str, key: str, selector: str = "summary.button") -> None:
    """Opens the folded part whose summary has these words."""
    for _ in range(20):
        if page.tab_to(selector).text == words:
            page.type_keys(key)
            return
    pytest.fail(f"{words} was not reached by keyboard")


def assert_focus(page: Page, wanted: str) -> None:
    """After a decision a keyboard goes on where its result stands, and sees that."""
    assert page.chrome.execute_script(FOCUSED) == wanted
    assert page.chrome.switch_to.active_element.value_of_css_property("outline-style") != "none"
    assert covered(page, f"#{wanted}") == []


def prefixes(pair: int) -> str:
    """The pair as the page writes it."""
    source, destination = (each.rpartition(".")[0] for each in (source_of(pair), destination_of(pair)))
    return f"{source}.0/24 > {destination}.0/24"
