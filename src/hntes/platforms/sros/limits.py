"""Limits of SR OS, and what a plan can need that it does not have; each with the module that says so."""

from collections.abc import Iterator

from hntes.platforms.sros.classes import CLASSES, CONTROL_CLASSES
from hntes.rules.qos.model import RouterModel
from hntes.settings.terms import NETWORK_CONTROL

# nokia-types-filter, entry-id: up to 2,097,151; the entries are numbered by tens, embedded ones from 1,000,000 on.
MAX_ENTRIES = 100_000
_VLANS = range(4_095)


def problems(model: RouterModel) -> Iterator[str]:
    """One line for each part of the model that SR OS does not support."""
    yield from _queues(model)
    yield from _policers(model)
    yield from _interfaces(model)
    for each in model.filters:
        if len(each.all_terms) > MAX_ENTRIES:
            yield f"filter {each.name}: has {len(each.all_terms)} terms; sros takes {MAX_ENTRIES}; lower term_budget"


def _queues(model: RouterModel) -> Iterator[str]:
    control = model.queue_for(NETWORK_CONTROL)
    for each in model.forwarding_classes:
        if each.queue in CONTROL_CLASSES and each.queue != control:
            yield (
                f"forwarding class {each.name}: queue {each.queue} is class {CLASSES[each.queue]} on sros, that of the "
                "router's own control packets, which would wait with it; set [routers.queues]"
            )
    if model.drop_profiles:
        yield (
            "early drops and ECN: a network queue of sros has no drop profile of its own (nokia-conf-qos, "
            "network-queue: slopes are those of a pool); choose a plan without them"
        )


def _policers(model: RouterModel) -> Iterator[str]:
    if model.three_color_policers:
        yield (
            "three-color marker: a filter entry of sros does not mark by rate (nokia-conf-filter, action: rate-limit "
            "drops what exceeds it); choose another plan"
        )
    if any(not each.out_discard for each in model.policers):
        yield (
            "policer: a filter entry of sros drops what exceeds its rate and cannot give it another class or loss "
            "priority (nokia-conf-filter, action rate-limit); choose a plan that drops the excess, or has no policers"
        )


def _interfaces(model: RouterModel) -> Iterator[str]:
    for each in model.interfaces:
        if each.unit not in _VLANS:
            yield f"interface {each.name}: unit {each.unit} is no VLAN, 0 to {_VLANS[-1]} on sros; change it"
        if each.is_edge and each.logical is None:
            yield (
                f"interface {each.name}: sros binds filters to the router interface: set logical to its name, as "
                "`router Base interface` lists it"
            )
        if each.is_core and each.name.startswith("lag-"):
            yield (
                f"interface {each.name}: on sros the queues of a LAG are those of its ports: name its first port as "
                "the core interface"
            )
