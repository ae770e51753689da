"""Filters in lists: what an interface has of them.

Source: Routing Policies, Firewall Filters, and Traffic Policers User Guide, "Guidelines for Applying Multiple Firewall
Filters as a List": the filters of a list become one per interface, `NAME-i`, and its counters are named so, too.
"""

from tests.support.devices.junos.tree import Node


def input_lists(root: Node, family: str) -> dict[str, list[str]]:
    """The filters in the input list of each logical interface that has one, for a family."""
    found: dict[str, list[str]] = {}
    for interface in (root.get("interfaces") or Node()).active():
        for unit in interface.named("unit"):
            attached = unit.get(("family", family), "filter")
            names = [each.value or each.words[-1] for each in attached.named("input-list")] if attached else []
            if names:
                found[f"{interface.words[0]}.{unit.words[1]}"] = names
    return found
