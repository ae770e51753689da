"""The conditions of a schema (`must`, `when`: XPath over the data, RFC 7950 7.5.3 and 7.21.5) over what a text sets."""

import re
from collections.abc import Iterator

from lxml import etree

from tests.support.yang.data import Data
from tests.support.yang.schema import Node

# Names are unique without the prefixes of their modules; a prefix within quotes stays.
_PREFIX = re.compile(r"('[^']*')|\b[\w-]+:(?=[\w*])")


def broken(data: Data) -> Iterator[str]:
    """The conditions that do not hold, with their places."""
    yield from _of(data, _element(data))


def _element(data: Data) -> etree._Element:
    element = etree.Element(data.node.name if data.path else "top")
    for name, values in data.values.items():
        for value in sorted(values):
            etree.SubElement(element, name).text = value
    element.extend(_element(each) for each in data.below.values())
    return element


def _of(data: Data, element: etree._Element) -> Iterator[str]:
    yield from _unfulfilled(data.node, element, data.path)
    for leaf in (data.nodes[name] for name in data.values if name in data.nodes):
        for each in element.findall(leaf.name):
            yield from _unfulfilled(leaf, each, f"{data.path}/{leaf.name}")
    inner = element[len(element) - len(data.below) :]
    for below, each in zip(data.below.values(), inner, strict=True):
        yield from _of(below, each)


def _unfulfilled(node: Node, element: etree._Element, path: str) -> Iterator[str]:
    for condition in node.conditions:
        plain = _PREFIX.sub(lambda found: found[1] or "", condition).replace("current()", "$current")
        if not element.xpath(f"boolean({plain})", current=element):
            yield f"{path}: {condition} does not hold"
