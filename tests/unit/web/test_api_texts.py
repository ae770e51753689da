"""Texts of the OpenAPI document: what their patterns let through is read, and what is read they let through."""

import re
import unicodedata
from collections.abc import Callable, Iterator
from datetime import date, timedelta
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from pydantic import TypeAdapter

from hntes.addresses import network
from hntes.rules.lifetime.pair_search import PairSearch
from hntes.rules.pairs import PairError
from hntes.rules.reservations.reservation import Port
from hntes.sanitize import text_problem
from hntes.settings.model import Detection
from hntes.settings.names import InterfaceName, Name
from hntes.timestamps import parse_timestamp
from hntes.web.api.openapi import openapi
from hntes.web.backtest_plots import MOST_SERIES
from hntes.web.errors import RefusedError
from hntes.web.request import parsed_day
from hntes.workflow.reports.backtest_request import LengthsError, prefix_lengths

# Any text is one: parts of names that are searched for, and what is compared with a router's name.
FREE = {"GET /api/audit who", "GET /api/routers q", "ApproveBody confirm"}
ACCEPTED = {
    "RouterName": ["r1", "core-1.example.net", "A_b", "x" * 63],
    "RouterScope": ["r1", "*"],
    "PortName": ["r1:et-0/0/1", "r4:1/1/c2/1", "r1:et-0/0/1:0", "r2:HundredGigE0/0/1/0"],
    "Day": ["2000-01-01", "2024-02-29", "2000-02-29", "2199-12-31"],
    "Moment": ["2026-11-24T10:00Z", "2026-11-24T10:00:59Z", "2026-11-24T11:00:00+01:00", "2028-02-29T23:59-11:30"],
    "Prefix": [
        "198.18.10.0/24", "0.0.0.0/0", "255.255.255.255", "198.18.10.5/32", "::/0", "2001:db8::/32", "2001:DB8:1::/48",
        "2001:db8:0:0:0:0:0:1", "1:2:3:4:5:6:7::", "::2:3:4:5:6:7:8", "2001:db8::1:0:0:1/128", "fe80::/10",
    ],
    "PairSearch": [
        "198.18.10.5", "198.18.10.0/24>203.0.113.0/24", "198.18.10.0/24 > 203.0.113.0/24", ">203.0.113.9",
        "198.18.10.5>", "2001:db8::1>2001:db8:1::/48", "> ::/0",
    ],
    "Lengths": ["24", "32:24", "24,64", "8:32,8:128"],
    "Line": ["", " ", "ticket 42: <b>", "Übertragung: 東京 🚀", "a\N{NO-BREAK SPACE}b"],
    "Reason": ["x", " maintenance ", "東京"],
}  # fmt: skip
REFUSED = {
    "RouterName": ["", "*", "1r", "r1\n", "r 1"],
    "RouterScope": ["", "**"],
    "PortName": ["r1", "r1:", ":et-0/0/1", "r1:et-0/0/1;"],
    "Day": ["", "000000000", "2026-1-1", "20261124", "2026-02-29", "2100-02-29", "1999-12-31", "2200-01-01"],
    "Moment": [
        "", "0" * 39, "2026-11-24", "2026-11-24T10:00",
        "2026-11-24T24:00Z", "2026-11-24T10:00:00.5Z", "2026-02-30T10:00Z",
    ],
    "Prefix": [
        "", "0", "10.0.0.0/33", "256.0.0.0", "01.2.3.4", "1.2.3", "::/129", "1:2", "::1::", "fe80::1%eth0", "a>b",
    ],
    "PairSearch": ["", ">", "0", "198.18.10.5>2001:db8::1", "a>198.18.1.1", "2001:db8::%a\nb/64"],
    "Lengths": ["", "7", "33", "24/32", "24,7", "24,129", "24:"],
    "Line": ["two\nlines", "\x00", "\x7f", "\x85", "\u2028", "\u202e", "\ufeff"],
    "Reason": ["", " ", "\u3000", "two\nlines"],
}  # fmt: skip
READ: dict[str, Callable[[str], object]] = {
    "RouterName": TypeAdapter(Name).validate_python,
    "PortName": lambda text: (Port.parse(text), TypeAdapter(InterfaceName).validate_python(text.partition(":")[2])),
    "Day": parsed_day,
    "Moment": parse_timestamp,
    "Prefix": network,
    "PairSearch": PairSearch.parse,
    "Lengths": lambda text: prefix_lengths(text, Detection()),
}
# What a description names beside the pattern, in the words of the refusal.
BESIDE = {"Prefix": "has host bits set", "PairSearch": "has host bits set", "PortName": "name of one interface"}
ANY = {"AnyDay": "Day", "AnyRouterName": "RouterName", "AnyPairSearch": "PairSearch"}


def schema_of(name: str) -> dict[str, Any]:
    return dict(openapi()["components"]["schemas"][name])


def matches(name: str, text: str) -> bool:
    """Whether the document lets a text through; ECMA-262's $ is the end of the text alone."""
    schema = schema_of(name)
    fits = re.fullmatch(schema["pattern"].removeprefix("^").removesuffix("$"), text) is not None
    return fits and schema.get("minLength", 0) <= len(text) <= schema["maxLength"]


def strings(at: str, schema: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The texts of a schema, by where they are."""
    if "$ref" in schema:
        named = schema_of(schema["$ref"].rpartition("/")[2])
        yield from strings(at, named)
    elif schema.get("type") == "string":
        yield at, schema
    for each in (*schema.get("anyOf", ()), *([schema["items"]] if "items" in schema else ())):
        yield from strings(at, each)
    for field, each in schema.get("properties", {}).items():
        yield from strings(f"{schema['title']} {field}", each)


def requested() -> Iterator[tuple[str, dict[str, Any]]]:
    """All texts of requests."""
    for path, methods in openapi()["paths"].items():
        for method, described in methods.items():
            for each in described.get("parameters", ()):
                yield from strings(f"{method.upper()} {path} {each['name']}", each["schema"])
            for each in described.get("requestBody", {}).get("content", {}).values():
                yield from strings(f"{method.upper()} {path}", each["schema"])


def test_every_text_of_a_request_is_described() -> None:
    found = {at for at, schema in requested() if not schema.keys() & {"pattern", "enum", "const"}}
    assert found == FREE


@pytest.mark.parametrize(("name", "text"), [(name, text) for name, texts in ACCEPTED.items() for text in texts])
def test_what_is_read_is_let_through(name: str, text: str) -> None:
    assert matches(name, text)
    READ.get(name, str)(text)
    assert all(matches(one, text) and matches(one, "") for one, other in ANY.items() if other == name)


@pytest.mark.parametrize(("name", "text"), [(name, text) for name, texts in REFUSED.items() for text in texts])
def test_what_is_not_let_through_is_not_read(name: str, text: str) -> None:
    assert not matches(name, text)
    if name in READ and text:
        with pytest.raises((ValueError, RefusedError)):
            READ[name](text)


@pytest.mark.parametrize("name", READ)
@given(data=st.data())
def test_what_is_let_through_is_read(name: str, data: st.DataObject) -> None:
    pattern = schema_of(name)["pattern"].removeprefix("^").removesuffix("$")
    text = data.draw(st.from_regex(pattern, fullmatch=True))
    try:
        READ[name](text)
    except ValueError as problem:
        if BESIDE.get(name, "nothing") not in str(problem):
            raise


def test_the_days_are_those_that_are_read() -> None:
    day = date(1995, 1, 1)
    while day < date(2205, 1, 1):
        try:
            is_read = parsed_day(day.isoformat()) == day
        except RefusedError:
            is_read = False
        assert matches("Day", day.isoformat()) is is_read, day
        day += timedelta(days=1)
    for year, month, number in product((1999, 2023, 2024, 2100), range(14), range(33)):
        text = f"{year}-{month:02}-{number:02}"
        if matches("Day", text):
            date.fromisoformat(text)


def test_the_prefix_lengths_are_those_that_are_read() -> None:
    for form, number in product(("{}", "24:{}", "24,{}", "24,64:{}"), range(1000)):
        text = form.format(number)
        try:
            is_read = prefix_lengths(text, Detection()) is not None
        except LengthsError:
            is_read = False
        assert matches("Lengths", text) is is_read, text


def test_a_line_lacks_what_is_never_printed() -> None:
    line = re.compile(schema_of("Line")["pattern"])
    let_through = []
    # but the line break before the end, which Python lets through
    for character in (chr(number) for number in range(0x110000) if chr(number) != "\n"):
        fits = line.search(character) is not None
        if text_problem(character) is None:
            assert fits, ascii(character)
        elif fits:
            let_through.append(unicodedata.category(character))
    # unassigned, of private use, half a character, and what only formats
    assert set(let_through) <= {"Cn", "Co", "Cs", "Cf"}


@pytest.mark.parametrize("character", [each for each in map(chr, range(0x110000)) if each.isspace()])
def test_a_reason_is_more_than_blanks(character: str) -> None:
    assert not matches("Reason", character)
    assert matches("Reason", f"{character}x{character}") is (text_problem(character) is None)


def test_the_examples_are_let_through() -> None:
    told = [(at, schema, each) for at, schema in requested() for each in schema.get("examples", ())]
    assert told
    for at, schema, each in told:
        assert Draft202012Validator(schema).is_valid(each), (at, each)


def test_a_zone_is_no_part_of_a_prefix() -> None:
    """Any text behind % was taken for the name of a zone, and printed again into configurations."""
    for text in ("2001:db8::%eth0/64", "2001:db8::%a\nb/64"):
        with pytest.raises(ValueError, match="names a zone"):
            network(text)
        with pytest.raises(PairError, match="names a zone"):
            PairSearch.parse(text)


def test_the_most_variants_are_told() -> None:
    assert f"at most {MOST_SERIES}." in schema_of("BacktestBody")["description"]
