"""The names below a flow folder, each asked for by itself: slow, and without the compiled module."""

import os
from collections.abc import Iterator
from pathlib import Path


def slow_listing(folder: Path) -> tuple[set[str], set[tuple[str, bool]], set[str]]:
    """Usual paths; other paths, each with whether it is a file; links to folders. Hidden files are left out."""
    usual, others, links = set(), set(), set()
    for path in _below(str(folder), ""):
        place, name = os.path.join(folder, path), path.rpartition("/")[2]  # noqa: PTH118 - a path that is no text
        is_plain = os.path.isfile(place) and not os.path.islink(place)  # noqa: PTH113, PTH114
        if os.path.islink(place) and os.path.isdir(place):  # noqa: PTH112, PTH114
            links.add(path)
        elif name.startswith("."):
            continue
        elif is_plain and all(" " <= character <= "~" for character in path):
            usual.add(path)
        else:
            others.add((path, is_plain))
    return usual, others, links


def _below(folder: str, prefix: str) -> Iterator[str]:
    """All but folders; folders in folders are few in tests."""
    for name in os.listdir(folder):  # noqa: PTH208
        place = os.path.join(folder, name)  # noqa: PTH118
        if os.path.isdir(place) and not os.path.islink(place):  # noqa: PTH112, PTH114
            yield from _below(place, f"{prefix}{name}/")
        else:
            yield prefix + name
