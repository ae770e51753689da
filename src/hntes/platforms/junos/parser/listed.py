"""Filters in a list: one of HNTES, followed by the operator's.

Sources: Juniper, Policy Framework Configuration Guide, "Configuring Lists of Firewall Filters" (the filters of a list
are concatenated into one, in its order; counters and policers get the interface's name) and Routing Policies, Firewall
Filters, and Traffic Policers User Guide, "Firewall Filter Terminating Actions" (`next term` not in the last term).
"""

from hntes.platforms.effective import Action, Entry
from hntes.platforms.errors import ParseError
from hntes.platforms.junos.parser.tree import Node

# Actions that keep class, loss priority and path of accepted packets.
_KEEPING = ("accept", "discard", "reject", "next", "count", "log", "syslog", "sample", "port-mirror")
# Conditions on values set by an earlier filter in the list.
_SET_BEFORE = ("forwarding-class", "forwarding-class-except", "loss-priority", "loss-priority-except")
_ALL_ONES = ("255.255.255.255/32", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff/128")


def check_goes_on(body: Node, entries: list[Entry]) -> None:
    """Refuses a filter that ends the evaluation before the following filters.

    Its last term cannot be `next term`, which Junos refuses there: it matches only addresses of all ones, which no
    packet has.

    Raises:
        ParseError: a term ends the evaluation, or the last one is different.
    """
    *pairs, last = entries or [Entry((), (), Action())]
    ones = {str(each) for each in (*last.sources, *last.destinations)}
    if len(ones) != 1 or not ones <= set(_ALL_ONES) or not (last.sources and last.destinations):
        raise body.refused("is followed by another in a list: its last term must match only addresses of all ones")
    for each in pairs:
        if each.action.disposition != "next" or each.action.policer is not None:
            raise body.refused(f"term {each.label} ends the evaluation before the following filters, or polices")


def check_keeps_class(body: Node) -> None:
    """Refuses an operator's filter that would interfere with that of HNTES before it.

    Raises:
        ParseError: it changes class, loss priority or path, polices, or matches values set before.
    """
    body.only("term", "interface-specific")
    for term in body.child("term") or ():
        term.only("from", "then")
        for condition in term.child("from") or ():
            if condition.word in _SET_BEFORE:
                raise condition.refused("matches values that the preceding filter of HNTES sets")
        for action in term.child("then") or ():
            if action.word not in _KEEPING:
                raise action.refused(
                    f"follows the filter of HNTES in a list; only {', '.join(_KEEPING)} keep a pair's class, path and "
                    "rate"
                )


def keeps_class(body: Node) -> bool:
    """Whether a filter only accepts, drops and counts packets."""
    try:
        check_keeps_class(body)
    except ParseError:
        return False
    return True
