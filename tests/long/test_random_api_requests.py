"""Five thousand random requests by the OpenAPI document, decisions among them: no defect, and the contract is kept."""

import os
import random
from collections import Counter
from pathlib import Path

import pytest

from tests.support.api_program import Program, operations, program
from tests.support.api_requests import random_request
from tests.support.page_addresses import keep_backtest
from tests.support.prepared_nights import NIGHT, PreparedNights
from tests.support.review_page import close_sites
from tests.support.review_page import site as page_of

pytestmark = [pytest.mark.long, pytest.mark.timeout(7200)]
REQUESTS = int(os.environ.get("HNTES_API_REQUESTS", "5000"))


def test_no_random_request_is_a_defect(tmp_path: Path, prepared_nights: PreparedNights, database_url: str) -> None:
    site = prepared_nights.site(tmp_path / "site", database_url)
    keep_backtest(site)
    asking = program(page_of(site.settings, api_changes_per_hour=100_000))
    chance, statuses, answered = random.Random(1), Counter[int](), set()
    known = [*operations()]
    (reopening,) = (each for each in known if each.path.endswith("/reopen"))
    has_decided, router = False, ""
    # an approval ends what can be decided of a change: none before half of the requests
    early = [each for each in known if not each.path.endswith("}/approve")]
    for number in range(REQUESTS):
        if has_decided and chance.random() < 0.5:
            operation = reopening
        else:
            operation = chance.choice(early if number < REQUESTS // 2 else known)
            router = chance.choice(("r1", "r2", "r3"))
        request = random_request(chance, operation, _shown(asking, router))
        answer = asking.ask(request.method, request.address, raw=request.raw, **request.headers)
        assert answer.status_code < 500, f"{answer.text} for {request.told}"
        statuses[answer.status_code] += 1
        has_decided = operation.path.endswith(("/reject", "/defer")) and answer.status_code == 200
        if answer.status_code in (200, 201, 202):
            answered.add(str(operation))
    close_sites()
    counts = {int(status): number for status, number in sorted(statuses.items())}
    print(f"{REQUESTS} requests: {counts}, {len(answered)} of {len(known)} operations succeeded")
    assert {200, 201, 202, 400, 404, 409, 413, 415, 422} <= set(statuses), "it did not come further in than the door"
    # the installation has no reservations and no scheduled changes; which decisions and overrides succeed is chance
    assert {str(each) for each in known if each.scopes == ["read"] and "/from/" not in each.path} <= answered
    assert {"decide", "reopen", "pin", "exclude"} <= {each["kind"] for each in site.json("audit")}
    site.run("audit", "--verify")


def _shown(asking: Program, router: str) -> dict[str, object]:
    """What a decision on a router's change has to name, as it is now."""
    about = asking.get(f"/api/changes/{router}/{NIGHT}")
    change, transition = about["about"]["change"], about["transition"]
    return {
        "router": router, "confirm": router, "day": NIGHT, "candidate_hash": change["candidate_hash"],
        "base_hash": change["base_hash"], "new_pairs": change["pairs_added"],
        "transition_hash": transition["identity"] if transition else None,
    }  # fmt: skip
