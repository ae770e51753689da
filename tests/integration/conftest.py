"""Emulated routers for all tests of a process."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.support.devices.farm import Farm


@pytest.fixture(scope="session")
def farm() -> "Iterator[Farm]":
    """A farm, and clients that do not wait as they would on a network."""
    from tests.support.devices.clients import quick_clients
    from tests.support.devices.farm import Farm  # an SSH server, which most tests do not need

    with quick_clients(), Farm() as each:
        yield each
