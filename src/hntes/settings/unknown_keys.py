"""Suggestions for unknown keys of the settings, and their lines in the file."""

import re
from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import BaseModel

ALIKE = 0.7  # by difflib's ratio: `min_dya_coverage` and `min_day_coverage` have 0.94, `days` and `delay` 0.67


def meant(root: type[BaseModel], location: Sequence[int | str]) -> str | None:
    """The key of the section that is most similar; None if none is similar.

    Args:
        root: The class of the whole file.
        location: As given by pydantic: keys, list indexes and tags of unions, the unknown key last.

    Example:
        >>> from hntes.settings.model import Settings
        >>> meant(Settings, ("ageing", "dais"))
        'days'
    """
    *above, unknown = location
    found = get_close_matches(str(unknown), sorted(_keys(root, above)), n=1, cutoff=ALIKE)
    return found[0] if found else None


def line_of(text: str, key: str) -> int | None:
    """The number of the line that sets a key or opens a table of this name; None unless there is exactly one."""
    wanted = re.compile(rf"\s*(\[+\s*(?:[\w-]+\s*\.\s*)*)?{re.escape(key)}\s*(=|\.|\])")
    lines = [number for number, line in enumerate(text.splitlines(), 1) if wanted.match(line)]
    return lines[0] if len(lines) == 1 else None


def _keys(root: type[BaseModel], above: Sequence[int | str]) -> set[str]:
    """The keys of the section at this location; of all its kinds if there are several."""
    sections = [root]
    for part in above:
        below = [model for section in sections if (field := section.model_fields.get(str(part)))
                 for model in _models(field.annotation)]  # fmt: skip
        sections = below or sections  # a list index, a table's own name, or a tag
    return {name for section in sections for name in section.model_fields}


def _models(annotation: Any) -> Iterator[type[BaseModel]]:
    """The section classes of an annotation, also inside lists, tables and unions."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    elif get_origin(annotation) in (tuple, list, dict, Union, UnionType, Annotated):
        for part in get_args(annotation):
            yield from _models(part)
