"""An installation without a night, since a login needs none, its provider, and a browser."""

from collections.abc import Iterator

import pytest

from hntes.web.site import Site
from tests.support.installation import Installation, installation_in
from tests.support.oidc_login import served
from tests.support.oidc_provider import Provider, oidc_provider
from tests.support.review_page import Browser, browser


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Installation:
    """An installation without a night: a login needs none."""
    return installation_in(tmp_path_factory.mktemp("bare") / "site")


@pytest.fixture
def idp() -> Iterator[Provider]:
    with oidc_provider() as made:
        yield made


@pytest.fixture
def server(bare: Installation, idp: Provider, monkeypatch: pytest.MonkeyPatch) -> Site:
    return served(bare, idp, monkeypatch)


@pytest.fixture
def olga(bare: Installation, server: Site) -> Browser:
    return browser(bare.settings, server=server)
