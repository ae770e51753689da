"""The reference of settings in Markdown, from the models: `make docs` appends it to docs/reference/settings.md.

Sections have the models' own descriptions, keys their type, range and default. What a key means is what its model says
below it, else the comment that hntes.example.toml has on it, in the section of the same name.
"""

import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from inspect import getdoc
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from hntes.settings.key_words import key_words
from hntes.settings.model import Settings

_WORDS: dict[object, str] = {
    bool: "true or false", int: "whole number", float: "number", str: "text", Path: "path", IPv4Address: "IPv4 address",
    IPv6Address: "IPv6 address", IPv4Network: "IPv4 network", IPv6Network: "IPv6 network",
}  # fmt: skip
# Narrow columns break lines at ordinary spaces.
_NO_BREAK_SPACE = "\N{NARROW NO-BREAK SPACE}"
_LIMITS = (("ge", "from {}"), ("gt", "above {}"), ("le", "to {}"), ("lt", "below {}"))


@dataclass(frozen=True)
class _Section:
    """A table of the settings file: `[name]`, or `[[name]]` if it may be repeated."""

    name: str
    model: type[BaseModel]
    is_list: bool = False

    @property
    def head(self) -> str:
        return f"[[{self.name}]]" if self.is_list else f"[{self.name}]"


def reference(example: str = "") -> str:
    """Markdown: one chapter per section, in the order of the models. `example` is the text of hntes.example.toml."""
    said = _comments(example)
    return "\n".join(_chapter(section, said.get(section.name, {})) for section in _sections(Settings, ""))


def _sections(model: type[BaseModel], prefix: str) -> Iterator[_Section]:
    """All tables below a model, each before those inside of it; of alternatives each one."""
    for key, field in model.model_fields.items():
        kinds = sorted(_models(field.annotation), key=lambda each: each.__name__)
        is_list = get_origin(field.annotation) is tuple or "tuple[" in str(field.annotation)
        name = f"{prefix}{key}"
        for kind in kinds:
            where = f"{name}.NAME" if get_origin(field.annotation) is dict else name
            yield _Section(where, kind, is_list)
            yield from _sections(kind, f"{where}.")


def _chapter(section: _Section, said: Mapping[str, str]) -> str:
    kind = kind_of(section.model)
    lines = [f"## `{section.head}`{f' kind = {kind}' if kind else ''}", ""]
    if text := _own_doc(section.model):
        lines += [text, ""]
    meanings = {**said, **key_words(section.model)}
    rows = [
        f"| `{key}` | {values(field)} | {default(field)} | {cell(meanings.get(key, ''))} |"
        for key, field in section.model.model_fields.items()
        if not _models(field.annotation) and not (kind and key == "kind")
    ]
    if rows:
        lines += ["| key | value | default | meaning |", "|---|---|---|---|", *rows, ""]
    return "\n".join(lines)


def kind_of(model: type[BaseModel]) -> str:
    """The `kind` that distinguishes this section from others of its name; "" without one."""
    tag = model.model_fields.get("kind")
    kinds = get_args(tag.annotation) if tag is not None else ()
    return str(kinds[0]) if len(kinds) == 1 else ""


def _own_doc(model: type[BaseModel]) -> str:
    """The description of a model, as paragraphs."""
    text = getdoc(model) if "__doc__" in model.__dict__ and model.__doc__ else ""
    return text or ""


def _models(annotation: Any) -> set[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return {annotation}
    return {found for part in get_args(annotation) for found in _models(part)}


def values(field: FieldInfo) -> str:
    """What a key may have, in words, as Markdown."""
    return f"{_type(field.annotation)}{_range(field)}"


def _type(annotation: Any) -> str:
    origin, parts = get_origin(annotation), get_args(annotation)
    if origin is Literal:
        return ", ".join(f"`{each}`" for each in parts)
    if origin in (Union, UnionType):
        return " or ".join(dict.fromkeys(_type(each) for each in parts if each is not NoneType))
    if origin in (tuple, list, set, frozenset):
        return f"list of: {_type(parts[0])}"
    if origin is dict:
        return f"table of names to: {_type(parts[1])}"
    if hasattr(annotation, "__metadata__"):
        return _type(parts[0])
    if isinstance(annotation, type) and issubclass(annotation, Enum):
        return ", ".join(f"`{each.value}`" for each in annotation)
    return _WORDS.get(annotation, getattr(annotation, "__name__", str(annotation)))


def _range(field: FieldInfo) -> str:
    """Its limits, as far as they are numbers; a check in code is told by the description."""
    found = dict.fromkeys(
        words.format(f"{limit:,}".replace(",", _NO_BREAK_SPACE) if isinstance(limit, int) else limit)
        for each in _metadata(field) for name, words in _LIMITS if (limit := getattr(each, name, None)) is not None
    )  # fmt: skip
    return f", {' '.join(found)}" if found else ""


def _metadata(field: FieldInfo) -> Iterator[Any]:
    yield from field.metadata
    yield from _inner_metadata(field.annotation)


def _inner_metadata(annotation: Any) -> Iterator[Any]:
    for each in getattr(annotation, "__metadata__", ()):
        yield from getattr(each, "metadata", [each])
    for part in get_args(annotation):
        yield from _inner_metadata(part)


def default(field: FieldInfo) -> str:
    """The value of a key that is not set, as Markdown."""
    if field.is_required():
        return "required"
    value = field.get_default(call_default_factory=True)
    if value is None or value in ((), {}):
        return "none"
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    return f"`{', '.join(map(str, value)) if isinstance(value, tuple) else value}`"


def cell(text: str) -> str:
    """A text in a cell of a table."""
    return text.replace("|", "\\|").replace("<", "&lt;")


def _comments(example: str) -> dict[str, dict[str, str]]:
    """The comment behind each key, by section; a comment that goes on in the lines below is joined."""
    found: dict[str, dict[str, str]] = {}
    section, key = "", ""
    for line in example.splitlines():
        plain = re.sub(r"^\s*#\s?", "", line) if re.match(r"\s*#\s*(\[|[a-z_0-9]+ = )", line) else line
        if head := re.match(r"\s*\[\[?([a-z_.]+)\]\]?", plain):
            section, key = head[1].replace("plans.", "plans.NAME."), ""
            section = "plans.NAME" if section.startswith("plans.") else section
        elif pair := re.match(r"\s*([a-z_0-9]+) = (?:\"[^\"]*\"|[^#\"]|\"[^\"]*\")*(?:#\s*(.*))?$", plain):
            key = pair[1]
            found.setdefault(section, {}).setdefault(key, pair[2] or "")
        elif key and (more := re.match(r"\s{10,}#\s*(.*)", line)):
            found[section][key] = f"{found[section][key]} {more[1]}".strip()
        else:
            key = ""
    return found


if __name__ == "__main__":
    sys.stdout.write(reference(Path(sys.argv[1]).read_text(encoding="utf-8") if len(sys.argv) > 1 else ""))
