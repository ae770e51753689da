"""The OpenAPI document: what it says of the API's answers is what the server answers."""

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from starlette.testclient import TestClient

from hntes.web.api.tokens import add_token
from hntes.web.app import made
from tests.support.reserving import P1, PAIR, reserving_installation, set_clock
from tests.support.review_page import ORIGIN, site

AT = "/api/reservations"
SOURCE, DESTINATION = PAIR.split(">")
ASKED: dict[str, Any] = {
    "source": SOURCE, "destination": DESTINATION, "rate_bps": 3 * 10**9, "ports": [P1], "start": "2026-11-24T12:00Z",
    "length_s": 7200, "external_id": "copy-1",
}  # fmt: skip
MOVED = {"kind": "background", "floor_bps": 10**8, "start": "2026-11-25T12:00Z", "external_id": "copy-2"}
# Method, path below the API, body, token or none, and the status of the answer.
ASKINGS: list[tuple[str, str, object, bool, int]] = [
    ("POST", "", ASKED, True, 201),
    ("POST", "", ASKED, True, 200),
    ("POST", "", ASKED | MOVED, True, 201),
    ("POST", "", ASKED | {"rate_bps": 9 * 10**9, "external_id": "copy-3"}, True, 409),
    ("POST", "", ASKED | {"source": "10.9.0.0/16", "external_id": "copy-4"}, True, 403),
    ("POST", "", ASKED | {"rate_bps": 0}, True, 422),
    ("POST", "", "no document", True, 400),
    ("POST", "", ASKED | {"ticket": "x" * 20_000}, True, 413),
    ("POST", "", ASKED, False, 401),
    ("GET", "", None, True, 200),
    ("GET", "?all=1", None, True, 200),
    ("GET", "", None, False, 401),
    ("GET", "/1", None, False, 401),
    ("DELETE", "/1", None, False, 401),
    ("GET", "/1", None, True, 200),
    ("GET", "/2", None, True, 200),
    ("GET", "/99", None, True, 404),
    ("GET", "/x", None, True, 404),
    ("DELETE", "/1", None, True, 200),
    ("DELETE", "/1", None, True, 400),
    ("DELETE", "/99", None, True, 404),
]


@pytest.fixture
def client(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> TestClient:
    set_clock(monkeypatch)
    server = site(reserving_installation(tmp_path).settings)
    token = add_token(server.web.tokens, "copies", "anna", (SOURCE,))
    made_of = TestClient(made(server), base_url=ORIGIN, client=("127.0.0.1", 40_000), raise_server_exceptions=False)
    made_of.headers["Authorization"] = f"Bearer {token}"
    return made_of


def test_every_answer_is_as_described(client: TestClient) -> None:
    described = client.get("/api/openapi.json", headers={"Authorization": ""}).json()
    seen = set()
    for method, below, body, has_token, status in ASKINGS:
        content = None if body is None else body.encode() if isinstance(body, str) else json.dumps(body).encode()
        headers = {"Content-Type": "application/json"} | ({} if has_token else {"Authorization": ""})
        answer = client.request(method, AT + below, content=content, headers=headers)
        assert answer.status_code == status, (method, below, answer.text)
        path = f"{AT}/{{number}}" if below.startswith("/") else AT
        described_answer = described["paths"][path][method.lower()]["responses"][str(status)]
        schema = described_answer["content"][answer.headers["content-type"]]["schema"]
        # the whole schema, so that references are found
        Draft202012Validator({**schema, "components": described["components"]}).validate(answer.json())
        seen.add((path, method, str(status)))
    told = {
        (path, method.upper(), status)
        for path, methods in described["paths"].items()
        if path.startswith(AT)
        for method, operation in methods.items()
        for status in operation["responses"]
    }
    # what every operation may answer, and a wrong type of document, have tests of their own
    assert {each for each in told - seen if each[2] not in {"400", "403", "415", "421", "429", "431", "503"}} == set()


def test_a_body_as_described_is_read_and_another_is_not(client: TestClient) -> None:
    described = client.get("/api/openapi.json").json()
    (content,) = described["paths"][AT]["post"]["requestBody"]["content"].values()
    schema = Draft202012Validator({**content["schema"], "components": described["components"]})
    for change, is_good in (
        ({}, True),
        ({"kind": "background"}, True),
        ({"kind": "express"}, False),
        ({"rate_bps": "3G"}, False),
        ({"ports": []}, False),
        ({"unknown": 1}, False),
        ({"rtt_ms": 0}, False),
        ({"external_id": None}, True),
    ):
        assert schema.is_valid(ASKED | change) is is_good, change
        status = client.post(AT, json=ASKED | change).status_code
        assert (status != 422) is is_good, (change, status)
