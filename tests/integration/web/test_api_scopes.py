"""Scopes of tokens: no operation of the OpenAPI document answers a token without its scope, and old tokens reserve."""

import json
from pathlib import Path

import pytest

from hntes.web.api.bodies import MOST_BYTES
from hntes.web.api.scopes import SCOPES
from hntes.web.api.tokens import ApiToken, add_token, read_tokens
from hntes.web.errors import WebError
from hntes.web.site import Site
from tests.support.api_program import PROBLEM, Operation, Program, operations, program
from tests.support.installation import Installation
from tests.support.reserving import reserving_installation, set_clock
from tests.support.review_page import site

OPERATIONS = [*operations()]
WITH_BODY = [each for each in OPERATIONS if each.has_body]


@pytest.fixture(scope="module")
def installation(tmp_path_factory: pytest.TempPathFactory) -> Installation:
    return reserving_installation(tmp_path_factory.mktemp("scopes"))


@pytest.fixture(autouse=True)
def _clock(monkeypatch: pytest.MonkeyPatch) -> None:
    set_clock(monkeypatch)


@pytest.fixture(scope="module")
def server(installation: Installation) -> Site:
    return site(installation.settings, api_changes_per_hour=10_000)


@pytest.fixture(scope="module")
def by_scope(server: Site) -> dict[str, Program]:
    return {scope: program(server, scope, name=scope) for scope in SCOPES}


@pytest.mark.parametrize("operation", OPERATIONS, ids=str)
def test_an_operation_answers_tokens_with_its_scope_alone(by_scope: dict[str, Program], operation: Operation) -> None:
    (needed,) = operation.scopes
    for scope, asking in by_scope.items():
        answer = asking.ask(operation.method, operation.example(), body={})
        assert answer.status_code != 401
        assert (answer.status_code == 403) is (scope != needed), answer.text
        if scope != needed:
            assert answer.json()["missing_scope"] == needed
            assert answer.headers["www-authenticate"] == f'Bearer error="insufficient_scope", scope="{needed}"'
            assert f"no scope {needed}" in answer.json()["detail"]


@pytest.mark.parametrize("operation", OPERATIONS, ids=str)
def test_an_operation_answers_nobody_without_a_token(server: Site, operation: Operation) -> None:
    answer = Program(server, "").ask(operation.method, operation.example(), body={})
    assert answer.status_code == 401


@pytest.mark.parametrize("operation", WITH_BODY, ids=str)
def test_an_operation_reads_only_what_it_describes(by_scope: dict[str, Program], operation: Operation) -> None:
    asking, address = by_scope[operation.scopes[0]], operation.example()
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    statuses = [
        asking.ask(operation.method, address, raw=b"a=b", **form).status_code,
        asking.ask(operation.method, address, raw=b"{").status_code,
        asking.ask(operation.method, address, raw=b"x" * (MOST_BYTES + 1)).status_code,
        asking.ask(operation.method, address, body={"unknown": 1}).status_code,
        asking.ask(operation.method, address, body=[]).status_code,
    ]
    assert statuses == [415, 400, 413, 422, 422]


def test_every_operation_has_one_scope_that_there_is_and_says_what_it_does() -> None:
    assert len(OPERATIONS) > 30
    for each in OPERATIONS:
        assert len(each.scopes) == 1, each
        assert each.scopes[0] in SCOPES, each
        assert each.described["description"].rstrip().endswith("."), each


def test_reading_takes_no_token_that_changes_something() -> None:
    """A monitor's token must not decide: what only shows needs `read`, and what changes never does."""
    for each in OPERATIONS:
        if "reserve" not in each.scopes:
            assert (each.scopes == ["read"]) is (each.method == "GET"), each


def test_a_token_of_before_scopes_reserves_and_nothing_else(server: Site) -> None:
    path = server.web.tokens.with_name("before.json")
    add_token(path, "copies", "anna")
    stored = json.loads(path.read_text())
    assert stored["tokens"][0].pop("scopes") == ["reserve"]
    path.write_text(json.dumps(stored))
    assert read_tokens(path)["copies"].scopes == ("reserve",)


@pytest.mark.parametrize("scopes", [[], ["everything"], "reserve", [["read"]], None, [1]])
def test_a_file_with_scopes_that_are_none_is_refused(tmp_path: Path, scopes: object) -> None:
    path = tmp_path / "tokens.json"
    add_token(path, "copies", "anna")
    stored = json.loads(path.read_text())
    stored["tokens"][0]["scopes"] = scopes
    path.write_text(json.dumps(stored))
    with pytest.raises(WebError, match="is not a file of tokens"):
        read_tokens(path)


def test_commands_add_and_list_scopes(installation: Installation) -> None:
    added = installation.run("user", "add-token", "watch", "--owner", "anna", "--scope", "decide", "--scope", "read")
    assert "token watch of anna for decide, read" in added.stderr
    assert "police" not in added.stderr
    (listed,) = [each for each in installation.json("user", "list-tokens") if each["name"] == "watch"]
    assert listed == {"name": "watch", "owner": "anna", "scopes": ["read", "decide"], "prefixes": []}
    assert "read, decide" in installation.run("user", "list-tokens").stdout
    wrong = ("user", "add-token", "watch", "--owner", "anna")
    assert "'everything' is not one of" in installation.run(*wrong, "--scope", "everything", expect=2).stderr
    refused = installation.run(*wrong, "--scope", "read", "--prefix", "198.18.0.0/16", expect=1)
    assert "prefixes limit reservations" in refused.stderr
    help_text = installation.run("user", "add-token", "--help").stdout
    for scope in SCOPES:
        assert f"--scope {scope} " in help_text


def test_a_token_without_a_scope_is_not_added(tmp_path: Path) -> None:
    with pytest.raises(WebError, match="give it at least one scope"):
        add_token(tmp_path / "tokens.json", "none", "anna", (), ())
    assert ApiToken("old", "anna", "").scopes == ("reserve",)


def test_wrong_parameters_are_named(by_scope: dict[str, Program]) -> None:
    answer = by_scope["read"].ask("GET", "/api/routers?limit=0")
    assert (answer.status_code, answer.headers["content-type"]) == (400, PROBLEM)
    assert "query.limit" in answer.json()["detail"]
