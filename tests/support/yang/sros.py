"""SR OS text against Nokia's models `nokia-conf-*`, whose tree the blocks of MD-CLI text follow.

The models are one module of some hundred submodules, the largest of which a snapshot may lack. What HNTES writes needs
seven of them: their groupings are put into one module. References to other parts (leafref) become strings, and parts
that are not among the seven are left out; types, ranges, choices and mandatory leaves stay.
"""

import re
import tempfile
from pathlib import Path

from tests.support.yang.data import Data, Finding, NotTakenError
from tests.support.yang.schema import Node, load

SUBMODULES = ("filter", "qos", "port", "port-ethernet", "port-eth-network", "port-eth-egress", "router")
_TOP = ("filter", "port", "qos", "router")
_LEAFREF = re.compile(r'type leafref \{\s*path (?:"[^"]*"|\S+);\s*\}')
_USES = re.compile(r"\buses ([\w-]+)\s*(?:;|\{)")
_GROUPING = re.compile(r"\bgrouping ([\w-]+) \{")
_IMPORT = re.compile(r"^\s*(import \S+\s*\{[^}]*\})", re.MULTILINE)
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}]|[^\s{}"]+')
DELETE = "delete "


def schema(folder: Path) -> Node:
    """The container `configure` of the models of a release: a folder with `nokia-submodule` and the types beside it."""
    with tempfile.TemporaryDirectory() as scratch:
        for path in (
            *folder.glob("nokia-types-*.yang"),
            *folder.glob("nokia-sros-yang-*"),
            *folder.glob("ietf/*"),
        ):
            (Path(scratch) / path.name).write_text(path.read_text(encoding="utf-8"), encoding="utf-8")
        (Path(scratch) / "nokia-conf.yang").write_text(_module(folder / "nokia-submodule"), encoding="utf-8")
        top = load(Path(scratch), ("nokia-conf",)).named("configure")
    assert top is not None
    return top


def _module(folder: Path) -> str:
    texts = [(folder / f"nokia-conf-{name}.yang").read_text(encoding="utf-8") for name in SUBMODULES]
    imports = {found.split()[1]: found for text in texts for found in _IMPORT.findall(text)}
    bodies = [_LEAFREF.sub("type string;", text[text.index("    grouping ") : text.rindex("}")]) for text in texts]
    known = {name for body in bodies for name in _GROUPING.findall(body)}
    kept = [_without_unknown(body, known) for body in bodies]
    uses = "".join(f"uses conf-{name};\n" for name in _TOP)
    return (
        'module nokia-conf {\nyang-version "1.1";\nnamespace "urn:nokia.com:sros:ns:yang:sr:conf";\nprefix "conf";\n'
        + "\n".join(imports.values())
        + f"\ncontainer configure {{\n{uses}}}\n"
        + "\n".join(kept)
        + "\n}\n"
    )


def _without_unknown(body: str, known: set[str]) -> str:
    return _USES.sub(lambda found: found[0] if found[1] in known else "", body)


def findings(text: str, configure: Node) -> list[Finding]:
    """What of a text, or of the commands of a transition, Nokia's schema does not take."""
    data = Data(configure)
    stack = [data]
    found: list[Finding] = []
    for number, line in enumerate(text.splitlines(), 1):
        words = [word.strip('"') for word in _TOKEN.findall(line)]
        if line.startswith("#") or not words or words == ["configure", "{"]:
            continue
        try:
            if line.startswith(DELETE):
                _descend(Data(configure), words[1:], is_deleted=True)
            elif words == ["}"]:
                if len(stack) > 1:
                    stack.pop()
            elif words[-1] == "{":
                stack.append(_descend(stack[-1], words[:-1]))
            else:
                _descend(stack[-1], words)
        except NotTakenError as refusal:
            found.append(Finding(number, line.strip(), str(refusal)))
            if words[-1] == "{":
                stack.append(Data(configure))
    return found + [Finding(0, "", fault) for fault in data.faults()]


def _descend(data: Data, words: list[str], *, is_deleted: bool = False) -> Data:
    left = list(words)
    while left:
        name = left.pop(0)
        node = data.node.named(name)
        if node is None:
            raise NotTakenError(f"{data.path or '/'} does not know {name!r}")
        if node.kind == "container":
            data = data.at(node)
        elif node.kind == "list":
            data = data.at(node, _keys(data, node, left))
        elif node.is_empty or not (is_deleted and not left):
            if not node.is_empty and not left:
                raise NotTakenError(f"{data.path}/{name} lacks a value")
            data.put(node, "" if node.is_empty else left.pop(0))
            if left:
                raise NotTakenError(f"{data.path}/{name}: {left} stands behind its value")
    return data


def _keys(data: Data, node: Node, left: list[str]) -> tuple[str, ...]:
    found: list[str] = []
    for index, key in enumerate(node.keys):
        if index and left[:1] == [key.name]:
            del left[0]
        if not left:
            raise NotTakenError(f"{data.path}/{node.name} lacks its {key.name}")
        found.append(left.pop(0))
    return tuple(found)
