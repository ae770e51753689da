"""Differences between the effective model of a text and the expected one."""

import dataclasses
from collections.abc import Iterator

from hntes.platforms.effective import EffectiveModel


def differences(found: EffectiveModel, expected: EffectiveModel) -> list[str]:
    """One line for each place where the models differ: the place, the value found, the value expected.

    Labels and line numbers are ignored. Lists of different length count as one difference.
    """
    return list(_differences(found, expected, "text"))


def _differences(found: object, expected: object, where: str) -> Iterator[str]:
    if found == expected:
        return
    if dataclasses.is_dataclass(found) and type(found) is type(expected):
        for each in dataclasses.fields(found):
            if each.compare:
                yield from _differences(getattr(found, each.name), getattr(expected, each.name), f"{where}.{each.name}")
    elif isinstance(found, tuple) and isinstance(expected, tuple) and len(found) == len(expected):
        for index, (left, right) in enumerate(zip(found, expected, strict=True)):
            yield from _differences(left, right, f"{where}[{index}]")
    elif isinstance(found, tuple) and isinstance(expected, tuple):
        yield f"{where}: has {len(found)} items, expected {len(expected)}"
    else:
        yield f"{where}: {found}, expected {expected}"
