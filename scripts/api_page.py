"""The HTTP API in Markdown, of its OpenAPI document: `make docs` appends it to docs/reference/api.md."""

import sys
from collections.abc import Iterator, Mapping
from http import HTTPStatus
from typing import Any

from hntes.web.api.openapi import openapi

_LIMITS = (("minimum", "from {}"), ("maximum", "to {}"), ("maxLength", "at most {} characters"), ("pattern", "`{}`"))


def api_page() -> str:
    """Markdown: a chapter per operation, then one per document."""
    described = openapi()
    operations = [
        line
        for path, methods in described["paths"].items()
        for method, operation in methods.items()
        for line in _operation(f"{method.upper()} {path}", operation)
    ]
    documents = [line for name, each in described["components"]["schemas"].items() for line in _document(name, each)]
    return "\n".join([*operations, *documents])


def _operation(head: str, operation: Mapping[str, Any]) -> Iterator[str]:
    yield from (f"## `{head}`", "", operation["description"], "")
    if parameters := operation.get("parameters"):
        yield from ("| parameter | in | meaning |", "|---|---|---|")
        yield from (f"| `{each['name']}` | {each['in']} | {each['description']} |" for each in parameters)
        yield ""
    if body := operation.get("requestBody"):
        yield from (f"The body is a {_schema(body)}.", "")
    yield from ("| status | meaning | document |", "|---|---|---|")
    for status, answer in sorted(operation["responses"].items()):
        yield f"| {status} | {HTTPStatus(int(status)).phrase} | {_schema(answer)} |"
    yield ""


def _schema(holder: Mapping[str, Any]) -> str:
    (content,) = holder["content"].values()
    return _type(content["schema"])


def _document(name: str, schema: Mapping[str, Any]) -> Iterator[str]:
    yield from (
        f"## {name}",
        "",
        schema["description"],
        "",
        "| field | value | default | meaning |",
        "|---|---|---|---|",
    )
    required = schema.get("required", ())
    for field, each in schema["properties"].items():
        default = "required" if field in required else f"`{each['default']}`" if each.get("default") else "none"
        parts = [each, *each.get("anyOf", ())]
        limits = "".join(f", {words.format(part[key])}" for part in parts for key, words in _LIMITS if key in part)
        said = next((part["description"] for part in parts if "description" in part), "")
        yield f"| `{field}` | {_type(each)}{limits} | {default} | {said} |"
    yield ""


def _type(schema: Mapping[str, Any]) -> str:
    if reference := schema.get("$ref"):
        name = reference.rpartition("/")[2]
        return f"[{name}](#{name.lower()})"
    if options := schema.get("anyOf"):
        return " or ".join(_type(each) for each in options)
    if values := schema.get("enum"):
        return ", ".join(f"`{each}`" for each in values)
    if items := schema.get("items"):
        return f"list of: {_type(items)}"
    return str(schema["type"])


if __name__ == "__main__":
    sys.stdout.write(api_page() + "\n")
