"""Filters of the operator's that embed those of HNTES.

Source: Router Configuration Guide, "Embedded filters": entries of an embedded filter stand in the filter that embeds it
at their number plus an offset, on every interface where that one is bound.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Literal

from hntes.platforms.sros.kept_lines import kept_lines
from hntes.platforms.sros.parser.filters import KIND, LEAF, unfit
from hntes.platforms.sros.parser.tree import Node, below, read_listing
from hntes.rules.qos.model import InterfaceBinding, OperatorFilter, RouterModel


def unembeddable(model: RouterModel, configure: Node, name: str, version: Literal[4, 6]) -> str | None:
    """Why an operator's filter of an edge cannot embed that of HNTES; None if it can."""
    body = configure.child("filter", KIND[version], name)
    if body is None:
        return "is not in the file"
    edges = {_place(each, version) for each in model.interfaces if each.is_edge and version in each.ip_versions}
    for path in _bindings(configure, name, version):
        if path not in edges:
            return f"is bound by `{path}`, too, which is no edge of the settings"
    return unfit(body)


def _place(edge: InterfaceBinding, version: Literal[4, 6]) -> str:
    return f"router Base interface {edge.logical} ingress filter {LEAF[version]}"


def _bindings(configure: Node, name: str, version: Literal[4, 6]) -> Iterator[str]:
    """The statements that bind a filter, without its name."""
    for node in below(configure):
        if node.word == LEAF[version] and node.path.split()[-2:-1] == ["filter"] and name in node.children:
            yield node.path.removeprefix("configure ")


def with_operator_filters(model: RouterModel, running: str) -> RouterModel:
    """The model with the operator's filters of its edges, which embed those of HNTES. Raises ParseError."""
    configure = read_listing("\n".join(kept_lines(running)))
    return replace(model, interfaces=tuple(_with_filters(each, configure) for each in model.interfaces))


def _with_filters(interface: InterfaceBinding, configure: Node) -> InterfaceBinding:
    versions = interface.ip_versions if interface.is_edge and interface.logical is not None else ()
    found = []
    for version in versions:
        where = ("router", "Base", "interface", interface.logical or "", "ingress", "filter", LEAF[version])
        found += [OperatorFilter(version, each.word) for each in configure.child(*where) or ()]
    return replace(interface, operator_filters=tuple(found))
