"""The platforms of the suite: all that are installed, and a toy that comes from a distribution of its own."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from hntes.platforms import registry
from hntes.platforms.platform import Platform
from tests.contract.platform.case import PlatformCase, case_of

# A folder with the metadata of an installed distribution, whose entry point names a module of these tests.
TOY = Path(__file__).parent / "toy" / "distribution"
TOY_NAME = "toy"


@pytest.fixture(autouse=True, scope="module")
def _toy_installed() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(TOY))
        _forget()
        yield
    _forget()


def _forget() -> None:
    """What the registry knows of installed distributions."""
    registry.installed_platforms.cache_clear()
    registry.platform_of.cache_clear()


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "platform" in metafunc.fixturenames:
        names = sorted({*registry.installed_platforms(), TOY_NAME})
        reached = [name for name in names if case_of(name).bench is not None]
        metafunc.parametrize("platform", reached if "routed" in metafunc.fixturenames else names)


@pytest.fixture
def case(platform: str) -> PlatformCase:
    return case_of(platform)


@pytest.fixture
def implementation(platform: str) -> Platform:
    return registry.platform_of(platform)
