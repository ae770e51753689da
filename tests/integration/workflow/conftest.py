"""An installation in which may be reserved; modules about other things have a `site` and a `context` of their own."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from hntes.workflow.context import Context
from tests.support.installation import Installation
from tests.support.reserving import set_clock
from tests.support.scheduled_site import approve_rules, at, scheduled_site


@pytest.fixture
def site(tmp_path: Path, database_url: str, monkeypatch: pytest.MonkeyPatch) -> Installation:
    set_clock(monkeypatch)
    return scheduled_site(tmp_path, database_url)


@pytest.fixture
def context(site: Installation) -> Iterator[Context]:
    with at(site) as context:
        approve_rules(context)
        yield context
