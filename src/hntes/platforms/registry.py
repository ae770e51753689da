"""Registry of installed platforms, found by entry points of the group `hntes.platforms`.

Names are known without an import; a platform is imported on first use.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from importlib.metadata import EntryPoint, PackageNotFoundError, distribution, entry_points
from typing import TYPE_CHECKING

from hntes.errors import HntesError

if TYPE_CHECKING:
    from hntes.platforms.platform import Platform

GROUP = "hntes.platforms"


class UnknownPlatformError(HntesError):
    """A platform that no installed distribution provides."""

    def __init__(self, name: str) -> None:
        known = ", ".join(installed_platforms()) or "none; reinstall HNTES"
        super().__init__(f"platform {name!r} is not installed; installed are: {known}")


class BrokenPlatformError(HntesError):
    """An entry point whose platform cannot be used."""

    def __init__(self, entry: EntryPoint, reason: str) -> None:
        source = f" of {entry.dist.name}" if entry.dist is not None else ""
        super().__init__(f"platform {entry.name!r}: entry point `{entry.value}`{source} cannot be used: {reason}")


@cache
def installed_platforms() -> tuple[str, ...]:
    """The names of all installed platforms, in alphabetical order; nothing is imported."""
    return tuple(sorted({each.name for each in entry_points(group=GROUP)}))


def is_installed(name: str) -> bool:
    """Whether a platform of that name is installed. Those of HNTES are looked up first, without a search of others."""
    return name in _own_names() or name in installed_platforms()


@cache
def platform_of(name: str) -> Platform:
    """The platform of that name.

    Raises:
        UnknownPlatformError: none is installed.
        BrokenPlatformError: its entry point cannot be loaded, is not a platform, or is ambiguous.
    """
    found = [each for each in _own() if each.name == name] or list(_all(name))
    if not found:
        raise UnknownPlatformError(name)
    if len(found) > 1:
        raise BrokenPlatformError(found[0], f"`{found[1].value}` has the same name; uninstall one")
    return _loaded(found[0])


@cache
def _own_names() -> frozenset[str]:
    return frozenset(each.name for each in _own())


def _own() -> Iterator[EntryPoint]:
    try:
        yield from distribution("hntes").entry_points.select(group=GROUP)
    except PackageNotFoundError:
        return


def _all(name: str) -> Iterator[EntryPoint]:
    yield from entry_points(group=GROUP, name=name)


def _loaded(entry: EntryPoint) -> Platform:
    from hntes.platforms.platform import Platform  # imports the effective model, not needed for names

    try:
        found = entry.load()
    except Exception as cause:
        raise BrokenPlatformError(entry, f"{type(cause).__name__}: {cause}") from cause
    if not isinstance(found, Platform):
        raise BrokenPlatformError(entry, "not a Platform (hntes.platforms.platform)")
    if found.name != entry.name:
        raise BrokenPlatformError(entry, f"its name is {found.name!r}")
    return found
