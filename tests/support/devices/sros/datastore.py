"""A configuration of the emulated router: nested dictionaries that follow its schema.

A container is a dictionary by name, a list one by the tuple of an entry's keys, a leaf its text. RFC 6241, section 7.2,
says what an edit does; RFC 7950, 7.5.1: a container without presence that holds nothing is not there.
"""

import re
from collections.abc import Iterator
from typing import Any

from tests.support.devices.sros.schema import SCHEMA

Data = dict[Any, Any]
_TOKEN = re.compile(r'"((?:[^"\\]|\\.)*)"|([{}])|([^\s{}"]+)')


class NotTakenError(Exception):
    """An element that the schema does not know, or a value that its type does not allow; RFC 6241, appendix A."""

    def __init__(self, message: str, tag: str = "unknown-element") -> None:
        super().__init__(message)
        self.tag = tag


def place(
    data: Data, schema: dict[str, Any], words: list[str], *, is_made: bool = True
) -> tuple[Data, Any, dict[str, Any]]:
    """Walks words from a container: returns the holder of the last thing that they name, its key there, and its schema.

    A leaf with a value is set.
    """
    holder: Data = data
    key: Any = None
    below: Any = schema
    left = list(words)
    while left:
        if not isinstance(below, dict):
            raise NotTakenError(f"{' '.join(words)}: nothing is expected behind a leaf")
        name = left.pop(0)
        if name.startswith("@") or name not in below:
            raise NotTakenError(f"{' '.join(words)}: {name} is unknown")
        if key is not None:
            holder = holder.setdefault(key, {}) if is_made else holder.get(key, {})
        key, below = name, below[name]
        if isinstance(below, dict) and "@keys" in below:
            holder = holder.setdefault(name, {}) if is_made else holder.get(name, {})
            key = _entry_key(below, left, words)
        elif isinstance(below, str) and (left or is_made):
            value = left.pop(0) if below and left else ""
            if not re.fullmatch(below, value):
                raise NotTakenError(f"{' '.join(words)}: {value!r} is not allowed", "invalid-value")
            if is_made:
                holder[key] = value
    if is_made and isinstance(below, dict):
        holder.setdefault(key, {})
    return holder, key, below


def _entry_key(schema: dict[str, Any], left: list[str], words: list[str]) -> tuple[str, ...]:
    found = []
    for index, name in enumerate(schema["@keys"]):
        if index and left[:1] == [name]:
            left.pop(0)
        if not left:
            raise NotTakenError(f"{' '.join(words)}: the key {name} is missing", "missing-element")
        value = left.pop(0)
        if not re.fullmatch(schema[name], value):
            raise NotTakenError(f"{' '.join(words)}: {value!r} is not allowed", "invalid-value")
        found.append(value)
    return tuple(found)


def enter(data: Data, text: str) -> None:
    """MD-CLI text as a user enters it below `/configure`: statements, blocks, and `delete`."""
    stack: list[tuple[Data, dict[str, Any]]] = [(data, SCHEMA)]
    for line in text.splitlines():
        words: list[str] = []
        if line.strip().startswith("#"):
            continue
        for string, mark, word in _TOKEN.findall(line):
            if mark == "{":
                if words == ["configure"]:
                    stack.append((data, SCHEMA))
                else:
                    holder, key, schema = place(*stack[-1], words)
                    stack.append((holder[key], schema))
                words = []
            elif mark == "}":
                stack.pop()
            else:
                words.append(string or word)
        if words[:1] == ["delete"]:
            remove(data, words[1:])
        elif words:
            place(*stack[-1], words)
    assert len(stack) == 1, "a block is not closed"


def remove(data: Data, words: list[str]) -> None:
    """MD-CLI's `delete`: what is not there is refused."""
    holder, key, _ = place(data, SCHEMA, words, is_made=False)
    if key not in holder:
        raise NotTakenError(f"{' '.join(words)}: is not there", "data-missing")
    del holder[key]


def pruned(data: Data, schema: dict[str, Any] = SCHEMA) -> Data:
    """A copy without containers and lists that hold nothing; an entry of a list stays."""
    found: Data = {}
    for name, value in data.items():
        below = schema[name]
        if isinstance(below, str):
            found[name] = value
        elif "@keys" in below:
            if value:
                found[name] = {key: pruned(each, below) for key, each in value.items()}
        elif kept := pruned(value, below):
            found[name] = kept
    return found


def shown(data: Data) -> list[str]:
    """The lines of `admin show configuration`, without its comments; entries in the order of their keys."""
    return ["configure {", *_lines(pruned(data), SCHEMA, "    "), "}"]


def _lines(data: Data, schema: dict[str, Any], indent: str) -> Iterator[str]:
    for name in sorted(data):
        below, value = schema[name], data[name]
        if isinstance(below, str):
            yield f"{indent}{name} {_quoted(value)}" if value else f"{indent}{name}"
        elif "@keys" in below:
            for key in sorted(value, key=_rank):
                words = [
                    _quoted(key[0]),
                    *(f"{one} {_quoted(each)}" for one, each in zip(below["@keys"][1:], key[1:], strict=True)),
                ]
                yield f"{indent}{name} {' '.join(words)} {{"
                yield from _lines(value[key], below, indent + "    ")
                yield f"{indent}}}"
        else:
            yield f"{indent}{name} {{"
            yield from _lines(value, below, indent + "    ")
            yield f"{indent}}}"


def _rank(key: tuple[str, ...]) -> list[tuple[int, int, str]]:
    return [(0, int(each), "") if each.isdigit() else (1, 0, each) for each in key]


def _quoted(value: str) -> str:
    return (
        value
        if re.fullmatch(r"[\w./:-]+", value) and (value.isdigit() or "/" in value or value.islower())
        else f'"{value}"'
    )
