"""The keys of queue plans as one table: `python -m hntes.settings.plan_table`; docs/reference/plans.md contains it."""

import sys
from typing import get_args

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from hntes.settings.key_words import key_words
from hntes.settings.plans import Plan
from hntes.settings.reference import cell, default, kind_of, values

KINDS: dict[str, type[BaseModel]] = {kind_of(each): each for each in get_args(get_args(Plan)[0])}
HEADER = ("key", "kinds", "value", "default", "meaning")


def plan_table() -> str:
    """The table in Markdown: a row per key and meaning, with the kinds of plan that have it."""
    rows: dict[tuple[str, str], dict[str, FieldInfo]] = {}
    for kind, model in KINDS.items():
        words = key_words(model)
        for key, field in model.model_fields.items():
            if key != "kind":
                rows.setdefault((key, words.get(key, "")), {})[kind] = field
    lines = [HEADER, ("---",) * len(HEADER)]
    lines += [_row(key, meaning, fields) for (key, meaning), fields in rows.items()]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


def _row(key: str, meaning: str, fields: dict[str, FieldInfo]) -> tuple[str, ...]:
    kinds = ", ".join(fields)
    if len(fields) == len(KINDS):
        kinds = "all"
    elif len(fields) == len(KINDS) - 1:
        kinds = f"all but {next(kind for kind in KINDS if kind not in fields)}"
    value = values(next(iter(fields.values())))
    return f"`{key}`", kinds, value, _defaults(fields), cell(meaning)


def _defaults(fields: dict[str, FieldInfo]) -> str:
    found: dict[str, list[str]] = {}
    for kind, field in fields.items():
        found.setdefault(default(field), []).append(kind)
    if len(found) == 1:
        return next(iter(found))
    return "; ".join(f"{value} with {', '.join(kinds)}" for value, kinds in found.items())


if __name__ == "__main__":
    sys.stdout.write(plan_table())
