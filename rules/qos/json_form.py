"""Conversion of the model to and from canonical JSON, the stored base of diffs and the input of its hash."""

import dataclasses
import hashlib
import json
import types
import typing
from collections.abc import Callable, Iterable
from functools import cache, lru_cache
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
    try:
        model = _reader(RouterModel)(content["model"])
    except _MisfitError as misfit:
        raise ModelError([f"model{misfit.where}: {misfit}"]) from misfit
    assert isinstance(model, RouterModel)  # noqa: S101 - for the type checker: its reader returns what it is asked for
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
    kind = type(value)
    if kind is tuple:
        return [plain(item) for item in typing.cast("tuple[object, ...]", value)]
    if kind in _ADDRESSES:
        return str(value)
    if dataclasses.is_dataclass(kind):
        said = [(name, default, getattr(value, name)) for name, default in _fields(kind)]
        return {name: plain(each) for name, default, each in said if default is _NONE or each != default}
    return value


_ADDRESSES = {IPv4Network, IPv6Network, IPv4Address, IPv6Address}
_NONE = dataclasses.MISSING


@cache
def _fields(kind: type) -> tuple[tuple[str, object], ...]:
    return tuple((field.name, field.default) for field in dataclasses.fields(kind))


class _MisfitError(Exception):
    """A value that does not fit. On its way up each object and list puts its part of the path in front."""

    def __init__(self, problem: str) -> None:
        super().__init__(problem)
        self.path: list[str] = []

    @property
    def where(self) -> str:
        return "".join(reversed(self.path))


# A model of thousands of terms is read on the way to a page: the reader of each type is made once, and the path to a
# value is put together where it is refused.
_Reader = Callable[[object], object]


@cache
def _reader(kind: Any) -> _Reader:
    if dataclasses.is_dataclass(kind):
        return _object_reader(typing.cast("type", kind))
    origin, inner = typing.get_origin(kind), typing.get_args(kind)
    if origin is tuple:
        return _list_reader(_reader(inner[0]))
    if origin is typing.Literal:
        return _literal_reader(inner)
    if origin in (typing.Union, types.UnionType):
        return _union_reader(inner)
    return _plain_reader(kind)


def _object_reader(kind: type) -> _Reader:
    readers = {name: _reader(hint) for name, hint in typing.get_type_hints(kind).items()}
    optional = {name for name, default in _fields(kind) if default is not _NONE}
    needed = readers.keys() - optional
    beside = f", and may have {', '.join(sorted(optional))}" if optional else ""

    def read(value: object) -> object:
        if not isinstance(value, dict) or not needed <= value.keys() <= readers.keys():
            raise _MisfitError(f"needs exactly the keys {', '.join(sorted(needed))}{beside}")
        found = {}
        for name, each in value.items():
            try:
                found[name] = readers[name](each)
            except _MisfitError as misfit:
                misfit.path.append(f".{name}")
                raise
        return kind(**found)

    return read


def _list_reader(read_item: _Reader) -> _Reader:
    def read(value: object) -> tuple[object, ...]:
        if not isinstance(value, list):
            raise _MisfitError(f"{value!r} is not a list")
        found = []
        for item in value:
            try:
                found.append(read_item(item))
            except _MisfitError as misfit:
                misfit.path.append(f"[{len(found)}]")
                raise
        return tuple(found)

    return read


def _literal_reader(choices: tuple[object, ...]) -> _Reader:
    def read(value: object) -> object:
        if type(value) in (str, int) and value in choices:
            return value
        raise _MisfitError(f"{value!r} is none of {', '.join(map(str, choices))}")

    return read


def _union_reader(kinds: tuple[Any, ...]) -> _Reader:
    wanted = tuple(kind for kind in kinds if kind is not types.NoneType)
    if _ADDRESSES & set(wanted):
        read_value = _address_reader(wanted)
    else:
        read_value = _reader(wanted[0]) if len(wanted) == 1 else _plain_reader(*wanted)
    if types.NoneType not in kinds:
        return read_value
    return lambda value: None if value is None else read_value(value)


def _address_reader(wanted: tuple[type, ...]) -> _Reader:
    parse = _network if {IPv4Network, IPv6Network} & set(wanted) else ip_address

    def read(value: object) -> object:
        try:
            parsed = parse(value) if isinstance(value, str) else None
        except ValueError as cause:
            raise _MisfitError(f"{value!r} is refused: {cause}") from cause
        if not isinstance(parsed, wanted):
            raise _MisfitError(f"{value!r} is not of type {_or(wanted)}")
        return parsed

    return read


@lru_cache(maxsize=1 << 16)
def _network(value: str) -> IPv4Network | IPv6Network:
    """Cached: candidate and base name mostly the same, night after night."""
    return ip_network(value)


def _plain_reader(*wanted: type) -> _Reader:
    def read(value: object) -> object:
        if type(value) in wanted:
            return value
        raise _MisfitError(f"{value!r} is not of type {_or(wanted)}")

    return read


def _or(kinds: Iterable[type]) -> str:
    return " or ".join(kind.__name__ for kind in kinds)
