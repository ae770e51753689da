"""Filters in a list: one of HNTES, followed by the operator's.

Sources: Juniper, Policy Framework Configuration Guide, "Configuring Lists of Firewall Filters" (the filters of a list
are concatenated into one, in its order; counters and policers get the interface's name) and Routing Policies, Firewall
Filters, and Traffic Policers User Guide, "Firewall Filter Terminating Actions" (`next term` not in the last term).
"""

from hntes.platforms.effective import Action, Entry
from hntes.platforms.errors import ParseError
from hntes.platforms.junos.parser.tree import Node, below

# Actions that keep class, loss priority and path of accepted packets.
_KEEPING = ("accept", "discard", "reject", "next", "count", "log", "syslog", "sample", "port-mirror")
# Conditions on values set by an earlier filter in the list.
_SET_BEFORE = ("forwarding-class", "forwarding-class-except", "loss-priority", "loss-priority-except")
_BINDING = ("input", "input-list", "output", "output-list")
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


def check_keeps_class(body: Node, root: Node) -> None:
    """Refuses an operator's filter that would interfere with that of HNTES before it; `root` holds its policers.

    Raises:
        ParseError: it changes class, loss priority or path, marks what is above a rate, or matches values set before.
    """
    body.only("term", "interface-specific")
    for term in body.child("term") or ():
        term.only("from", "then")
        for condition in term.child("from") or ():
            if condition.word in _SET_BEFORE:
                raise condition.refused("matches values that the preceding filter of HNTES sets")
        for action in term.child("then") or ():
            if action.word == "policer":
                _check_policer(action.value(), body, root)
            elif action.word not in _KEEPING:
                raise action.refused(
                    f"follows the filter of HNTES in a list; only {', '.join(_KEEPING)} and policers that discard keep "
                    "a pair's class and path: classify by a classifier of the unit, or leave the interface out of the "
                    "settings"
                )


def check_discards(name: Node, root: Node) -> None:
    """Refuses a policer that does more than discard what is above its rate, as it does without HNTES.

    Raises:
        ParseError: it marks packets, or is not in the text.
    """
    then = root.child("firewall", "policer", name.word, "then")
    if then is None:
        raise name.refused(f"policer {name.word} is not in the text, or has no action")
    for each in then:
        if each.word != "discard":
            raise each.refused(
                f"is done by policer {name.word} to packets of the pairs: only `discard` keeps their class"
            )


def _check_policer(name: Node, body: Node, root: Node) -> None:
    check_discards(name, root)
    if body.child("interface-specific") is None and _uses(root, body.word) > 1:
        raise name.refused(
            f"is one policer for all interfaces of filter {body.word}, and would be one per interface in a list: make "
            "the filter interface-specific, if that is meant, or leave the interface out of the settings"
        )


def _uses(root: Node, name: str) -> int:
    """How often interfaces bind a filter."""
    bound = (each for each in below(root.child("interfaces") or Node("", 0, "")) if each.word in _BINDING)
    return sum(name in (one.items or (one.word,)) for each in bound for one in each)


def keeps_class(body: Node, root: Node) -> bool:
    """Whether a filter only accepts, drops, counts and limits packets."""
    try:
        check_keeps_class(body, root)
    except ParseError:
        return False
    return True
