"""Conversion of the model to and from canonical JSON, the stored base of diffs and the input of its hash."""

import dataclasses
import hashlib
import json
import types
import typing
from functools import cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Any

from hntes.rules.qos.model import ModelError, RouterModel

# Incremented when stored models of an earlier form can no longer be read.
FORMAT = 1


def to_json(model: RouterModel) -> str:
    """Canonical JSON: keys sorted, no blanks, ASCII; equal models give equal bytes."""
    content = {"format": FORMAT, "model": plain(model)}
    return json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=True)


def from_json(text: str) -> RouterModel:
    """The model that `to_json` wrote. It is not validated: see `rules.qos.validate`.

    Raises:
        ModelError: no JSON, another format, a missing or unknown key, or a value of the wrong type.
    """
    try:
        content = json.loads(text)
    except json.JSONDecodeError as cause:
        raise ModelError([f"stored model is not JSON: {cause}; render the router again"]) from cause
    if not isinstance(content, dict) or set(content) != {"format", "model"} or content["format"] != FORMAT:
        raise ModelError([f"stored model is not of format {FORMAT}; render the router again"])
    model = _read(RouterModel, content["model"], "model")
    assert isinstance(model, RouterModel)  # noqa: S101 - for the type checker: _read returns what it is asked for
    return model


def model_hash(model: RouterModel) -> str:
    """SHA-256 of the canonical JSON, 64 hexadecimal digits."""
    return text_hash(to_json(model))


def text_hash(canonical: str) -> str:
    """The same of a model's canonical JSON."""
    return hashlib.sha256(canonical.encode("ascii")).hexdigest()


def plain(value: object) -> Any:
    """A model's value as JSON types: dataclasses as objects, tuples as lists, addresses as text.

    Default values are omitted, so that a model that does not use a newer field keeps its hash.
    """
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        said = [(field, getattr(value, field.name)) for field in dataclasses.fields(value)]
        return {field.name: plain(each) for field, each in said if each != field.default}
    if isinstance(value, tuple):
        return [plain(item) for item in value]
    if isinstance(value, IPv4Network | IPv6Network | IPv4Address | IPv6Address):
        return str(value)
    return value


@cache
def _hints(kind: type) -> dict[str, Any]:
    return typing.get_type_hints(kind)


@cache
def _optional(kind: type) -> frozenset[str]:
    """The fields that have a default: `plain` leaves them out where they are that."""
    return frozenset(each.name for each in dataclasses.fields(kind) if each.default is not dataclasses.MISSING)


def _read(kind: Any, value: object, where: str) -> object:
    if dataclasses.is_dataclass(kind):
        return _read_object(typing.cast(type, kind), value, where)
    origin = typing.get_origin(kind)
    if origin is tuple:
        return _read_list(typing.get_args(kind)[0], value, where)
    if origin is typing.Literal:
        if type(value) in (str, int) and value in typing.get_args(kind):
            return value
        raise ModelError([f"{where}: {value!r} is none of {', '.join(map(str, typing.get_args(kind)))}"])
    if origin in (typing.Union, types.UnionType):
        return _read_union(typing.get_args(kind), value, where)
    if type(value) is kind:
        return value
    raise ModelError([f"{where}: {value!r} is not of type {kind.__name__}"])


def _read_object(kind: type, value: object, where: str) -> object:
    hints, optional = _hints(kind), _optional(kind)
    if not isinstance(value, dict) or not set(hints) - optional <= set(value) <= set(hints):
        beside = f", and may have {', '.join(sorted(optional))}" if optional else ""
        raise ModelError([f"{where}: needs exactly the keys {', '.join(sorted(set(hints) - optional))}{beside}"])
    return kind(**{key: _read(hints[key], each, f"{where}.{key}") for key, each in value.items()})


def _read_list(kind: Any, value: object, where: str) -> tuple[object, ...]:
    if not isinstance(value, list):
        raise ModelError([f"{where}: {value!r} is not a list"])
    return tuple(_read(kind, item, f"{where}[{index}]") for index, item in enumerate(value))


def _read_union(kinds: tuple[Any, ...], value: object, where: str) -> object:
    if value is None and type(None) in kinds:
        return None
    wanted = [kind for kind in kinds if kind is not type(None)]
    if not _ADDRESSES & set(wanted):
        return _read(wanted[0], value, where)
    try:
        parsed = _address(wanted, value)
    except ValueError as cause:
        raise ModelError([f"{where}: {value!r} is refused: {cause}"]) from cause
    if not isinstance(parsed, tuple(wanted)):
        raise ModelError([f"{where}: {value!r} is not of type {' or '.join(kind.__name__ for kind in wanted)}"])
    return parsed


_ADDRESSES = {IPv4Network, IPv6Network, IPv4Address, IPv6Address}


def _address(wanted: list[Any], value: object) -> object:
    if not isinstance(value, str):
        return None
    return ip_network(value) if {IPv4Network, IPv6Network} & set(wanted) else ip_address(value)
