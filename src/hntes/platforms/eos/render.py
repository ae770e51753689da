"""Template views of a model for EOS.

A traffic policy has the pairs of both families, so interfaces of different families have different ones. Lengths of
queues are bytes, so each port rate has its own QoS profile.
"""

from collections.abc import Iterator
from typing import Literal

from hntes.platforms.cisco.conflicts import unit_name
from hntes.platforms.eos.classes import CONTROL_QUEUE, traffic_class
from hntes.platforms.eos.limits import limit_bytes
from hntes.platforms.section import Section, View, header_section
from hntes.rules.qos.model import Filter, FilterTerm, InterfaceBinding, RouterModel, Scheduler
from hntes.settings.terms import NETWORK_CONTROL

POLICY = "hntes-alpha"
PROFILE = "hntes-out"
NEXT_HOPS: dict[Literal[4, 6], str] = {4: "hntes-next-hop-v4", 6: "hntes-next-hop-v6"}
_VERSIONS: tuple[Literal[4, 6], ...] = (4, 6)


def eos_sections(model: RouterModel) -> list[Section]:
    """The sections of an EOS text, in order. The model must be valid."""
    return [header_section(model, _notes(model)), Section("eos/configuration.j2", _view(model))]


def _notes(model: RouterModel) -> list[str]:
    notes = [
        "This is the end state. Load the transition that is delivered with it in a configuration session.",
        "Queue 0 of the settings is traffic class 1 (best effort), queue 1 is traffic class 0, all others their own.",
        "The length of a queue is a random-detect threshold: the hardware's own limit applies as well.",
        "Traffic policies need a TCAM profile with the feature traffic-policy port ipv4 and ipv6.",
    ]
    if any(each.reserved for each in model.filters):
        notes.append("A rate limit is that of a rule on one chip, whichever of its interfaces packets enter by.")
    return notes


def _view(model: RouterModel) -> View:
    ports = {each.rate_bps for each in model.interfaces if each.is_core}
    return {
        "next_hops": list(_next_hops(model)),
        "policies": [_policy(model, each) for each in _family_sets(model)],
        "profiles": [_profile(model, each) for each in sorted(ports)],
        "interfaces": list(_interfaces(model)),
    }


def _next_hops(model: RouterModel) -> Iterator[View]:
    """The next-hop groups that terms of bound policies name."""
    used = {version for families in _family_sets(model) for version in families}
    for version in _VERSIONS:
        terms = model.filter_of(version).all_terms if version in used else ()
        hop = _hop(model, version)
        if hop is not None and any(each.redirect for each in terms):
            yield {"name": NEXT_HOPS[version], "address": hop}


def _hop(model: RouterModel, version: Literal[4, 6]) -> str | None:
    redirect = model.redirect
    hop = None if redirect is None else {4: redirect.ipv4, 6: redirect.ipv6}[version]
    return None if hop is None else str(hop)


def families_of(model: RouterModel, edge: InterfaceBinding) -> tuple[Literal[4, 6], ...]:
    """The families of an edge that have terms."""
    return tuple(each for each in _VERSIONS if each in edge.ip_versions and model.filter_of(each).all_terms)


def _family_sets(model: RouterModel) -> list[tuple[Literal[4, 6], ...]]:
    found = {families_of(model, each) for each in model.interfaces if each.is_edge}
    return sorted(each for each in found if each)


def _policy_name(families: tuple[Literal[4, 6], ...]) -> str:
    return f"{POLICY}-v{''.join(str(each) for each in families)}"


def _policy(model: RouterModel, families: tuple[Literal[4, 6], ...]) -> View:
    matches = [_match(model, each, term) for each in map(model.filter_of, families) for term in each.all_terms]
    return {"name": _policy_name(families), "matches": matches}


def _match(model: RouterModel, each: Filter, term: FilterTerm) -> View:
    policer = next((one for one in model.policers if one.name == term.policer), None)
    actions = ["count", f"set traffic class {traffic_class(model.queue_of(term.forwarding_class))}"]
    if policer is not None:
        actions.append(f"police rate {policer.rate_bps // 1_000} kbps burst-size {policer.burst_bytes} bytes")
    if term.redirect and _hop(model, each.ip_version) is not None:
        actions.append(f"redirect next-hop group {NEXT_HOPS[each.ip_version]}")
    return {
        "name": term.counter,
        "family": f"ipv{each.ip_version}",
        "source": str(term.source),
        "destination": str(term.destination),
        "actions": actions,
    }


def _profile_name(rate_bps: int) -> str:
    return f"{PROFILE}-{rate_bps // 1_000}k"


def _profile(model: RouterModel, rate_bps: int) -> View:
    queues = sorted(model.schedulers, key=lambda each: traffic_class(model.queue_of(each.forwarding_class)))
    return {"name": _profile_name(rate_bps), "queues": [_queue(model, each, rate_bps) for each in queues]}


def is_strict(model: RouterModel, scheduler: Scheduler) -> bool:
    """Whether a queue stays strict, as all are by default: that of network control where EOS has it."""
    queue = model.queue_of(scheduler.forwarding_class)
    return queue == CONTROL_QUEUE == model.queue_for(NETWORK_CONTROL)


def _queue(model: RouterModel, scheduler: Scheduler, rate_bps: int) -> View:
    limit = limit_bytes(model, scheduler, rate_bps)
    shared = [] if is_strict(model, scheduler) else ["no priority", f"bandwidth percent {scheduler.transmit_share_pct}"]
    drop = f"minimum-threshold {limit - 1} bytes maximum-threshold {limit} bytes drop-probability 100"
    return {
        "number": traffic_class(model.queue_of(scheduler.forwarding_class)),
        "lines": [*shared, f"random-detect drop {drop}"],
    }


def _interfaces(model: RouterModel) -> Iterator[View]:
    """The interfaces with the statements that bind objects of HNTES, by name."""
    found: dict[str, list[str]] = {}
    for each in sorted(model.interfaces, key=lambda one: (one.name, one.unit)):
        if each.is_edge and (families := families_of(model, each)):
            found.setdefault(unit_name(each), []).append(f"traffic-policy input {_policy_name(families)}")
        if each.is_core and f"service-profile {_profile_name(each.rate_bps)}" not in found.get(each.name, []):
            found.setdefault(each.name, []).append(f"service-profile {_profile_name(each.rate_bps)}")
    yield from ({"name": name, "lines": lines} for name, lines in found.items())
