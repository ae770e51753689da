"""No page is wider than its window, from a small phone to a wide screen, with the longest names, prefixes and notes."""

from collections.abc import Iterator
from urllib.parse import quote

import pytest

from tests.support.chromium import CHROMIUM, DRIVER, Page, chromium_at
from tests.support.installation import Installation, demo_installation
from tests.support.page_addresses import ERRORS, VIEWS, keep_backtest
from tests.support.prepared_nights import NIGHT
from tests.support.readable import OPEN

pytestmark = [
    pytest.mark.long,
    pytest.mark.timeout(1800),
    pytest.mark.skipif(None in (DRIVER, CHROMIUM), reason="no Chromium: scripts/install_system_packages browser"),
]
# Both sides of the style sheet's own steps are among them (46rem and 76rem of 16 pixels).
WIDTHS = (320, 360, 390, 480, 640, 736, 737, 900, 1024, 1215, 1217, 1280, 1440, 1920)
# As long as settings, accounts and forms take them, in wide letters and without a place to break.
ROUTER, PLAN, PORT, PERSON, NOTE = "W" * 63, "W" * 63, "W" * 63, "W" * 64, "W" * 2000
SIX = "2001:db8:ffff:ffff::/64", "2001:db8:eeee:eeee::/64"
PINNED = f"{SIX[0]}>{SIX[1]}"
# What reaches beyond the window although its own box does not scroll, by its words.
BEYOND = """
const width = document.documentElement.clientWidth;
const keeps = e => /auto|scroll|hidden/.test(getComputedStyle(e).overflowX);
const isKept = e => e && e !== document.body && (keeps(e) || isKept(e.parentElement));
return [...document.querySelectorAll('body *')]
  .filter(e => e.getBoundingClientRect().right > width + 1 && !isKept(e))
  .map(e => `${e.tagName}.${e.getAttribute('class') || ''} ${(e.textContent || '').trim().slice(0, 40)}`).slice(-3)
"""


@pytest.fixture(scope="module")
def longest(tmp_path_factory: pytest.TempPathFactory) -> Installation:
    """A night of one router with such names; its rules approved with a long note, another pair pinned after it."""
    site = demo_installation(
        tmp_path_factory.mktemp("longest") / "site",
        **{
            'name = "r1"\nplatform': f'name = "{ROUTER}"\nplan = "{PLAN}"\nplatform',
            "[plans.recommended]\nkind": f'[plans.{PLAN}]\nkind = "two_queue"\n\n[plans.recommended]\nkind',
            'name = "xe-0/1/0"': f'name = "{PORT}"',
        },
    )
    by = ("--router", ROUTER)
    site.pin(PINNED, NIGHT, router=ROUTER, owner="W" * 60, reason=NOTE[:400])
    site.run("nightly", "--day", NIGHT, *by)
    (change,) = site.json("change", "list", *by)
    site.run("change", "approve", *by, "--day", NIGHT, "--hash", change["candidate_hash"], "--note", NOTE)
    excluded = ("--owner", "W" * 60, "--reason", NOTE[:400], "--from-day", NIGHT, "--until", "2099-12-31")
    site.run("override", "exclude", "add", SIX[1], "--side", "destination", *by, *excluded)
    site.run("nightly", "--day", "2026-11-21", *by)
    keep_backtest(site, *by)
    return site


@pytest.fixture(scope="module")
def page(longest: Installation) -> Iterator[Page]:
    with chromium_at(longest, {PERSON: "operator"}) as opened:
        opened.log_in(PERSON)
        yield opened


def addresses() -> dict[str, str]:
    """All views of the router with the long name, and one that is not there."""
    known = {view: address for views in (*VIEWS.values(), ERRORS) for view, address in views.items()}
    made = {
        view: address.replace("/r1", f"/{ROUTER}").replace("router=r1", f"router={ROUTER}")
        for view, address in known.items()
    }
    made["pair"] = f"/pair?router={ROUTER}&q={quote(PINNED)}"
    made["second"] = made["change"].replace(NIGHT, "2026-11-21")
    made["next"] = f"/change/{ROUTER}/2026-11-22"
    return made | {"open-log": "/log?kind=decide", "login": "/login"}


@pytest.mark.parametrize("view", addresses())
def test_no_page_is_wider_than_its_window(page: Page, view: str) -> None:
    page.open(addresses()[view])
    wide = []
    for width in WIDTHS:
        page.show(width, "light")
        for is_open in (False, True):
            page.chrome.execute_script(OPEN, is_open)
            found = page.chrome.execute_script("return document.documentElement.scrollWidth")
            if found > width:
                wide.append(f"{width}: {found} wide, {page.chrome.execute_script(BEYOND)}")
    assert wide == []
