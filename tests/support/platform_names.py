"""Finds product code that knows a platform by its name, outside of the platform's own package."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

PRODUCT = ("src", "etl", "rules", "sql", "papers", "dags")
PLATFORMS = Path("src", "hntes", "platforms")
# How people write the names of entry points.
SPELLINGS = {"iosxr": "ios-?xr", "iosxe": "ios-?xe"}

# A note in rendered texts that compares platforms for people: it is no decision, and texts keep their bytes.
NOTES = ("One policer meters all pairs together at the plan's rate; on Junos each pair has that rate of its own.",)


def foreign_names(root: Path, files: list[Path], platforms: tuple[str, ...]) -> list[str]:
    """Strings, names and imports in product code that contain a platform's name. Docstrings and comments may."""
    found = []
    for path in files:
        place = path.relative_to(root)
        if place.suffix != ".py" or place.parts[0] not in PRODUCT:
            continue
        others = [each for each in platforms if not place.is_relative_to(PLATFORMS / each)]
        pattern = re.compile("|".join(SPELLINGS.get(each, each) for each in others), re.IGNORECASE)
        for line, text in _said(ast.parse(path.read_text(encoding="utf-8"))):
            if text not in NOTES and (match := pattern.search(text)):
                found.append(f"{place}:{line}: names {match[0]}")
    return found


def _said(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """The strings and names of a module, with their lines, but for docstrings."""
    docstrings = {id(each) for each in _docstrings(tree)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings:
            yield node.lineno, node.value
        elif isinstance(node, ast.Name | ast.Attribute):
            yield node.lineno, node.id if isinstance(node, ast.Name) else node.attr
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.lineno, node.name
        elif isinstance(node, ast.arg):
            yield node.lineno, node.arg
        elif isinstance(node, ast.ImportFrom | ast.Import):
            module = node.module or "" if isinstance(node, ast.ImportFrom) else ""
            yield node.lineno, " ".join([module, *(each.name for each in node.names)])


def _docstrings(tree: ast.Module) -> Iterator[ast.Constant]:
    """Those of modules, classes and functions, and the texts below the fields of a class: no statement uses them."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            yield node.value
