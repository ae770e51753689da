"""The words that models have on their keys: a text below a field, as Sphinx reads attributes.

They are read from the source when the reference is made, so that commands that read settings pay nothing for them.
"""

import ast
import inspect
from functools import cache
from pathlib import Path

from pydantic import BaseModel


def key_words(model: type[BaseModel]) -> dict[str, str]:
    """Key -> what it means, of the keys that a model or a base of it explains; the model's own words count first."""
    found: dict[str, str] = {}
    for each in reversed(model.__mro__):
        if issubclass(each, BaseModel) and each is not BaseModel:
            found |= _classes(Path(inspect.getfile(each))).get(each.__name__, {})
    return found


@cache
def _classes(path: Path) -> dict[str, dict[str, str]]:
    """The explained keys of a module's classes, by class."""
    body = ast.parse(path.read_text(encoding="utf-8")).body
    return {each.name: _fields(each) for each in body if isinstance(each, ast.ClassDef)}


def _fields(definition: ast.ClassDef) -> dict[str, str]:
    found = {}
    for field, below in zip(definition.body, definition.body[1:], strict=False):
        match field, below:
            case ast.AnnAssign(target=ast.Name(id=key)), ast.Expr(value=ast.Constant(value=str(words))):
                found[key] = inspect.cleandoc(words).replace("\n", " ")
    return found
