"""Random requests by the OpenAPI document: most as it describes them, some with a value that is none."""

import json
import random
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlencode

from hntes.web.api.openapi import openapi
from tests.support.api_program import Operation
from tests.support.page_addresses import BACKTEST
from tests.support.prepared_nights import NIGHT
from tests.support.random_requests import TEXTS

# What leads further in than a random text, by the name of a field or parameter.
USUAL: dict[str, tuple[str, ...]] = {
    "router": ("r1", "r2", "r3", "*", "r9"),
    "day": (NIGHT, NIGHT, NIGHT, "2026-11-21", "never"),
    "from_day": (NIGHT,),
    "until_day": ("2199-12-31", NIGHT),
    "until": ("2199-12-31", NIGHT, "2026-11-19"),
    "since": (NIGHT, "2026-01-01", "2020-01-01"),
    "source": ("198.18.10.0/24", "198.18.99.0/24", "2001:db8::/64", "0.0.0.0/0"),
    "destination": ("203.0.113.0/24", "198.51.100.0/24", "2001:db8:1::/64"),
    "prefix": ("203.0.113.0/25", "198.18.0.0/16", "10.0.0.1/8"),
    "q": ("198.18.10.5", "203.0.113.0/24", "198.18.10.0/24>203.0.113.0/24", ">", "r1"),
    "name": (
        "difference.txt",
        "candidate.txt",
        "base.txt",
        "transition.txt",
        "figure-1.svg",
        "../hntes.toml",
        BACKTEST,
    ),
    "confirm": ("r1", "r2", "r3"),
    "note": ("seen", "", "two\nlines"),
    "reason": ("works", "", "two\nlines"),
    "base": ("0" * 16,),
    "instant": ("2026-11-24T12:00:00Z",),
    "number": ("1", "2", "x"),
    "ports": ("r1:xe-0/0/0",),
    "routers": ("r1", "r2", "r9"),
    "first": (NIGHT, NIGHT, "2026-11-19"),
    "last": (NIGHT, NIGHT, "2026-11-19"),
    "prefixes": ("24", "32:24", "24,48", "33"),
}


@dataclass(frozen=True)
class Request:
    """One request; `told` is for a test that fails."""

    method: str
    address: str
    raw: bytes | None
    headers: dict[str, str]

    @property
    def told(self) -> str:
        return repr((self.method, self.address, self.raw, self.headers))


def random_request(chance: random.Random, operation: Operation, shown: dict[str, Any]) -> Request:
    """A request of an operation. `shown` are values of the change at hand: hashes, numbers."""
    path, query = operation.path, []
    for each in operation.described.get("parameters", ()):
        name, schema = each["name"], each["schema"]
        if each["in"] == "path":
            path = path.replace(
                f"{{{name}}}", quote(str(_value(chance, name, schema, shown)), safe="", errors="replace")
            )
        elif each["required"] or chance.random() < 0.4:
            query.append((name, str(_value(chance, name, schema, shown))))
    address = f"{path}?{urlencode(query, errors='replace')}" if query else path
    if not operation.has_body:
        return Request(operation.method, address, None, {})
    headers = {} if chance.random() < 0.97 else {"Content-Type": chance.choice(("text/plain", "", "application/xml"))}
    if chance.random() < 0.05:
        raw = chance.choice((b"", b"{", b"[]", b"null", b'{"a": 1, "a": 1}', b"[" * 5000, b"\xff", b"9" * 17_000))
        return Request(operation.method, address, raw, headers)
    return Request(operation.method, address, json.dumps(_body(chance, operation, shown)).encode(), headers)


def _body(chance: random.Random, operation: Operation, shown: dict[str, Any]) -> dict[str, Any]:
    (content,) = operation.described["requestBody"]["content"].values()
    return _object(chance, _component(content["schema"]), shown)


def _component(schema: dict[str, Any]) -> dict[str, Any]:
    return dict(openapi()["components"]["schemas"][schema["$ref"].rpartition("/")[2]])


def _object(chance: random.Random, schema: dict[str, Any], shown: dict[str, Any]) -> dict[str, Any]:
    needed = set(schema.get("required", ()))
    body = {
        name: _value(chance, name, each, shown)
        for name, each in schema["properties"].items()
        if (name in needed and chance.random() < 0.98) or chance.random() < 0.5
    }
    return body | ({"unknown": 1} if chance.random() < 0.02 else {})


def _value(chance: random.Random, name: str, schema: dict[str, Any], shown: dict[str, Any]) -> Any:
    if chance.random() < 0.05:
        return chance.choice((None, True, -1, 10**30, 1.5, [], {}, *TEXTS))
    if name in shown and chance.random() < 0.85:
        return shown[name]
    if "$ref" in schema:
        named = _component(schema)
        return _object(chance, named, shown) if "properties" in named else _value(chance, name, named, shown)
    if options := schema.get("anyOf"):
        return _value(chance, name, chance.choice(options), shown)
    if items := schema.get("items"):
        return [_value(chance, name, items, shown) for _ in range(chance.randrange(1, 3))]
    return chance.choice(schema["enum"]) if "enum" in schema else _simple(chance, name, schema)


def _simple(chance: random.Random, name: str, schema: dict[str, Any]) -> Any:
    kind = schema.get("type")
    if kind == "integer":
        least, most = schema.get("minimum", 0), schema.get("maximum", 100)
        return chance.choice((least, most, least - 1, most + 1, min(least + 2, most), min(least + 2, most)))
    if kind == "boolean":
        return chance.random() < 0.5
    if kind == "null":
        return None
    if str(schema.get("pattern", "")).startswith("^[0-9a-f]"):
        return f"{chance.getrandbits(256):064x}"
    return chance.choice(USUAL[name]) if name in USUAL and chance.random() < 0.9 else chance.choice(TEXTS)
