"""Template views of a model for Junos."""

from hntes.addresses import Address
from hntes.platforms.section import ECN_NOTE, Section, View, header_section
from hntes.rules.qos.model import (
    Adopted,
    DropProfile,
    Filter,
    FilterTerm,
    InterfaceBinding,
    ModelError,
    RouterModel,
    Scheduler,
    ThreeColorPolicer,
    TwoColorPolicer,
)

INSTANCE = "hntes-alpha"
SCHEDULER_MAP = "hntes"
NEXT_HOP_MAP = "hntes-alpha"
EXPORT_POLICY = "hntes-alpha-lsp"
# CoS-based forwarding selects the path by class. Alpha traffic on queue 0 needs its own class on that queue, or all
# other traffic would take the LSP, too.
SHARED_QUEUE_CLASS = "alpha-lsp"
_FAMILY = {4: "inet", 6: "inet6"}
# A filter in a list before the operator's: each of its terms continues with the next. Junos refuses that in the last
# term, so that one matches addresses that no packet has (RFC 1122, 3.2.1.3: all ones are no source).
LISTED = "-listed"
_ALL_ONES = {4: "255.255.255.255/32", 6: "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff/128"}
# Above 5, the preference of a static route: the higher value is used when the lower is down.
FALLBACK_PREFERENCE = 200


def junos_sections(model: RouterModel) -> list[Section]:
    """The sections of a Junos text, in order. The model must be valid."""
    sections = [
        header_section(model, _notes(model)),
        Section("junos/firewall.j2", _firewall(model)),
        Section("junos/class_of_service.j2", _class_of_service(model))
        if model.adopted is None
        else Section("junos/adopted_class.j2", _adopted_class(model, model.adopted)),
    ]
    if _interfaces(model):
        sections.append(Section("junos/interfaces.j2", {"interfaces": _interfaces(model)}))
    if model.redirect is not None and model.redirect.kind == "next_hop":
        sections.append(Section("junos/redirect_next_hop.j2", _next_hop(model)))
    if _by_lsp(model):
        sections.append(Section("junos/redirect_lsp.j2", _export(model)))
    return sections


def _notes(model: RouterModel) -> list[str]:
    notes = [
        "This is the end state. Load the transition that is delivered with it, where these are the group hntes.",
        "Forwarding classes map to queues by `class`; a router that maps them by `queue` refuses the two together.",
    ]
    if model.adopted is not None:
        notes[1] = "The core ports keep the operator's scheduler map; the class below is the one that takes the pairs."
    if any(each.ecn for each in model.schedulers):
        notes.append(ECN_NOTE)
    if any(_operator_filter(each, one) for each in model.interfaces for one in model.filters):
        notes += [
            "The operator's input filters stay, behind those of HNTES in a list; the transition deactivates `input`.",
            "A list has filters of its own by interface: the counters of both get the interface's name.",
            "A pair inside another is counted by both counters.",
        ]
    if _by_lsp(model):
        notes += [
            "CoS-based forwarding applies to routes with several equal-cost next hops, one of them the LSP.",
            "It governs the routes of the settings; a pair whose destination is in none of them is not redirected.",
            "An export policy that stands before this one and accepts a route takes it away from this one.",
            "M-series routers other than M120 and M320 ignore the class that an input filter sets.",
        ]
    return notes


def _by_lsp(model: RouterModel) -> bool:
    return model.redirect is not None and model.redirect.kind == "lsp"


def _class_of(model: RouterModel, term: FilterTerm) -> str:
    shared = _by_lsp(model) and term.redirect and model.queue_of(term.forwarding_class) == 0
    return SHARED_QUEUE_CLASS if shared else term.forwarding_class


def _shared_queue_scheduler(model: RouterModel) -> str | None:
    """The scheduler of queue 0, if redirected alpha traffic needs a second class on it."""
    for each in model.filters:
        for term in each.terms:
            if _class_of(model, term) == SHARED_QUEUE_CLASS:
                return model.scheduler_of(term.forwarding_class).name
    return None


def _firewall(model: RouterModel) -> View:
    return {
        "policers": [_two_color(each) for each in model.policers],
        "three_color_policers": [_three_color(each) for each in model.three_color_policers],
        "families": [{"name": _FAMILY[each.ip_version], "filters": _filters(model, each)} for each in model.filters],
    }


def _two_color(policer: TwoColorPolicer) -> View:
    then = []
    if policer.out_loss_priority is not None:
        then.append(f"loss-priority {policer.out_loss_priority}")
    if policer.out_forwarding_class is not None:
        then.append(f"forwarding-class {policer.out_forwarding_class}")
    if policer.out_discard:
        then.append("discard")
    return {"name": policer.name, "rate_bps": policer.rate_bps, "burst_bytes": policer.burst_bytes, "then": then}


def _three_color(policer: ThreeColorPolicer) -> View:
    rates = [
        f"committed-information-rate {policer.committed_rate_bps}",
        f"committed-burst-size {policer.committed_burst_bytes}",
    ]
    if policer.peak_rate_bps is None:
        rates.append(f"excess-burst-size {policer.excess_burst_bytes}")
    else:
        rates.append(f"peak-information-rate {policer.peak_rate_bps}")
        rates.append(f"peak-burst-size {policer.excess_burst_bytes}")
    return {
        "name": policer.name,
        "marker": policer.marker.replace("_", "-"),
        "rates": rates,
        "discard_red": policer.discard_red,
    }


def _operator_filter(interface: InterfaceBinding, each: Filter) -> str | None:
    """The operator's filter that follows this one on an interface; None if there is none."""
    is_bound = interface.is_edge and each.all_terms and each.ip_version in interface.ip_versions
    return interface.operator_filter(each.ip_version) if is_bound else None


def _filters(model: RouterModel, each: Filter) -> list[View]:
    """The variants of a filter that interfaces use: alone, before an operator's filter, or both."""
    edges = [one for one in model.interfaces if one.is_edge and each.ip_version in one.ip_versions]
    listed = [one for one in edges if _operator_filter(one, each) is not None]
    forms = [_filter(model, each, is_listed=False)] if not listed or len(listed) < len(edges) else []
    return [*forms, *([_filter(model, each, is_listed=True)] if listed else [])]


def _filter(model: RouterModel, each: Filter, *, is_listed: bool) -> View:
    return {
        "name": f"{each.name}{LISTED}" if is_listed else each.name,
        "fast_lookup": model.fast_lookup and bool(each.all_terms),
        "all_ones": [_ALL_ONES[each.ip_version]] if is_listed else [],
        "terms": [
            {
                "name": term.name,
                "source": str(term.source),
                "destination": str(term.destination),
                "then": _then(model, term, is_listed=is_listed),
            }
            for term in each.all_terms
        ],
    }


def _then(model: RouterModel, term: FilterTerm, *, is_listed: bool) -> list[str]:
    """The actions in order; the last ends the evaluation or continues with the operator's filter."""
    actions = []
    three_color = {each.name: each.marker.replace("_", "-") for each in model.three_color_policers}
    if term.policer in three_color:
        actions.append(f"three-color-policer {{ {three_color[term.policer]} {term.policer}; }}")
    elif term.policer is not None:
        actions.append(f"policer {term.policer};")
    actions.append(f"count {term.counter};")
    if model.adopted is not None and model.adopted.forwarding_class is not None:
        # A classifier of the operator's may have given the packet another, by which its queue drops early.
        actions.append("loss-priority low;")
    actions.append(f"forwarding-class {_class_of(model, term)};")
    if is_listed:
        return [*actions, "next term;"]
    to_instance = term.redirect and model.redirect is not None and model.redirect.kind == "next_hop"
    actions.append(f"routing-instance {INSTANCE};" if to_instance else "accept;")
    return actions


def _adopted_class(model: RouterModel, adopted: Adopted) -> View:
    """The class of the pairs, as the router lists its own, and its place in the operator's scheduler map if it is ours.

    Raises:
        ModelError: the queue of the operator's class is unknown.
    """
    if not model.forwarding_classes:
        unknown = f"the queue of class {adopted.forwarding_class} is in its running configuration alone"
        raise ModelError([f"router {model.router!r}: {unknown}: set running_config"])
    (taker,) = model.forwarding_classes
    form = f"queue {taker.queue} {taker.name}" if adopted.is_by_queue else f"class {taker.name} queue-num {taker.queue}"
    return {
        "form": form,
        "forwarding_class": taker.name,
        "scheduler_map": adopted.policy,
        "schedulers": [_scheduler(each) for each in model.schedulers],
    }


def _class_of_service(model: RouterModel) -> View:
    classes = [{"name": each.name, "queue": each.queue} for each in model.forwarding_classes]
    served = [{"forwarding_class": each.forwarding_class, "scheduler": each.name} for each in model.schedulers]
    shared = _shared_queue_scheduler(model)
    if shared is not None:
        classes.append({"name": SHARED_QUEUE_CLASS, "queue": 0})
        served.append({"forwarding_class": SHARED_QUEUE_CLASS, "scheduler": shared})
    return {
        "forwarding_classes": classes,
        "served_classes": served,
        "drop_profiles": [_drop_profile(each) for each in model.drop_profiles],
        "forwarding_policies": [_forwarding_policy(model, [str(each["name"]) for each in classes])]
        if _by_lsp(model)
        else [],
        "ports": sorted({each.name for each in model.interfaces if each.is_core}),
        "scheduler_map": SCHEDULER_MAP,
        "schedulers": [_scheduler(each) for each in model.schedulers],
    }


def _drop_profile(profile: DropProfile) -> View:
    return {
        "name": profile.name,
        "fill_levels": " ".join(str(point.fill_pct) for point in profile.points),
        "drop_probabilities": " ".join(str(point.drop_pct) for point in profile.points),
    }


def _scheduler(scheduler: Scheduler) -> View:
    return {
        "name": scheduler.name,
        "transmit_share_pct": scheduler.transmit_share_pct,
        "buffer_share_pct": scheduler.buffer_share_pct,
        "priority": scheduler.priority,
        "drops": [{"loss_priority": each.loss_priority, "drop_profile": each.drop_profile} for each in scheduler.drops],
        "ecn": scheduler.ecn,
    }


def _forwarding_policy(model: RouterModel, classes: list[str]) -> View:
    """The view of the next-hop map, with all classes: Junos ignores one with fewer than two usable classes.

    Juniper, CoS-based forwarding for different traffic types: of several kinds of next hop the first usable one is
    used.
    """
    lsp_name = model.redirect.lsp_name if model.redirect is not None else None
    by_lsp = _lsp_classes(model)
    return {
        "name": NEXT_HOP_MAP,
        "classes": [
            {"name": name, "next_hops": [*([f"lsp-next-hop {lsp_name}"] if name in by_lsp else []), "non-lsp-next-hop"]}
            for name in classes
        ],
    }


def _lsp_classes(model: RouterModel) -> set[str]:
    """The classes of redirected traffic, in and out of profile: a pair's packets must not be reordered."""
    out_of_profile = {each.name: each.out_forwarding_class for each in model.policers}
    found: set[str] = set()
    for each in model.filters:
        for term in each.terms:
            if term.redirect:
                found |= {_class_of(model, term), out_of_profile.get(term.policer or "") or _class_of(model, term)}
    return found


def _interfaces(model: RouterModel) -> list[View]:
    """Edge units and their input filters. A family without terms is not touched: inet6 is never enabled."""
    found: list[View] = []
    for each in model.interfaces:
        bound = [one for one in model.filters if one.all_terms and one.ip_version in each.ip_versions]
        if each.is_edge and bound:
            filters = [{"family": _FAMILY[one.ip_version], "bound": _bound(each, one)} for one in bound]
            found.append({"name": each.name, "unit": each.unit, "filters": filters})
    return found


def _bound(interface: InterfaceBinding, each: Filter) -> str:
    own = _operator_filter(interface, each)
    return f"input {each.name}" if own is None else f"input-list [ {each.name}{LISTED} {own} ]"


def _next_hop(model: RouterModel) -> View:
    redirect = model.redirect
    return {
        "instance": INSTANCE,
        "ipv4": _hops(redirect.ipv4, redirect.fallback_ipv4) if redirect is not None else [],
        "ipv6": _hops(redirect.ipv6, redirect.fallback_ipv6) if redirect is not None else [],
    }


def _hops(first: Address | None, fallback: Address | None) -> list[View]:
    """The next hop of a family, if any, with its fallback, if any."""
    return [] if first is None else [{"address": str(first), "fallbacks": _fallbacks(fallback)}]


def _fallbacks(address: Address | None) -> list[View]:
    return [] if address is None else [{"address": str(address), "preference": FALLBACK_PREFERENCE}]


def _export(model: RouterModel) -> View:
    """The export policy with one term per family, since a route-filter has one family."""
    routes = model.redirect.routes if model.redirect is not None else ()
    by_family = {4: "ipv4", 6: "ipv6"}
    terms = [
        {"name": name, "routes": [str(each) for each in routes if each.version == version]}
        for version, name in by_family.items()
    ]
    return {"policy": EXPORT_POLICY, "next_hop_map": NEXT_HOP_MAP, "terms": [each for each in terms if each["routes"]]}
