"""A vendor's YANG models as a tree of nodes: what each is called, what is below it, which values it takes.

pyang reads the modules, expands groupings and augments, and judges a value by its type, range, pattern or enumeration
(RFC 7950). Nothing of pyang is seen outside of this file.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal

Kind = Literal["container", "list", "leaf", "leaf-list"]
KINDS = frozenset(["container", "list", "leaf", "leaf-list"])
PYANG = find_spec("pyang")
# Of Juniper's extension `cli-feature`: the node's own word is not written, its value or key alone is.
_NO_KEYWORD = "nokeyword"
_POSIX_CLASSES = {"alnum": "A-Za-z0-9", "alpha": "A-Za-z", "digit": "0-9", "xdigit": "0-9A-Fa-f", "space": r"\s"}


@dataclass(frozen=True)
class Case:
    """A case of a choice that a node stands in: of one choice, data of one case at most may be there."""

    choice: str
    name: str


@dataclass(frozen=True)
class Node:
    """One data node of a schema."""

    name: str
    kind: Kind
    cases: tuple[Case, ...]
    statement: Any = field(repr=False, compare=False)

    @cached_property
    def children(self) -> list["Node"]:
        """The data nodes below, those of choices and cases among them; of one name there is one."""
        found: dict[str, Node] = {}
        for child in _below(self.statement, ()):
            other = found.get(child.name)
            found[child.name] = child if other is None else _joined(other, child)
        return list(found.values())

    @cached_property
    def _by_name(self) -> dict[str, "Node"]:
        return {child.name: child for child in self.children}

    def named(self, name: str) -> "Node | None":
        """The child that is called so; None if there is none."""
        return self._by_name.get(name)

    @cached_property
    def keys(self) -> list["Node"]:
        """The leaves that are a list's key, in their order."""
        key = self.statement.search_one("key")
        names = key.arg.split() if key is not None else []
        return [self._by_name[name] for name in names]

    @property
    def is_presence(self) -> bool:
        """Whether a container says something by being there."""
        return self.statement.search_one("presence") is not None

    @property
    def is_mandatory(self) -> bool:
        """Whether an entry or a container that is there must have it."""
        said = self.statement.search_one("mandatory")
        return said is not None and said.arg == "true"

    @cached_property
    def conditions(self) -> list[str]:
        """The XPath expressions that must hold where the node is."""
        return [each.arg for each in self.statement.substmts if each.keyword in ("must", "when")]

    @property
    def is_empty(self) -> bool:
        """Whether a leaf takes no value."""
        return self.kind == "leaf" and bool(self.statement.search_one("type").arg == "empty")

    @cached_property
    def is_unwritten(self) -> bool:
        """Whether Junos writes the value or the key without the node's name."""
        return _NO_KEYWORD in _extensions(self.statement, "cli-feature")

    def takes(self, value: str) -> bool:
        """Whether the type of a leaf or leaf-list allows the value."""
        return _allows(self.statement.search_one("type"), value)


def load(folder: Path, modules: tuple[str, ...], left_out: str = "") -> Node:
    """The top of the modules of a folder; of augments, those of the path `left_out` are not made.

    Raises:
        ValueError: a module is not there, or the modules do not hold together.
    """
    from pyang import context, repository

    models = context.Context(repository.FileRepository(str(folder), use_env=False, no_path_recurse=False))
    found = {name: models.search_module(None, name) for name in modules}
    missing = sorted(name for name, module in found.items() if module is None)
    if missing:
        raise ValueError(f"{folder} has no module {', '.join(missing)}")
    for module in models.modules.values():
        kept = [each for each in module.substmts if (each.keyword, each.arg) != ("augment", left_out)]
        module.substmts = kept
    models.validate()
    wrong = [f"{place}: {tag} {args}" for place, tag, args in models.errors if not _is_warning(tag)]
    if wrong:
        raise ValueError(f"the modules of {folder} do not hold together: {'; '.join(wrong[:3])}")
    return Node(str(folder), "container", (), _Joint(tuple(found.values())))


@dataclass(frozen=True)
class _Joint:
    """Several modules, or containers of one name that several modules have in one place, as one statement."""

    parts: tuple[Any, ...]

    @property
    def i_children(self) -> list[Any]:
        return [child for part in self.parts for child in getattr(part, "i_children", ())]

    @property
    def substmts(self) -> list[Any]:
        return [each for part in self.parts for each in part.substmts]

    def search_one(self, keyword: str) -> Any:
        found = [part.search_one(keyword) for part in self.parts]
        return next((each for each in found if each is not None), None)


def _joined(one: Node, other: Node) -> Node:
    if {one.kind, other.kind} != {"container"}:
        raise ValueError(f"two modules have a {one.kind} and a {other.kind} {one.name} in one place")
    return Node(one.name, "container", one.cases, _Joint((one.statement, other.statement)))


def _is_warning(tag: str) -> bool:
    from pyang import error

    return bool(error.is_warning(error.err_level(tag)))


def _below(statement: Any, cases: tuple[Case, ...]) -> Iterator[Node]:
    for child in getattr(statement, "i_children", ()):
        if child.keyword in KINDS:
            yield Node(child.arg, child.keyword, cases, child)
        elif child.keyword == "choice":
            for case in child.i_children:
                inner = (*cases, Case(child.arg, case.arg))
                if case.keyword == "case":
                    yield from _below(case, inner)
                else:
                    yield Node(case.arg, case.keyword, inner, case)


def _extensions(statement: Any, name: str) -> list[str]:
    return [each.arg for each in statement.substmts if isinstance(each.keyword, tuple) and each.keyword[1] == name]


def _allows(type_: Any, value: str) -> bool:
    typedef = getattr(type_, "i_typedef", None)
    if type_.arg == "union":
        return any(_allows(member, value) for member in type_.search("type"))
    if typedef is not None and not _allows(typedef.search_one("type"), value):
        return False
    errors: list[object] = []
    spec, module = type_.i_type_spec, type_.i_module
    converted = spec.str_to_val(errors, type_.pos, value, module)
    if converted is None or errors or spec.validate(errors, type_.pos, converted, module) is False:
        return False
    return all(_fits(pattern, value) for pattern in _extensions(type_, "posix-pattern"))


def _fits(pattern: str, value: str) -> bool:
    """Juniper's extension: an extended regular expression that is searched, `!` in front negates it."""
    wanted = not pattern.startswith("!")
    python = re.sub(r"\[:(\w+):\]", lambda found: _POSIX_CLASSES[found[1]], pattern.removeprefix("!"))
    return (re.search(python, value) is not None) is wanted
