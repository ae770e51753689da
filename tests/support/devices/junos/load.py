"""Loading into a candidate of Junos: merge, replace, override, update, and `set` commands.

Sources: Junos OS CLI User Guide, "Load Configuration Files"; NETCONF XML Management Protocol Developer Guide,
"<load-configuration>". A load that fails leaves what stood before the statement that failed, as
`<load-error-count>` says: "the application must eliminate the errors before committing".
"""

import shlex
from dataclasses import dataclass
from typing import Literal

from tests.support.devices.junos.text import Loaded, TextError, read_text
from tests.support.devices.junos.tree import Node, StatementError, descend, find, remove

Action = Literal["merge", "replace", "override", "update", "set"]


@dataclass(frozen=True)
class LoadProblem:
    """severity: a warning leaves the rest of the load in effect and does not stop a commit."""

    message: str
    element: str
    line: int
    severity: Literal["error", "warning"] = "error"


def load(root: Node, text: str, action: Action) -> list[LoadProblem]:
    """Changes the candidate; the problems say what was not taken."""
    if action == "set":
        return [problem for n, line in enumerate(text.splitlines(), 1) for problem in _set_line(root, line, n)]
    target = Node() if action in ("override", "update") else root
    problems = _load_text(target, text, honour_replace=action == "replace")
    if target is not root and not [p for p in problems if p.severity == "error"]:
        root.children = target.children
    return problems


def _load_text(root: Node, text: str, honour_replace: bool) -> list[LoadProblem]:
    problems: list[LoadProblem] = []
    try:
        for statement in read_text(text):
            problems += _apply(root, statement, honour_replace)
    except TextError as error:
        problems.append(LoadProblem(str(error), error.token, error.line))
    except StatementError as error:
        problems.append(LoadProblem(str(error), error.word, statement.line))
    return problems


def _apply(root: Node, statement: Loaded, honour_replace: bool) -> list[LoadProblem]:
    place = find(root, statement.words) if statement.marks else None
    if "delete:" in statement.marks:
        if not remove(root, statement.words):
            return [LoadProblem("statement not found", statement.words[-1], statement.line, "warning")]
        return []
    if "replace:" in statement.marks and honour_replace and place:
        parent, key = place
        old = parent.children[key]
        parent.children[key] = Node(old.words, old.schema)
    node = descend(root, statement.words)
    if not statement.opens and node.schema.kind in ("leaf", "list", "leaf-list") and _lacks_value(node):
        raise StatementError("missing argument", statement.words[-1])
    if "inactive:" in statement.marks:
        node.inactive = True
    elif "active:" in statement.marks:
        node.inactive = False
    return []


def _lacks_value(node: Node) -> bool:
    return node.schema.kind == "leaf" and node.value is None


def _set_line(root: Node, line: str, number: int) -> list[LoadProblem]:
    try:
        words = shlex.split(line, comments=True)
    except ValueError:
        return [LoadProblem("syntax error", line, number)]
    if not words:
        return []
    command, path = words[0], words[1:]
    if command not in _COMMANDS or not path:
        return [LoadProblem("unknown command" if command not in _COMMANDS else "missing argument", words[-1], number)]
    try:
        return [LoadProblem(text, path[-1], number, "warning") for text in _COMMANDS[command](root, path)]
    except StatementError as error:
        return [LoadProblem(str(error), error.word, number)]


def _set(root: Node, path: list[str]) -> list[str]:
    values = path[path.index("[") + 1 : -1] if "[" in path and path[-1] == "]" else None
    for each in [[*path[: path.index("[")], value] for value in values] if values is not None else [path]:
        descend(root, each)
    return []


def _delete(root: Node, path: list[str]) -> list[str]:
    return [] if remove(root, path) else ["statement not found"]


def _mark(root: Node, path: list[str], inactive: bool) -> list[str]:
    place = find(root, path)
    if place is None:
        return ["statement not found"]
    place[0].children[place[1]].inactive = inactive
    return []


def _insert(root: Node, path: list[str]) -> list[str]:
    """`insert PATH (before|after) KEYWORD NAME`: the order of the entries of a list."""
    where = next((word for word in ("before", "after") if word in path), None)
    if where is None:
        raise StatementError("missing argument", path[-1])
    at = path.index(where)
    moved = find(root, path[:at])
    if moved is None:
        return ["statement not found"]
    parent, key = moved
    other = tuple(path[at + 1 :])
    if other not in parent.children:
        return ["statement not found"]
    order = [each for each in parent.children if each != key]
    order.insert(order.index(other) + (where == "after"), key)
    parent.children = {each: parent.children[each] for each in order}
    return []


_COMMANDS = {
    "set": _set,
    "delete": _delete,
    "deactivate": lambda root, path: _mark(root, path, inactive=True),
    "activate": lambda root, path: _mark(root, path, inactive=False),
    "insert": _insert,
}
