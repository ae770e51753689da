"""Template views of a model for IOS-XR: ASR 9000 by default, NCS and 8000 by the settings' hardware.

There are two kinds of access lists. Those of class-maps hold only the pairs: a final `permit any` would put all traffic
into the alpha class. The forwarding lists (ABF) are attached to the interface, where unmatched packets are dropped:
they end with `permit any`.
"""

from fractions import Fraction
from functools import partial

from hntes.addresses import Address
from hntes.platforms.cisco.carried import carrier_of, sets_exp
from hntes.platforms.cisco.render import (
    INPUT_POLICY,
    OUTPUT_POLICY,
    address,
    carried_filters,
    carrier,
    class_maps,
    common_notes,
    discard_class,
    early_drops,
    interfaces,
    numbered_terms,
    policy_input,
    policy_output,
    reserved_filters,
    used_filters,
)
from hntes.platforms.cisco.sequence import FINAL_SEQUENCE
from hntes.platforms.hardware_fit import hardware_of
from hntes.platforms.iosxr.capabilities import CAPABILITIES
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

FAMILY = {4: "ipv4", 6: "ipv6"}
LSP_CLASS = "hntes-alpha-lsp"
LSP_POLICY = "hntes-lsp"
FORWARD_CLASS = 1


def iosxr_sections(model: RouterModel) -> list[Section]:
    """The sections of an IOS-XR text, in order. The model must be valid."""
    sections = [
        header_section(model, _notes(model)),
        Section("iosxr/access_lists.j2", {"access_lists": _access_lists(model)}),
        Section("iosxr/class_maps.j2", class_maps(model, _match)),
        Section("iosxr/policy_input.j2", policy_input(model, partial(_two_color, model), _three_color)),
    ]
    for rate_bps in _policy_rates(model):
        view = policy_output(model, _output_policy(rate_bps), partial(_queue, model, rate_bps))
        sections.append(Section("iosxr/policy_output.j2", view))
    if _tunnel(model) is not None and used_filters(model):
        sections.append(
            Section(
                "iosxr/redirect_lsp.j2",
                {
                    "class_map": LSP_CLASS,
                    "matches": _matches(model),
                    "policy": LSP_POLICY,
                    "forward_class": FORWARD_CLASS,
                    "tunnel": _tunnel(model),
                },
            )
        )
    views = interfaces(model, partial(_input_lines, model), lambda port: _output_policy(_limit_rate(model, port)))
    sections.append(Section("iosxr/interfaces.j2", views))
    return sections


def _policy_rates(model: RouterModel) -> list[int | None]:
    """One output policy for all ports, or one for each of their rates where limits of queues are in bytes."""
    found = {_limit_rate(model, each) for each in model.interfaces if each.is_core and model.adopted is None}
    return sorted(found, key=lambda rate_bps: rate_bps or 0)


def _limit_rate(model: RouterModel, port: InterfaceBinding) -> int | None:
    """The rate by which limits of queues are bytes; None where they are times at the rate of the class.

    Where queues are virtual, at the input, a time is one at a rate that depends on the release.
    """
    return None if carrier_of(model) == "qos-group" else port.rate_bps


def _output_policy(rate_bps: int | None) -> str:
    return OUTPUT_POLICY if rate_bps is None else f"{OUTPUT_POLICY}-{rate_bps // 1000}k"


def _tunnel(model: RouterModel) -> int | None:
    return model.redirect.tunnel if model.redirect is not None and model.redirect.kind == "lsp" else None


def _next_hop(model: RouterModel, ip_version: int) -> Address | None:
    if model.redirect is None:
        return None
    return model.redirect.ipv4 if ip_version == 4 else model.redirect.ipv6


def _notes(model: RouterModel) -> list[str]:
    notes = [
        f"Profile: {_profile(model)}.",
        "This is the end state. Over an earlier one, load the transition that is delivered with it, and commit once.",
        "A commit that changes a policy or list in use may take it out of force for a moment, and resets counters.",
        *common_notes(model),
    ]
    if model.filter_of(6).all_terms:
        notes.append(
            "Whether a class matches an IPv6 access list depends on release and line card: see their QoS guide."
        )
    if model.adopted is None and carrier_of(model) == "qos-group":
        notes.append("Buffer shares are queue-limits in ms at the rate of the class.")
    elif model.adopted is None:
        notes += [
            "Buffer shares are queue-limits in bytes: each port rate has its own output policy.",
            "Queues take packets by traffic class alone; the router itself puts its control packets into theirs.",
        ]
    if sets_exp(model):
        notes.append("An access list clears the EXP of imposed labels: classes by precedence set what it would be.")
    if any(_next_hop(model, each.ip_version) for each in used_filters(model)):
        notes.append("ABF uses the interface's only input access list; merge this one with any that is already there.")
    if _tunnel(model) is not None and used_filters(model):
        notes.append(
            f"forward-class {FORWARD_CLASS} takes tunnel-te{_tunnel(model)} out of the default class: other traffic "
            "needs another tunnel, and the pairs a route over this one."
        )
    return notes


def _profile(model: RouterModel) -> str:
    hardware = hardware_of(model.platform, model.hardware)
    return "ASR 9000" if hardware is None else hardware.models


def _forwarding_list(each: Filter) -> str:
    return f"{each.name}-abf"


def _access_lists(model: RouterModel) -> list[View]:
    lists = [_access_list(each, each.name, "", []) for each in (*reserved_filters(model), *used_filters(model))]
    for each in used_filters(model):
        hop = _next_hop(model, each.ip_version)
        if hop is not None:
            family = FAMILY[each.ip_version]
            action = f" nexthop1 {family} {hop}"
            lists.append(_access_list(each, _forwarding_list(each), action, [FINAL_SEQUENCE]))
    return lists


def _access_list(each: Filter, name: str, action: str, final: list[int]) -> View:
    return {
        "family": FAMILY[each.ip_version],
        "name": name,
        "lines": [
            {
                "sequence": number,
                "source": address(term.source),
                "destination": address(term.destination),
                "action": action,
            }
            for number, term in numbered_terms(each)
        ],
        "final_sequences": final,
    }


def _match(access_list: str, ip_version: int) -> str:
    return f"access-group {FAMILY[ip_version]} {access_list}"


def _matches(model: RouterModel) -> list[str]:
    return [_match(each.name, each.ip_version) for each in used_filters(model)]


def _rate(rate_bps: int) -> str:
    expressed = CAPABILITIES.policer_rates.expressed(rate_bps)
    if expressed is None:
        raise AssertionError(rate_bps)  # the model was not validated
    return "{} {}".format(*expressed)


def _two_color(model: RouterModel, policer: TwoColorPolicer, term: FilterTerm) -> View:
    conform, exceed = ["transmit"], []
    if policer.out_forwarding_class is not None:
        conform = [f"set {carrier(model, term.forwarding_class)}"]
        exceed.append(f"set {carrier(model, policer.out_forwarding_class)}")
    if policer.out_loss_priority is not None:
        exceed.append(f"set discard-class {discard_class(policer.out_loss_priority)}")
    # By default the violate action is drop and a second bucket is metered: traffic far above the rate would be lost.
    exceed = exceed or ["drop"]
    return {
        "rate": f"rate {_rate(policer.rate_bps)} burst {policer.burst_bytes} bytes",
        "actions": [
            *(f"conform-action {each}" for each in conform),
            *(f"exceed-action {each}" for each in exceed),
            *(f"violate-action {each}" for each in exceed),
        ],
    }


def _three_color(policer: ThreeColorPolicer) -> View:
    rate = f"rate {_rate(policer.committed_rate_bps)} burst {policer.committed_burst_bytes} bytes"
    if policer.peak_rate_bps is not None:
        rate += f" peak-rate {_rate(policer.peak_rate_bps)}"
    red = "drop" if policer.discard_red else f"set discard-class {discard_class('high')}"
    return {
        "rate": f"{rate} peak-burst {policer.excess_burst_bytes} bytes",
        "actions": [
            "conform-action transmit",
            f"exceed-action set discard-class {discard_class('medium-high')}",
            f"violate-action {red}",
        ],
    }


def _queue(model: RouterModel, rate_bps: int | None, scheduler: Scheduler) -> View:
    """The view of one class; a queue of `limit` at its guaranteed rate is its share of the port's buffer."""
    port_buffer_ms = Fraction(str(model.port_buffer_ms))
    if rate_bps is None:
        limit = max(1, round(port_buffer_ms * scheduler.buffer_share_pct / scheduler.transmit_share_pct))
    else:
        limit = int(rate_bps * port_buffer_ms * scheduler.buffer_share_pct / (8 * 1_000 * 100))
    return {
        "share_pct": scheduler.transmit_share_pct,
        "limit": limit,
        "unit": "ms" if rate_bps is None else "bytes",
        "remaining": rate_bps is not None,
        "early_drops": [
            {
                "discard_class": number,
                "start": limit * first // 100,
                "end": limit * last // 100,
            }
            for number, first, last in early_drops(model, scheduler)
        ],
    }


def _input_lines(model: RouterModel, edge: InterfaceBinding) -> list[str]:
    lines = [f"service-policy input {INPUT_POLICY}"]
    if _tunnel(model) is not None and used_filters(model):
        lines.append(f"service-policy type pbr input {LSP_POLICY}")
    for each in carried_filters(model, edge):
        if _next_hop(model, each.ip_version) is not None:
            lines.append(f"{FAMILY[each.ip_version]} access-group {_forwarding_list(each)} ingress")
    return lines
