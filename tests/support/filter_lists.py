"""A Junos router's treatment of incoming packets, from its configuration tree, written apart from any reader.

Sources: Juniper, Policy Framework Configuration Guide, "Configuring Lists of Firewall Filters": the filters of a list
are concatenated, in the order of the list; Routing Policies, Firewall Filters, and Traffic Policers User Guide: the
first term that matches and does not say `next term` decides, a term without a decision accepts, what no term takes is
discarded.
"""

from dataclasses import dataclass
from ipaddress import ip_address, ip_network

from tests.support.devices.junos.groups import inherited
from tests.support.devices.junos.tree import Node

_FAMILY = {4: "inet", 6: "inet6"}


@dataclass(frozen=True)
class Decided:
    """What becomes of one packet. forwarding_class: the last that a term gave it, None for that of the port."""

    passes: bool
    forwarding_class: str | None


def decided(configuration: Node, interface: str, unit: int, source: str, destination: str) -> Decided:
    """One packet on one interface, by its addresses."""
    return decided_by(inherited(configuration), interface, unit, source, destination)


def decided_by(root: Node, interface: str, unit: int, source: str, destination: str) -> Decided:
    """The same of a configuration that has what its groups give it."""
    family = _FAMILY[ip_address(source).version]
    terms = [term for name in _bound(root, interface, unit, family) for term in _terms(root, family, name)]
    if not _bound(root, interface, unit, family):
        return Decided(passes=True, forwarding_class=None)
    named = None
    for term in terms:
        if not _matches(term, source, destination):
            continue
        named = term.leaf("then", "forwarding-class") or named
        then = term.get("then")
        said = {child.words[0] for child in then.active()} if then is not None else set()
        if "next" not in said:
            return Decided(not said & {"discard", "reject"}, named)
    return Decided(passes=False, forwarding_class=named)


def _bound(root: Node, interface: str, unit: int, family: str) -> list[str]:
    place = root.get("interfaces", interface, ("unit", str(unit)), ("family", family), "filter")
    if place is None:
        return []
    one = place.leaf("input")
    return [one] if one is not None else [each.words[1] for each in place.named("input-list")]


def _terms(root: Node, family: str, name: str) -> list[Node]:
    body = root.get("firewall", ("family", family), ("filter", name))
    if body is None and family == "inet":
        body = root.get("firewall", ("filter", name))
    assert body is not None, name
    return body.named("term")


def _matches(term: Node, source: str, destination: str) -> bool:
    conditions = term.get("from")
    if conditions is None:
        return True
    known = {"source-address": source, "destination-address": destination}
    return all(
        any(ip_address(known[each.words[0]]) in ip_network(prefix.words[0]) for prefix in each.active())
        for each in conditions.active()
    )
