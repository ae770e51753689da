"""Template views common to IOS-XR and IOS-XE: one class for all pairs, carried to the output by a QoS group.

Platform-specific views of policers, queues and interface lines are passed as functions.
"""

import hashlib
import json
from collections.abc import Callable
from ipaddress import IPv4Network

from hntes.addresses import Network
from hntes.platforms.cisco.carried import PRECEDENCES, carrier_of, sets_exp
from hntes.platforms.cisco.limits import OUTPUT_CLASS_PREFIX, RESERVED_CLASS_PREFIX, early_drop_line
from hntes.platforms.cisco.sequence import sequence_numbers
from hntes.platforms.section import ECN_NOTE, GENERATOR, View
from hntes.rules.qos.model import (
    LOSS_PRIORITIES,
    Filter,
    FilterTerm,
    InterfaceBinding,
    LossPriority,
    RouterModel,
    Scheduler,
    ThreeColorPolicer,
    TwoColorPolicer,
)
from hntes.settings.terms import NETWORK_CONTROL

ALPHA_CLASS = "hntes-alpha"
INPUT_POLICY = "hntes-in"
OUTPUT_POLICY = "hntes-out"
DIGEST_DIGITS = 8
# RFC 2474: the class selectors of routing protocols.
NETWORK_CONTROL_MATCH = "dscp cs6 cs7"
# Classes of other packets by precedence, which keep the EXP that they would have without an access list.
PRECEDENCE_CLASS = "hntes-precedence-"


def first_term(model: RouterModel) -> FilterTerm | None:
    """Any pair's term: a valid Cisco model treats all pairs alike. None without pairs."""
    for each in model.filters:
        for term in each.terms:
            return term
    return None


def used_filters(model: RouterModel) -> list[Filter]:
    """The filters with a term of a pair."""
    return [each for each in model.filters if each.terms]


def carried_filters(model: RouterModel, edge: InterfaceBinding) -> list[Filter]:
    """The filters with a term, for the families of an interface."""
    return [each for each in used_filters(model) if each.ip_version in edge.ip_versions]


def numbered_terms(each: Filter) -> list[tuple[int, FilterTerm]]:
    """The terms of a filter with their sequence numbers in an access list, in that order."""
    numbers = sequence_numbers(term.pair for term in each.terms)
    return sorted(((numbers[term.pair], term) for term in each.terms), key=lambda numbered: numbered[0])


def reserved_terms(model: RouterModel) -> list[FilterTerm]:
    """The terms of reservations of both families, in order of evaluation."""
    return [term for each in model.filters for term in each.reserved]


def reserved_class(term: FilterTerm) -> str:
    """The class-map of a reservation."""
    return f"{RESERVED_CLASS_PREFIX}{term.name}"


def _reserved_list(term: FilterTerm) -> str:
    # with the family: on IOS-XE a list name is unique across families
    return f"{RESERVED_CLASS_PREFIX}{term.name}-v{term.source.version}"


def reserved_filters(model: RouterModel) -> list[Filter]:
    """A filter for the access list of each reservation, with only its pair."""
    return [
        Filter(_reserved_list(term), each.ip_version, (term,), each.final_action)
        for each in model.filters
        for term in each.reserved
    ]


def class_maps(model: RouterModel, match: Callable[[str, int], str]) -> View:
    """The class-maps: on input one per reservation, one for the pairs and perhaps one per precedence, on output one per
    queue except 0.

    `match` gives the condition on an access list of a family.
    """
    classes = [
        {"name": reserved_class(term), "matches": [match(_reserved_list(term), term.source.version)]}
        for term in reserved_terms(model)
    ]
    if used_filters(model):
        matches = [match(each.name, each.ip_version) for each in used_filters(model)]
        classes.append({"name": ALPHA_CLASS, "matches": matches})
    for precedence in PRECEDENCES if sets_exp(model) else ():
        classes.append({"name": f"{PRECEDENCE_CLASS}{precedence}", "matches": [f"precedence {precedence}"]})
    for each in model.forwarding_classes if model.adopted is None else ():
        if each.queue != 0:
            by_dscp = carrier_of(model) == "qos-group" and each.name == NETWORK_CONTROL
            mark = NETWORK_CONTROL_MATCH if by_dscp else f"{carrier_of(model)} {each.queue}"
            classes.append({"name": _output_class(each.name), "matches": [mark]})
    return {"class_maps": classes}


def policy_input(
    model: RouterModel,
    two_color: Callable[[TwoColorPolicer, FilterTerm], View],
    three_color: Callable[[ThreeColorPolicer], View],
) -> View:
    """The input policy: reservations and pairs marked and metered, all other traffic in queue 0."""
    alpha = first_term(model)
    named = [(reserved_class(term), term) for term in reserved_terms(model)]
    named += [(ALPHA_CLASS, alpha)] if alpha is not None else []
    classes = []
    for name, term in named:
        policers = [two_color(each, term) for each in model.policers if each.name == term.policer]
        policers += [three_color(each) for each in model.three_color_policers if each.name == term.policer]
        marks = [] if _policer_marks_class(model, term) else [carrier(model, term.forwarding_class)]
        marks += _exp(model, 0)
        classes.append({"name": name, "marks": marks, "policers": policers})
    # Where the operator's classes stay, other packets keep what they carry.
    others = [] if model.adopted is not None else [f"{carrier_of(model)} 0"]
    for each in PRECEDENCES if sets_exp(model) else ():
        marks = [*others, *_exp(model, each)]
        classes.append({"name": f"{PRECEDENCE_CLASS}{each}", "marks": marks, "policers": []})
    classes.append({"name": "class-default", "marks": others, "policers": []})
    return {"policy": INPUT_POLICY, "classes": classes}


def digest_name(name: str, content: View) -> str:
    """A name with a digest of the content, so that an object in use never changes under its name."""
    text = json.dumps([GENERATOR, content], sort_keys=True)
    return f"{name}-{hashlib.sha256(text.encode('ascii')).hexdigest()[:DIGEST_DIGITS]}"


def policy_output(model: RouterModel, name: str, queue: Callable[[Scheduler], View]) -> View:
    """An output policy: classes by QoS group, then network control by its code points, queue 0 as class-default.

    The order decides on the control packets of a pair, so it does not depend on the queue numbers.
    """
    by_queue = sorted(model.schedulers, key=lambda each: _class_order(model, each))
    classes = []
    for each in by_queue:
        is_default = model.queue_of(each.forwarding_class) == 0
        class_name = "class-default" if is_default else _output_class(each.forwarding_class)
        classes.append({"name": class_name, "strict": each.priority == "strict-high", "ecn": each.ecn, **queue(each)})
    return {"policy": name, "classes": classes}


def interfaces(
    model: RouterModel,
    input_lines: Callable[[InterfaceBinding], list[str]],
    output_policy: Callable[[InterfaceBinding], str],
) -> View:
    """One block per interface: inputs on the unit, the output policy on the port, which has the queues."""
    lines: dict[str, list[str]] = {}
    for each in model.interfaces:
        if each.is_edge:
            lines.setdefault(_unit_name(each), []).extend(input_lines(each))
    ports = {each.name: each for each in model.interfaces if each.is_core and model.adopted is None}
    for name in sorted(ports):
        lines.setdefault(name, []).append(f"service-policy output {output_policy(ports[name])}")
    return {"interfaces": [{"name": name, "lines": lines[name]} for name in sorted(lines)]}


def _class_order(model: RouterModel, scheduler: Scheduler) -> tuple[bool, bool, int]:
    queue = model.queue_of(scheduler.forwarding_class)
    return queue == 0, scheduler.forwarding_class == NETWORK_CONTROL, -queue


def carrier(model: RouterModel, forwarding_class: str) -> str:
    """The mark that carries a forwarding class from input to output."""
    return f"{carrier_of(model)} {model.queue_of(forwarding_class)}"


def _exp(model: RouterModel, value: int) -> list[str]:
    """The mark of labels that the router imposes, where an access list would clear it."""
    return [f"mpls experimental imposition {value}"] if sets_exp(model) else []


def discard_class(loss_priority: LossPriority) -> int:
    """Cisco's internal drop precedence, 0 (kept longest) to 3."""
    return LOSS_PRIORITIES.index(loss_priority)


def address(network: Network) -> str:
    """A prefix in access-list syntax: any, host ADDRESS, or ADDRESS/LENGTH."""
    if network.prefixlen == 0:
        return "any"
    if network.prefixlen == network.max_prefixlen:
        return f"host {network.network_address}"
    return str(network)


def wildcard_address(network: IPv4Network) -> str:
    """An IPv4 prefix in the syntax of an IOS extended access list: any, host ADDRESS, or ADDRESS WILDCARD."""
    if 0 < network.prefixlen < 32:
        return f"{network.network_address} {network.hostmask}"
    return address(network)


def early_drops(model: RouterModel, scheduler: Scheduler) -> list[tuple[int, int, int]]:
    """(discard class, fill level where dropping starts, fill level where all is dropped), levels in per cent."""
    lines = {each.name: early_drop_line(each) for each in model.drop_profiles}
    found = []
    for drop in scheduler.drops:
        line = lines[drop.drop_profile]
        if line is not None:
            found.append((discard_class(drop.loss_priority), *line))
    return sorted(found)


def common_notes(model: RouterModel) -> list[str]:
    """Notes on differences from the plan, for the head of the text."""
    notes = ["All pairs share one class; the only counters per pair are those of the access lists."]
    if reserved_terms(model):
        notes.append(
            "A reservation's policer meters each interface by itself: what comes in by two has twice the rate."
        )
    if any(term.policer is not None for each in model.filters for term in each.terms):
        notes.append(
            "One policer meters all pairs together at the plan's rate; on Junos each pair has that rate of its own."
        )
    words = sorted({each.priority for each in model.schedulers if each.priority != "strict-high"})
    if words:
        notes.append(
            f"Priority {', '.join(words)}: not available here; each class gets a bandwidth guarantee of equal rank."
        )
    if model.adopted is not None:
        notes.append(
            f"Core ports keep their output policies; the pairs go into class {model.adopted.forwarding_class}."
        )
    if any(each.drops for each in model.schedulers):
        notes.append("random-detect uses the average queue length, not the current one.")
    if any(each.ecn for each in model.schedulers):
        notes.append(ECN_NOTE)
    return notes


def _policer_marks_class(model: RouterModel, term: FilterTerm) -> bool:
    """Whether the policer sets the class itself, so that no second statement may set the same field."""
    return any(each.name == term.policer and each.out_forwarding_class is not None for each in model.policers)


def _output_class(forwarding_class: str) -> str:
    """The class-map that matches a forwarding class on output, by its QoS group."""
    return f"{OUTPUT_CLASS_PREFIX}{forwarding_class}"


def _unit_name(interface: InterfaceBinding) -> str:
    return interface.name if interface.unit == 0 else f"{interface.name}.{interface.unit}"
