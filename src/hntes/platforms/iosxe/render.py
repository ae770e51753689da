"""Template views of a model for IOS-XE.

Queue limits and early drops are in packets, so each distinct port rate has its own output policy. Policies and
route-maps have a digest of their content in their names: without a commit, an object in use is replaced by another one,
since a change line by line could exceed 100 per cent of shares on the way.
"""

from functools import partial
from ipaddress import IPv4Network

from hntes.addresses import Network
from hntes.platforms.cisco.render import (
    INPUT_POLICY,
    OUTPUT_POLICY,
    address,
    carried_filters,
    class_maps,
    common_notes,
    digest_name,
    discard_class,
    early_drops,
    interfaces,
    numbered_terms,
    policy_input,
    policy_output,
    reserved_filters,
    used_filters,
    wildcard_address,
)
from hntes.platforms.iosxe.limits import PACKET_BYTES, queue_packets
from hntes.platforms.section import Section, View, header_section
from hntes.rules.qos.model import (
    Filter,
    FilterTerm,
    InterfaceBinding,
    RouterModel,
    Scheduler,
    ThreeColorPolicer,
    TwoColorPolicer,
)

# Weight 2^-1 of the newest sample: the closest to the current queue length that random-detect allows.
WEIGHTING_CONSTANT = 1


def iosxe_sections(model: RouterModel) -> list[Section]:
    """The sections of an IOS-XE text, in order. The model must be valid."""
    filters = [*reserved_filters(model), *used_filters(model)]
    sections = [
        header_section(model, _notes(model)),
        Section("iosxe/access_lists.j2", {"access_lists": [_access_list(each) for each in filters]}),
        Section("iosxe/class_maps.j2", class_maps(model, lambda name, _version: f"access-group name {name}")),
        Section("iosxe/policy_input.j2", _input_policy(model)),
        Section("iosxe/policy_output.j2", {"policies": [_output_policy(model, each) for each in _port_rates(model)]}),
    ]
    if model.redirect is not None:
        sections.append(Section("iosxe/redirect.j2", {"route_maps": _route_maps(model)}))
    output_names = {each: str(_output_policy(model, each)["policy"]) for each in _port_rates(model)}
    views = interfaces(model, partial(_input_lines, model), lambda port: output_names[port.rate_bps])
    sections.append(Section("iosxe/interfaces.j2", views))
    return sections


def _notes(model: RouterModel) -> list[str]:
    notes = [
        "This is the end state. Over an earlier one, type the transition that is delivered with it, line by line.",
        "Never remove a whole access list that is in use: a route-map whose list is missing matches every packet.",
        *common_notes(model),
    ]
    if model.adopted is None:
        notes.append(
            f"Buffer shares are queue-limits in packets of {PACKET_BYTES} bytes: each port rate has its own output "
            "policy."
        )
    if model.redirect is not None:
        notes.append(
            "An interface takes one policy route-map per address family; merge this one with any that is already there."
        )
    return notes


def _access_list(each: Filter) -> View:
    heads = {4: f"ip access-list extended {each.name}", 6: f"ipv6 access-list {each.name}"}
    prefixes = {4: "", 6: "sequence "}
    protocols = {4: "ip", 6: "ipv6"}
    return {
        "head": heads[each.ip_version],
        "lines": [
            {
                "sequence": f"{prefixes[each.ip_version]}{number}",
                "protocol": protocols[each.ip_version],
                "source": _address(term.source),
                "destination": _address(term.destination),
            }
            for number, term in numbered_terms(each)
        ],
    }


def _address(network: Network) -> str:
    if isinstance(network, IPv4Network):
        return wildcard_address(network)
    return address(network)


def _two_color(model: RouterModel, policer: TwoColorPolicer, term: FilterTerm) -> View:
    conform, exceed = "transmit", []
    if policer.out_forwarding_class is not None:
        conform = f"set-qos-transmit {model.queue_of(term.forwarding_class)}"
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
    """The rates of ports that get an output policy."""
    return sorted({each.rate_bps for each in model.interfaces if each.is_core and model.adopted is None})


def _input_policy(model: RouterModel) -> View:
    view = policy_input(model, partial(_two_color, model), _three_color)
    return {**view, "policy": digest_name(INPUT_POLICY, view)}


def _output_policy(model: RouterModel, rate_bps: int) -> View:
    name = f"{OUTPUT_POLICY}-{rate_bps // 1000}k"
    view = policy_output(model, name, partial(_queue, model, rate_bps))
    return {**view, "policy": digest_name(name, view)}


def _queue(model: RouterModel, rate_bps: int, scheduler: Scheduler) -> View:
    limit_packets = queue_packets(model, scheduler, rate_bps)
    drops = []
    for number, first, last in early_drops(model, scheduler):
        # IOS-XE refuses a threshold of 0, and the maximum must be above the minimum.
        start = max(1, limit_packets * first // 100)
        end = max(start + 1, limit_packets * last // 100)
        drops.append({"discard_class": number, "from_packets": start, "to_packets": end})
    if drops and drops[0]["discard_class"] != 0:
        # Without its own line, class 0 would be dropped at the platform's low default thresholds.
        drops.insert(0, {"discard_class": 0, "from_packets": limit_packets - 1, "to_packets": limit_packets})
    return {
        "share_pct": scheduler.transmit_share_pct,
        "limit_packets": limit_packets,
        "early_drops": drops,
        "weighting_constant": WEIGHTING_CONSTANT,
    }


def _route_maps(model: RouterModel) -> list[View]:
    return [_route_map(model, each) for each in used_filters(model)]


def _route_map(model: RouterModel, each: Filter) -> View:
    family = "ip" if each.ip_version == 4 else "ipv6"
    view = {"match": f"{family} address {each.name}", "set": _route(model, each.ip_version)}
    return {**view, "name": digest_name(each.name, view)}


def _route(model: RouterModel, ip_version: int) -> str:
    redirect = model.redirect
    if redirect is not None and redirect.kind == "next_hop":
        return f"ip next-hop {redirect.ipv4}" if ip_version == 4 else f"ipv6 next-hop {redirect.ipv6}"
    return f"interface Tunnel{redirect.tunnel if redirect is not None else ''}"


def _input_lines(model: RouterModel, edge: InterfaceBinding) -> list[str]:
    lines = [f"service-policy input {_input_policy(model)['policy']}"]
    if model.redirect is not None:
        for each in carried_filters(model, edge):
            family = "ip" if each.ip_version == 4 else "ipv6"
            lines.append(f"{family} policy route-map {_route_map(model, each)['name']}")
    return lines
