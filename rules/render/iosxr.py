"""The model in IOS-XR words (ASR 9000 profile), ready to print.

Two kinds of access list leave here, never mixed. The class-map's lists hold only the pairs: a final `permit any` there
would put all traffic into the alpha class. The forwarding lists (ABF) are attached to the interface, where what no
line permits is dropped: they end with `permit any`.
"""

from base.addresses import Address
from rules.qos.limits import xr_rate
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
    FAMILY,
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
)
from rules.render.section import Section, View, header_section
from rules.render.sequence import FINAL_SEQUENCE, sequence_numbers
from settings.terms import NETWORK_CONTROL

# ASR 9000 carries a class from input to output as a QoS group; NCS 5500 and 8000 would need `traffic-class` here.
CLASS_CARRIER = "qos-group"
LSP_CLASS = "hntes-alpha-lsp"
LSP_POLICY = "hntes-lsp"
FORWARD_CLASS = 1


def iosxr_sections(model: RouterModel) -> list[Section]:
    """The sections of an IOS-XR text, in order. The model must be valid."""
    sections = [
        header_section(model, _notes(model)),
        Section("iosxr/access_lists.j2", {"access_lists": _access_lists(model)}),
        Section("iosxr/class_maps.j2", _class_maps(model)),
        Section("iosxr/policy_input.j2", _policy_input(model)),
        Section("iosxr/policy_output.j2", _policy_output(model)),
    ]
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
    sections.append(Section("iosxr/interfaces.j2", {"interfaces": _interfaces(model)}))
    return sections


def _tunnel(model: RouterModel) -> int | None:
    return model.redirect.tunnel if model.redirect is not None and model.redirect.kind == "lsp" else None


def _next_hop(model: RouterModel, ip_version: int) -> Address | None:
    if model.redirect is None:
        return None
    return model.redirect.ipv4 if ip_version == 4 else model.redirect.ipv6


def _notes(model: RouterModel) -> list[str]:
    notes = [
        "Profile: ASR 9000.",
        "Load into the target configuration and commit once: each access list first removes itself there.",
        "So the commit takes away the lines of pairs that are gone, and at no moment is a list missing.",
        *common_notes(model),
    ]
    notes.append("Buffer share: queue-limit in ms at the class's own rate.")
    if any(_next_hop(model, each.ip_version) for each in used_filters(model)):
        notes.append("ABF takes the interface's one input access list; merge any list that is there already.")
    return notes


def _forwarding_list(each: Filter) -> str:
    return f"{each.name}-abf"


def _access_lists(model: RouterModel) -> list[View]:
    lists = [_access_list(each, each.name, "", []) for each in used_filters(model)]
    for each in used_filters(model):
        hop = _next_hop(model, each.ip_version)
        if hop is not None:
            family = FAMILY[each.ip_version]
            action = f" nexthop1 {family} {hop}"
            lists.append(_access_list(each, _forwarding_list(each), action, [FINAL_SEQUENCE]))
    return lists


def _access_list(each: Filter, name: str, action: str, final: list[int]) -> View:
    numbers = sequence_numbers(term.pair for term in each.terms)
    return {
        "family": FAMILY[each.ip_version],
        "name": name,
        "lines": [
            {
                "sequence": numbers[term.pair],
                "source": address(term.source),
                "destination": address(term.destination),
                "action": action,
            }
            for term in sorted(each.terms, key=lambda term: numbers[term.pair])
        ],
        "final_sequences": final,
    }


def _matches(model: RouterModel) -> list[str]:
    return [f"access-group {FAMILY[each.ip_version]} {each.name}" for each in used_filters(model)]


def _class_maps(model: RouterModel) -> View:
    classes = [{"name": ALPHA_CLASS, "matches": _matches(model)}] if used_filters(model) else []
    for each in model.forwarding_classes:
        if each.queue == 0:
            continue
        match = "dscp cs6 cs7" if each.name == NETWORK_CONTROL else f"{CLASS_CARRIER} {each.queue}"
        classes.append({"name": output_class(each.name), "matches": [match]})
    return {"class_maps": classes}


def _policy_input(model: RouterModel) -> View:
    term = first_term(model)
    classes = []
    if term is not None:
        policers = {each.name: _two_color(model, each, term.forwarding_class) for each in model.policers}
        policers |= {each.name: _three_color(each) for each in model.three_color_policers}
        classes.append(
            {
                "name": ALPHA_CLASS,
                "marks": [] if _policer_sets_class(model, term) else [_carrier(model, term.forwarding_class)],
                "policers": [policers[term.policer]] if term.policer is not None else [],
            }
        )
    classes.append({"name": "class-default", "marks": [f"{CLASS_CARRIER} 0"], "policers": []})
    return {"policy": INPUT_POLICY, "classes": classes}


def _carrier(model: RouterModel, forwarding_class: str) -> str:
    return f"{CLASS_CARRIER} {model.queue_of(forwarding_class)}"


def _policer_sets_class(model: RouterModel, term: FilterTerm) -> bool:
    """Whether the policer marks the class itself: then no second statement may mark the same field."""
    return any(each.name == term.policer and each.out_forwarding_class is not None for each in model.policers)


def _rate(rate_bps: int) -> str:
    number, unit = xr_rate(rate_bps)
    return f"{number} {unit}"


def _two_color(model: RouterModel, policer: TwoColorPolicer, in_profile: str) -> View:
    conform, exceed = ["transmit"], []
    if policer.out_forwarding_class is not None:
        conform = [f"set {_carrier(model, in_profile)}"]
        exceed.append(f"set {_carrier(model, policer.out_forwarding_class)}")
    if policer.out_loss_priority is not None:
        exceed.append(f"set discard-class {discard_class(policer.out_loss_priority)}")
    # Left out, the violate action is drop and a second bucket is metered: traffic far above the rate would be lost.
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


def _policy_output(model: RouterModel) -> View:
    return {
        "policy": OUTPUT_POLICY,
        "classes": [
            {"name": name, "strict": each.priority == "strict-high", **_queue(model, each)}
            for name, each in output_schedulers(model)
        ],
    }


def _queue(model: RouterModel, scheduler: Scheduler) -> dict[str, object]:
    """Shares of one class; a queue of `limit_ms` at its guaranteed rate is its share of the port's buffer."""
    limit_ms = max(1, round(model.port_buffer_ms * scheduler.buffer_share_pct / scheduler.transmit_share_pct))
    return {
        "share_pct": scheduler.transmit_share_pct,
        "limit_ms": limit_ms,
        "early_drops": [
            {
                "discard_class": number,
                "from_ms": limit_ms * first // 100,
                "to_ms": limit_ms * last // 100,
            }
            for number, first, last in early_drops(model, scheduler)
        ],
    }


def _interfaces(model: RouterModel) -> list[View]:
    """One block an interface: inputs on the unit, the output policy on the port, whose queues they are."""
    lines: dict[str, list[str]] = {}
    for each in model.interfaces:
        if each.is_edge:
            lines.setdefault(_unit_name(each), []).extend(_input_lines(model))
    for port in sorted({each.name for each in model.interfaces if each.is_core}):
        lines.setdefault(port, []).append(f"service-policy output {OUTPUT_POLICY}")
    return [{"name": name, "lines": lines[name]} for name in sorted(lines)]


def _unit_name(interface: InterfaceBinding) -> str:
    return interface.name if interface.unit == 0 else f"{interface.name}.{interface.unit}"


def _input_lines(model: RouterModel) -> list[str]:
    lines = [f"service-policy input {INPUT_POLICY}"]
    if _tunnel(model) is not None and used_filters(model):
        lines.append(f"service-policy type pbr input {LSP_POLICY}")
    for each in used_filters(model):
        if _next_hop(model, each.ip_version) is not None:
            lines.append(f"{FAMILY[each.ip_version]} access-group {_forwarding_list(each)} ingress")
    return lines
