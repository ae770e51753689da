"""The HTTP API in Markdown, of its OpenAPI document: `make docs` appends it to docs/reference/api.md."""

import re
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
    (required,) = operation["security"]
    yield from (f"## `{head}`", "", operation["description"], "", f"Scope: `{required['token'][0]}`.", "")
    if parameters := operation.get("parameters"):
        yield from ("| parameter | in | meaning |", "|---|---|---|")
        yield from (f"| `{each['name']}` | {each['in']} | {each['description']} |" for each in parameters)
        yield ""
    if body := operation.get("requestBody"):
        yield from (f"The body is a {_schema(body)}.", "")
    yield from ("| status | meaning | document |", "|---|---|---|")
    for status, answer in sorted(operation["responses"].items()):
        yield f"| {status} | {_phrase(status)} | {_schema(answer)} |"
    yield ""


def _phrase(status: str) -> str:
    return HTTPStatus(int(status)).phrase


def _schema(holder: Mapping[str, Any]) -> str:
    contents = holder["content"]
    if len(contents) > 1:
        return " or ".join(f"`{media_type}`" for media_type in contents)
    (content,) = contents.values()
    return _type(content["schema"])


def _document(name: str, schema: Mapping[str, Any]) -> Iterator[str]:
    about, meanings = _attributes(schema["description"])
    if schema["type"] == "string":
        yield from _text(name, schema)
        return
    yield from (
        f"## {name}",
        "",
        about,
        "",
        "| field | value | default | meaning |",
        "|---|---|---|---|",
    )
    required = schema.get("required", ())
    for field, each in schema["properties"].items():
        default = "required" if field in required else f"`{each['default']}`" if each.get("default") else "none"
        parts = [each, *each.get("anyOf", ())]
        limits = "".join(f", {words.format(part[key])}" for part in parts for key, words in _LIMITS if key in part)
        told = [part["description"] for part in (*parts, *map(_text_of, parts)) if "description" in part]
        said = told[0] if told else meanings.get(field, "")
        yield f"| `{field}` | {_type(each)}{limits} | {default} | {said} |"
    yield ""


def _text_of(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    """The text that is referred to; nothing for another schema."""
    named = openapi()["components"]["schemas"].get(schema.get("$ref", "").rpartition("/")[2], {})
    return named if named.get("type") == "string" else {}


def _text(name: str, schema: Mapping[str, Any]) -> Iterator[str]:
    """A text that has a schema of its own: its patterns are too long for the tables of documents."""
    examples = ", ".join(f"`{each}`" for each in schema["examples"])
    about = f"{schema['description']} At most {schema['maxLength']} characters, such as {examples}."
    pattern = re.sub("[^ -~]", lambda found: f"\\u{ord(found[0]):04x}", schema["pattern"])
    yield from (f"## {name}", "", about, "", "```text", pattern, "```", "")


def _attributes(description: str) -> tuple[str, Mapping[str, str]]:
    """The text of a docstring, and what its section of attributes says of each."""
    about, _, listed = description.partition("\n\nAttributes:\n")
    parts = re.findall(r"^ {4}(\w+): (.+(?:\n {8}.+)*)", listed, re.MULTILINE)
    return about, {name: re.sub(r"\s+", " ", text) for name, text in parts}


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
    if "const" in schema:
        return f"`{schema['const']}`"
    return str(schema["type"])


if __name__ == "__main__":
    sys.stdout.write(api_page() + "\n")
