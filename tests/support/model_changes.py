"""Changes of one value of a configuration model, as a test breaks it."""

import dataclasses
from collections.abc import Callable
from typing import Any

from hntes.rules.pairs import PrefixPair
from hntes.rules.qos.model import DropPoint, RouterModel

Change = Callable[[RouterModel], RouterModel]


def replace_in(field: str, index: int, **changes: Any) -> Change:
    """A change of some values of one item of a list of the model."""

    def change(old: RouterModel) -> RouterModel:
        items = list(getattr(old, field))
        items[index] = dataclasses.replace(items[index], **changes)
        return dataclasses.replace(old, **{field: tuple(items)})

    return change


def put(**changes: Any) -> Change:
    return lambda old: dataclasses.replace(old, **changes)


def in_term(**changes: Any) -> Change:
    def change(old: RouterModel) -> RouterModel:
        first, *others = old.filters[0].terms
        return replace_in("filters", 0, terms=(dataclasses.replace(first, **changes), *others))(old)

    return change


def points(*values: tuple[int, int]) -> tuple[DropPoint, ...]:
    return tuple(DropPoint(*value) for value in values)


V4 = PrefixPair.parse("198.18.10.0/24>203.0.113.0/24")
V6 = PrefixPair.parse("2001:db8:1::/64>2001:db8:2::/64")
