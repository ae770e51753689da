"""Installations of the review page: one that tests only read, and copies for those that decide."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.installation import Installation
from tests.support.prepared_nights import PreparedNights
from tests.support.review_page import Browser, browser, close_sites


@pytest.fixture(scope="module", autouse=True)
def _closed() -> Iterator[None]:
    yield
    close_sites()


@pytest.fixture(scope="module")
def read_only(tmp_path_factory: pytest.TempPathFactory, prepared_nights: PreparedNights) -> Installation:
    return prepared_nights.site(tmp_path_factory.mktemp("read") / "site")


@pytest.fixture
def site(tmp_path: Path, prepared_nights: PreparedNights) -> Installation:
    return prepared_nights.site(tmp_path / "site")


@pytest.fixture(scope="module")
def viewer(read_only: Installation) -> Browser:
    made = browser(read_only.settings)
    assert made.log_in("vera").status_code == 303
    return made


@pytest.fixture(scope="module")
def reader(read_only: Installation) -> Browser:
    """An operator's browser, in tests that change nothing."""
    made = browser(read_only.settings)
    assert made.log_in("anna").status_code == 303
    return made


@pytest.fixture
def anna(site: Installation) -> Browser:
    made = browser(site.settings)
    assert made.log_in("anna").status_code == 303
    return made


@pytest.fixture
def vera(site: Installation) -> Browser:
    """A viewer's browser at the installation in which anna decides."""
    made = browser(site.settings)
    assert made.log_in("vera").status_code == 303
    return made


@pytest.fixture
def site_copy(site: Installation) -> Installation:
    """The same as `site`, for tests that also make sites of the page."""
    return site
