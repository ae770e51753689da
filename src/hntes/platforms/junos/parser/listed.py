"""Filters in a list: one of HNTES, and behind it those of the operator's.

Sources: Juniper, Policy Framework Configuration Guide, "Configuring Lists of Firewall Filters" (the filters of a list
are concatenated into one, in its order; counters and policers get the interface's name) and Routing Policies, Firewall
Filters, and Traffic Policers User Guide, "Firewall Filter Terminating Actions" (`next term` not in the last term).
"""

from hntes.platforms.effective import Action, Entry
from hntes.platforms.junos.parser.tree import Node

# Whatever they match and decide, the packets that they let pass keep their class, loss priority and way.
_KEEPING = ("accept", "discard", "reject", "next", "count", "log", "syslog", "sample", "port-mirror")
# Set by a filter before this one in the list.
_SET_BEFORE = ("forwarding-class", "forwarding-class-except", "loss-priority", "loss-priority-except")
_ALL_ONES = ("255.255.255.255/32", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff/128")


def check_goes_on(body: Node, entries: list[Entry]) -> None:
    """Refuse a filter that keeps one behind it from deciding over a packet.

    Its last term is no `next term`, which Junos refuses there: it takes what is on no wire, from and to all ones.

    Raises:
        ParseError: a term decides, or the last one is another.
    """
    *pairs, last = entries or [Entry((), (), Action())]
    ones = {str(each) for each in (*last.sources, *last.destinations)}
    if len(ones) != 1 or not ones <= set(_ALL_ONES) or not (last.sources and last.destinations):
        raise body.refused("stands before another in a list: its last term must match all ones and nothing else")
    for each in pairs:
        if each.action.disposition != "next" or each.action.policer is not None:
            raise body.refused(f"term {each.label} keeps the filters behind it in the list from deciding, or polices")


def check_keeps_class(body: Node) -> None:
    """Refuse a filter of the operator's behind one of HNTES that does, or looks at, more than it would see alone.

    Raises:
        ParseError: with the line: it changes class, loss priority or way, polices, or matches what was set before.
    """
    body.only("term", "interface-specific")
    for term in body.child("term") or ():
        term.only("from", "then")
        for condition in term.child("from") or ():
            if condition.word in _SET_BEFORE:
                raise condition.refused("matches what HNTES' filter before it in the list has set")
        for action in term.child("then") or ():
            if action.word not in _KEEPING:
                raise action.refused(
                    f"stands behind HNTES' filter in a list; only {', '.join(_KEEPING)} leave a pair's class, way and "
                    "rate as they are"
                )
