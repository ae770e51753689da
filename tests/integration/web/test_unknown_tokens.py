"""Unknown tokens are throttled by their address; those that exist are not."""

import pytest

from hntes.web.api.tokens import remove_token
from hntes.web.login_throttle import LIMIT_PER_ADDRESS
from tests.support.api_program import program
from tests.support.installation import Installation
from tests.support.review_page import site

AT = "/api/status"


def test_a_stale_token_locks_out_no_other_at_its_address(
    read_only: Installation, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = site(read_only.settings)
    anna, bert = program(server, name="copies"), program(server, name="others", owner="bert")
    logged: list[str] = []
    monkeypatch.setattr("hntes.web.api.caller.warn", logged.append)
    remove_token(server.web.tokens, "copies")
    heard: list[tuple[int, int]] = [
        (anna.ask("GET", AT).status_code, bert.ask("GET", AT).status_code) for _ in range(LIMIT_PER_ADDRESS + 3)
    ]
    assert heard == [(401, 200)] * LIMIT_PER_ADDRESS + [(429, 200)] * 3
    assert len(logged) == LIMIT_PER_ADDRESS
    anna.token = "not a token"
    assert anna.ask("GET", AT).status_code == 429
