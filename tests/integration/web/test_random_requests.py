"""Whatever is asked of the review page, it answers, and never by a defect."""

import string
from urllib.parse import quote

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.support.installation import Installation
from tests.support.prepared_nights import NIGHT
from tests.support.review_page import ORIGIN, Browser

ANY = st.text(max_size=40) | st.sampled_from(
    ["r1", "*", NIGHT, "2026-12-31", "0001-01-01", "198.18.10.5", "198.18.10.0/24>203.0.113.0/24", "::/0", "0.0.0.0/0",
     "decide", "either", "-1", "9" * 40, "1", ">", "../..", "\x00", "a" * 64]
)  # fmt: skip
FIELDS = st.sampled_from(
    ["router", "q", "kind", "who", "since", "before", "what", "side", "reason", "from", "until", "hash", "note",
     "confirm", "change", "new_pairs", "next", "name", "password", "csrf"]
)  # fmt: skip
PATHS = st.sampled_from(
    ["/", "/pair", "/log", "/log.csv", "/exclude", "/pin", "/approve", "/login", "/health",
     "/change/r1/2026-11-20/reject",
     "/change/r1/2026-11-20/approve", "/change/r1/2026-11-20/acknowledge", "/router/r1", "/change/r1/2026-11-20"]
)  # fmt: skip
MADE_PATHS = st.lists(st.text(string.printable + "é\u202e", max_size=12), max_size=4).map(
    lambda parts: "/" + "/".join(quote(part) for part in parts)
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(
    path=PATHS | MADE_PATHS,
    fields=st.dictionaries(FIELDS, ANY, max_size=6),
    method=st.sampled_from(["GET", "GET", "POST", "PUT", "HEAD", "OPTIONS"]),
    with_token=st.booleans(),
)
def test_no_request_is_a_defect(
    read_only: Installation, reader: Browser, path: str, fields: dict[str, str], method: str, with_token: bool
) -> None:
    if method == "POST":
        # never a decision: the hash is not a whole one, the rest is for the page to refuse
        given_fields = {**fields, "hash": "x", "csrf": _token(reader) if with_token else "0" * 64}
        given_fields["router"] = "nowhere"
        answer = reader.post(f"{ORIGIN}{path}", given_fields)
    else:
        query = "&".join(f"{quote(name)}={quote(value)}" for name, value in fields.items())
        answer = reader.client.request(method, f"{ORIGIN}{path}?{query}", headers=reader.headers)
    assert answer.status_code < 500, answer.text
    assert "content-security-policy" in answer.headers
    assert read_only.output.is_dir()


def _token(reader: Browser) -> str:
    site, secret = reader.server, reader.client.cookies["hntes"]
    return site.tokens.token(secret, "anna")
