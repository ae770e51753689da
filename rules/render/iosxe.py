"""The model in IOS-XE words, ready to print.

Queue limits and early drops are counted in packets there, so each distinct port rate has an output policy of its own.
"""

from ipaddress import IPv4Network

from base.addresses import Network
from rules.qos.limits import PACKET_BYTES, queue_packets
from rules.qos.model import (
    Filter,
    FilterTerm,
    InterfaceBinding,
    RouterModel,
    Scheduler,
    ThreeColorPolicer,
    TwoColorPolicer,
)
from rules.render.cisco import (
    ALPHA_CLASS,
    INPUT_POLICY,
    OUTPUT_POLICY,
    address,
    common_notes,
    discard_class,
    early_drops,
    first_term,
    output_class,
    output_schedulers,
    used_filters,
    wildcard_address,
)
from rules.render.section import Section, View, header_section
from rules.render.sequence import sequence_numbers
from settings.terms import NETWORK_CONTROL

# Weight 2^-1 of the newest sample: as near to the momentary queue length as random-detect can be set.
WEIGHTING_CONSTANT = 1


def iosxe_sections(model: RouterModel) -> list[Section]:
    """The sections of an IOS-XE text, in order. The model must be valid."""
    sections = [
        header_section(model, _notes(model)),
        Section("iosxe/access_lists.j2", {"access_lists": [_access_list(each) for each in used_filters(model)]}),
        Section("iosxe/class_maps.j2", _class_maps(model)),
        Section("iosxe/policy_input.j2", _policy_input(model)),
        Section("iosxe/policy_output.j2", {"policies": [_policy_output(model, rate) for rate in _port_rates(model)]}),
    ]
    if model.redirect is not None:
        sections.append(Section("iosxe/redirect.j2", {"route_maps": _route_maps(model)}))
    sections.append(Section("iosxe/interfaces.j2", {"interfaces": _interfaces(model)}))
    return sections


def _notes(model: RouterModel) -> list[str]:
    notes = [
        "Loading only adds. Before it, remove the lines of pairs that are gone, by their numbers, inside the list.",
        "Never remove a whole list that is in use: a route map without its list takes every packet.",
        *common_notes(model),
    ]
    notes.append(f"Buffer share: queue-limit in packets of {PACKET_BYTES} bytes; one output policy a port rate.")
    if model.redirect is not None:
        notes.append("An interface has one policy route-map a family; merge any that is there already.")
    return notes


def _access_list(each: Filter) -> View:
    numbers = sequence_numbers(term.pair for term in each.terms)
    heads = {4: f"ip access-list extended {each.name}", 6: f"ipv6 access-list {each.name}"}
    prefixes = {4: "", 6: "sequence "}
    protocols = {4: "ip", 6: "ipv6"}
    return {
        "head": heads[each.ip_version],
        "lines": [
            {
                "sequence": f"{prefixes[each.ip_version]}{numbers[term.pair]}",
                "protocol": protocols[each.ip_version],
                "source": _address(term.source),
                "destination": _address(term.destination),
            }
            for term in sorted(each.terms, key=lambda term: numbers[term.pair])
        ],
    }


def _address(network: Network) -> str:
    if isinstance(network, IPv4Network):
        return wildcard_address(network)
    return address(network)


def _class_maps(model: RouterModel) -> View:
    classes = []
    if used_filters(model):
        matches = [f"access-group name {each.name}" for each in used_filters(model)]
        classes.append({"name": ALPHA_CLASS, "matches": matches})
    for each in model.forwarding_classes:
        if each.queue == 0:
            continue
        match = "dscp cs6 cs7" if each.name == NETWORK_CONTROL else f"qos-group {each.queue}"
        classes.append({"name": output_class(each.name), "matches": [match]})
    return {"class_maps": classes}


def _policy_input(model: RouterModel) -> View:
    term = first_term(model)
    classes = []
    if term is not None:
        classes.append({"name": ALPHA_CLASS, **_input_action(model, term)})
    classes.append({"name": "class-default", "marks": ["qos-group 0"], "policers": []})
    return {"policy": INPUT_POLICY, "classes": classes}


def _input_action(model: RouterModel, term: FilterTerm) -> dict[str, object]:
    queue = model.queue_of(term.forwarding_class)
    for two in model.policers:
        if two.name == term.policer:
            # The policer marks the group itself: a second statement must not mark the same field.
            marks = [] if two.out_forwarding_class is not None else [f"qos-group {queue}"]
            return {"marks": marks, "policers": [_two_color(model, two, queue)]}
    for three in model.three_color_policers:
        if three.name == term.policer:
            return {"marks": [f"qos-group {queue}"], "policers": [_three_color(three)]}
    return {"marks": [f"qos-group {queue}"], "policers": []}


def _two_color(model: RouterModel, policer: TwoColorPolicer, in_profile_queue: int) -> View:
    conform, exceed = "transmit", []
    if policer.out_forwarding_class is not None:
        conform = f"set-qos-transmit {in_profile_queue}"
        exceed.append(f"set-qos-transmit {model.queue_of(policer.out_forwarding_class)}")
    if policer.out_loss_priority is not None:
        exceed.append(f"set-discard-class-transmit {discard_class(policer.out_loss_priority)}")
    return {
        "rate": f"cir {policer.rate_bps} bc {policer.burst_bytes}",
        "actions": [f"conform-action {conform}", *(f"exceed-action {each}" for each in exceed or ["drop"])],
    }


def _three_color(policer: ThreeColorPolicer) -> View:
    peak = "" if policer.peak_rate_bps is None else f" pir {policer.peak_rate_bps}"
    red = "drop" if policer.discard_red else f"set-discard-class-transmit {discard_class('high')}"
    return {
        "rate": f"cir {policer.committed_rate_bps} bc {policer.committed_burst_bytes}{peak} "
        f"be {policer.excess_burst_bytes}",
        "actions": [
            "conform-action transmit",
            f"exceed-action set-discard-class-transmit {discard_class('medium-high')}",
            f"violate-action {red}",
        ],
    }


def _port_rates(model: RouterModel) -> list[int]:
    return sorted({each.rate_bps for each in model.interfaces if each.is_core})


def _output_policy_name(rate_bps: int) -> str:
    return f"{OUTPUT_POLICY}-{rate_bps // 1000}k"


def _policy_output(model: RouterModel, rate_bps: int) -> View:
    return {
        "policy": _output_policy_name(rate_bps),
        "classes": [
            {"name": name, "strict": each.priority == "strict-high", **_queue(model, each, rate_bps)}
            for name, each in output_schedulers(model)
        ],
    }


def _queue(model: RouterModel, scheduler: Scheduler, rate_bps: int) -> dict[str, object]:
    limit_packets = queue_packets(model, scheduler, rate_bps)
    drops = []
    for number, first, last in early_drops(model, scheduler):
        # A threshold of 0 is refused, and a maximum at the minimum leaves no line between them.
        start = max(1, limit_packets * first // 100)
        end = max(start + 1, limit_packets * last // 100)
        drops.append({"discard_class": number, "from_packets": start, "to_packets": end})
    if drops:
        # Without a line of its own, class 0 would be dropped at the platform's low default thresholds.
        drops.insert(0, {"discard_class": 0, "from_packets": limit_packets - 1, "to_packets": limit_packets})
    return {
        "share_pct": scheduler.transmit_share_pct,
        "limit_packets": limit_packets,
        "early_drops": drops,
        "weighting_constant": WEIGHTING_CONSTANT,
    }


def _route_maps(model: RouterModel) -> list[View]:
    return [
        {
            "name": each.name,
            "match": f"{'ip' if each.ip_version == 4 else 'ipv6'} address {each.name}",
            "set": _route(model, each.ip_version),
        }
        for each in used_filters(model)
    ]


def _route(model: RouterModel, ip_version: int) -> str:
    redirect = model.redirect
    if redirect is not None and redirect.kind == "next_hop":
        return f"ip next-hop {redirect.ipv4}" if ip_version == 4 else f"ipv6 next-hop {redirect.ipv6}"
    return f"interface Tunnel{redirect.tunnel if redirect is not None else ''}"


def _interfaces(model: RouterModel) -> list[View]:
    """One block an interface: inputs on the unit, the output policy on the port, whose queues they are."""
    lines: dict[str, list[str]] = {}
    for each in model.interfaces:
        if each.is_edge:
            lines.setdefault(_unit_name(each), []).extend(_input_lines(model))
    ports = {each.name: each.rate_bps for each in model.interfaces if each.is_core}
    for port in sorted(ports):
        lines.setdefault(port, []).append(f"service-policy output {_output_policy_name(ports[port])}")
    return [{"name": name, "lines": lines[name]} for name in sorted(lines)]


def _unit_name(interface: InterfaceBinding) -> str:
    return interface.name if interface.unit == 0 else f"{interface.name}.{interface.unit}"


def _input_lines(model: RouterModel) -> list[str]:
    lines = [f"service-policy input {INPUT_POLICY}"]
    if model.redirect is not None:
        for each in used_filters(model):
            lines.append(f"{'ip' if each.ip_version == 4 else 'ipv6'} policy route-map {each.name}")
    return lines
