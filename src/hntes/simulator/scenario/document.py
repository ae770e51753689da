"""Scenarios as the engines read them: JSON in which units stand in the names of keys."""

import json
import types
from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints, overload

from hntes.simulator.scenario.errors import ScenarioError

Value = TypeVar("Value")
# Metadata of a field that is written even if it has its default.
ALWAYS_WRITTEN = {"always_written": True}
_NAMES = {bool: "a boolean", int: "a whole number", float: "a number", str: "a string"}
# Most values of a scenario; asking what else they are takes longer than all the rest.
_PLAIN = frozenset({*_NAMES, types.NoneType})


def to_document(value: object) -> Any:
    """The value as plain JSON data; fields that have their default are left out."""
    if type(value) in _PLAIN:
        return value
    if is_dataclass(value):
        owner: Any = type(value)
        found = {"kind": owner.kind} if hasattr(owner, "kind") else {}
        for name, key, default, is_always in _fields(owner):
            one = getattr(value, name)
            if is_always or (one is not default and one != default):
                found[key] = to_document(one)
        return found
    if isinstance(value, tuple):
        return [to_document(one) for one in value]
    if isinstance(value, Mapping):
        return {name: to_document(one) for name, one in value.items()}
    return value


def to_json(value: object) -> str:
    """The value as canonical JSON: equal values have equal text."""
    return json.dumps(to_document(value), sort_keys=True)


@overload
def from_document(wanted: type[Value], document: object, key: str = "") -> Value: ...
@overload
def from_document(wanted: types.UnionType, document: object, key: str = "") -> Any: ...
def from_document(wanted: Any, document: object, key: str = "") -> Any:
    """The value that plain JSON data describes.

    Args:
        wanted: A class of this package, another frozen dataclass of such fields, or a union of them.
        document: As `json` or `tomllib` give it.
        key: Precedes keys in messages.

    Raises:
        ScenarioError: A key is unknown or missing, or its value has another type; the message names the key.
    """
    return _read(wanted, document, key)


@cache
def _fields(owner: Any) -> tuple[tuple[str, str, object, bool], ...]:
    """Of each field its name, its key, its default and if it is always written. `from_` has the key `from`."""
    return tuple((one.name, one.name.rstrip("_"), _default(one), bool(one.metadata)) for one in fields(owner))


@cache
def _types(owner: Any) -> dict[str, Any]:
    return get_type_hints(owner)


def _default(field: Any) -> object:
    return field.default_factory() if field.default_factory is not MISSING else field.default


def _read(wanted: Any, document: object, key: str) -> Any:
    origin = get_origin(wanted)
    if origin in (Union, types.UnionType):
        return _read_union(wanted, document, key)
    if is_dataclass(wanted):
        return _read_fields(wanted, document, key)
    if origin is tuple:
        return _read_tuple(wanted, document, key)
    if origin is Literal:
        if document not in get_args(wanted):
            raise _refused(key, f"unknown variant `{document}`, expected one of {_listed(get_args(wanted))}")
        return document
    if origin is not None:
        of_each = get_args(wanted)[1]
        return {name: _read(of_each, one, _joined(key, name)) for name, one in _table(document, key).items()}
    return _read_plain(wanted, document, key)


def _read_plain(wanted: type, document: object, key: str) -> object:
    accepted = (int, float) if wanted is float else wanted
    if not isinstance(document, accepted) or (isinstance(document, bool) and wanted is not bool):
        raise _refused(key, f"invalid type: {_shown(document)}, expected {_NAMES[wanted]}")
    return document


def _read_tuple(wanted: Any, document: object, key: str) -> tuple[object, ...]:
    members = get_args(wanted)
    if not isinstance(document, list | tuple):
        raise _refused(key, f"invalid type: {_shown(document)}, expected a list")
    if members[-1] is Ellipsis:
        return tuple(_read(members[0], one, f"{key}[{number}]") for number, one in enumerate(document))
    if len(document) != len(members):
        raise _refused(key, f"a list of {len(document)} values, expected {len(members)}")
    return tuple(
        _read(member, one, f"{key}[{number}]")
        for number, (member, one) in enumerate(zip(members, document, strict=True))
    )


def _read_union(wanted: Any, document: object, key: str) -> Any:
    """Of classes with a kind, the one of the document's kind; else the first member that the document fits."""
    members = [member for member in get_args(wanted) if member is not type(None)]
    if document is None and len(members) < len(get_args(wanted)):
        return None
    if len(members) == 1:
        return _read(members[0], document, key)
    kinds = {member.kind: member for member in members if hasattr(member, "kind")}
    if kinds:
        kind = _table(document, key).get("kind")
        if kind is None:
            raise _refused(key, "missing field `kind`")
        if kind not in kinds:
            raise _refused(key, f"unknown variant `{kind}`, expected one of {_listed(kinds)}")
        return _read(kinds[kind], document, key)
    errors = []
    for member in members:
        try:
            return _read(member, document, key)
        except ScenarioError as error:
            errors.append(error)
    raise errors[-1] if isinstance(document, dict | list) else errors[0]


def _read_fields(wanted: Any, document: object, key: str) -> Any:
    names = {of_document: name for name, of_document, _, _ in _fields(wanted)}
    given = dict(_table(document, key))
    if hasattr(wanted, "kind"):
        given.pop("kind", None)
    for name in given:
        if name not in names:
            raise _refused(_joined(key, name), f"unknown field `{name}`, expected one of {_listed(names)}")
    for _, name, default, _ in _fields(wanted):
        if default is MISSING and name not in given:
            raise _refused(key, f"missing field `{name}`")
    of_type = _types(wanted)
    return wanted(**{names[name]: _read(of_type[names[name]], one, _joined(key, name)) for name, one in given.items()})


def _table(document: object, key: str) -> Mapping[str, object]:
    if not isinstance(document, Mapping):
        raise _refused(key, f"invalid type: {_shown(document)}, expected a table")
    return document


def _joined(key: str, name: str) -> str:
    return f"{key}.{name}" if key else name


def _shown(document: object) -> str:
    match document:
        case bool():
            return f"boolean `{str(document).lower()}`"
        case str():
            return f'string "{document}"'
        case int() | float():
            return f"number `{document}`"
        case None:
            return "null"
    return "table" if isinstance(document, Mapping) else "list" if isinstance(document, list) else repr(document)


def _listed(names: object) -> str:
    return ", ".join(f"`{name}`" for name in names)  # type: ignore[attr-defined]


def _refused(key: str, message: str) -> ScenarioError:
    return ScenarioError(f"{key or '.'}: {message}")
