"""A thousand random requests, decisions among them: each is answered, and the record still fits."""

import random
from pathlib import Path

import pytest

from hntes.web.accounts import read_accounts
from hntes.web.app import made
from hntes.web.site import Site, account_digest, now_s
from tests.support.installation import Installation
from tests.support.prepared_nights import PreparedNights
from tests.support.random_requests import Known, ask, random_call
from tests.support.review_page import browser, close_sites

pytestmark = [pytest.mark.long, pytest.mark.timeout(3600)]
REQUESTS, MOST_BYTES = 1000, 400_000


@pytest.mark.parametrize("seed", range(1, 4))
def test_no_random_request_is_a_defect(
    tmp_path: Path, prepared_nights: PreparedNights, database_url: str, seed: int
) -> None:
    site = prepared_nights.site(tmp_path / "site", database_url)
    server = browser(site.settings).server
    chance, app, statuses = random.Random(seed), made(server), set()
    for _ in range(REQUESTS):
        call = random_call(chance, _known(site, server))  # some calls log out
        answer = ask(app, call)
        assert 200 <= answer.status < 500, f"{answer.status} for {call.told}"
        assert answer.header(b"content-security-policy"), call.told
        assert len(answer.body) < MOST_BYTES, call.told
        for never in (b"<script", b"root:", b"[paths]", b"Traceback"):
            assert never not in answer.body, call.told
        statuses.add(answer.status)
    close_sites()
    assert {200, 303, 400, 403, 404, 405, 409, 413, 415} <= statuses, "it did not come further in than the door"
    kinds = {each["kind"] for each in site.json("audit")}
    # which of them a thousand requests get right is chance
    assert len({"decide", "exclude", "pin"} & kinds) >= 2
    site.run("audit", "--verify")


def _known(site: Installation, server: Site) -> Known:
    """A new session of an operator's."""
    hashes = tuple(path.stem for path in (site.output / "r1" / "candidates").glob("*.conf"))
    secret = server.sessions.begin("anna", account_digest(read_accounts(server.web.accounts)["anna"]), now_s())
    return Known(f"hntes={secret}".encode(), server.tokens.token(secret, "anna"), hashes)
