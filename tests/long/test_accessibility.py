"""axe-core finds nothing on any view, in light and dark colours, on a desk and on a telephone, folded and unfolded."""

from collections.abc import Iterator

import pytest

from tests.support.axe import axe_problems, axe_script
from tests.support.chromium import CHROMIUM, DRIVER, Page, chromium_at
from tests.support.page_addresses import ERRORS, VIEWS, keep_backtest
from tests.support.prepared_nights import PreparedNights
from tests.support.readable import OPEN

pytestmark = [
    pytest.mark.long,
    pytest.mark.timeout(1800),
    pytest.mark.skipif(None in (DRIVER, CHROMIUM), reason="no Chromium: scripts/install_system_packages browser"),
    pytest.mark.skipif(axe_script() is None, reason="no axe.min.js: docs/how-to/test.md says where to put it"),
]
ADDRESSES = {view: address for views in (*VIEWS.values(), ERRORS) for view, address in views.items()}


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory, prepared_nights: PreparedNights) -> Iterator[Page]:
    site = prepared_nights.site(tmp_path_factory.mktemp("axe") / "site")
    keep_backtest(site)
    with chromium_at(site, {"anna": "operator"}) as opened:
        opened.log_in()
        yield opened


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("view", ADDRESSES)
def test_a_view_has_no_violation(page: Page, view: str, scheme: str) -> None:
    found = []
    for width in (1280, 390):
        page.show(width, scheme)
        page.open(ADDRESSES[view])
        for is_open in (False, True):
            page.chrome.execute_script(OPEN, is_open)
            found += [f"{width}: {each}" for each in axe_problems(page)]
    assert found == []


def test_it_finds_what_is_wrong(page: Page) -> None:
    page.open("/routers")
    page.chrome.execute_script(
        "document.querySelector('input').parentElement.replaceWith(document.createElement('input'))"
    )
    assert [each.partition(":")[0] for each in axe_problems(page)] == ["label"]
