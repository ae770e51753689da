"""A delivery that is refused lists its first objections and counts the others."""

import re
from types import SimpleNamespace
from typing import Any

import pytest

from hntes.workflow.delivery import authority


@pytest.mark.parametrize(("count", "listed", "more"), [(20, 20, ""), (21, 20, "and 1 more"), (500, 20, "and 480 more")])
def test_twenty_are_listed(monkeypatch: pytest.MonkeyPatch, count: int, listed: int, more: str) -> None:
    monkeypatch.setattr(authority, "_objections", lambda *_, **__: (f"objection {number}" for number in range(count)))
    due = SimpleNamespace(day="today", is_scheduled=True)
    reported = {"reported_hash": None, "runs_rules": False, "runs_due": False}
    state: Any = SimpleNamespace(router=SimpleNamespace(name="r1"), due=due, **reported)
    nothing: Any = None
    with pytest.raises(authority.AuthorityError) as refused:
        authority.require_authority(nothing, state, nothing, ())
    text = str(refused.value)
    assert re.findall(r"objection (\d+)", text) == [str(number) for number in range(listed)]
    assert re.findall(r"and \d+ more", text) == ([more] if more else [])
